"""The shared library libsettle.so, called by cffi in its ABI mode. Calls release the GIL."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cffi
import numpy as np

ffi = cffi.FFI()

#: The declarations of CSources/CSettle/include, as scripts/build-wheel takes them from the headers.
_declarations = Path(__file__).with_name("declarations.h").read_text()
ffi.cdef(_declarations)

#: The version of the library that this package is written for: its structs may grow with a minor version.
VERSION = ".".join(re.findall(r"^#define SETTLE_VERSION_\w+ (\d+)$", _declarations, re.MULTILINE))


def _load() -> Any:
    """Loads the library of the wheel, or the one that the environment variable SETTLE_LIBRARY names."""
    path = os.environ.get("SETTLE_LIBRARY") or str(Path(__file__).with_name("libsettle.so"))
    try:
        library = ffi.dlopen(path)
        version = ffi.string(library.settle_version_string()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"settle: cannot load {path}: {error}; install the wheel that scripts/build-wheel makes for this platform"
        ) from None
    if version != VERSION:
        raise ImportError(
            f"settle: {path} is version {version}, and this package needs {VERSION}; install both from one wheel"
        )
    return library


lib = _load()


def layout(struct: str, fields: Mapping[str, str]) -> np.dtype:
    """The dtype of a struct of the library, by its own offsets and types. `fields` has the dtype's names, and for each
    the struct's."""
    types = dict(ffi.typeof(struct).fields)
    return np.dtype({
        "names": list(fields), "formats": [types[field].type.cname.removesuffix("_t") for field in fields.values()],
        "offsets": [ffi.offsetof(struct, field) for field in fields.values()], "itemsize": ffi.sizeof(struct),
    })


def word(function: Any, number: int) -> str:
    """The library's word for a number."""
    return ffi.string(function(number)).decode()


def new_seed() -> tuple[int, int]:
    """A seed for a table of names, so that nobody can choose names that collide in it."""
    return secrets.randbits(64), secrets.randbits(64)
