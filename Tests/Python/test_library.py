"""The library as Python calls it."""

import os
import re
import subprocess
import sys

from conftest import ROOT

from settle import _decisions, _events, _library


def test_the_arrays_have_the_layout_of_the_structs():
    for dtype, name, renamed in [
        (_events.EVENT, "settle_log_event", {"t_ns": "at_ns", "scene": "name"}),
        (_decisions.DECISION, "settle_decision", {"t_ns": "at_ns"}),
    ]:
        assert dtype.itemsize == _library.ffi.sizeof(name)
        for field in dtype.names:
            assert dtype.fields[field][1] == _library.ffi.offsetof(name, renamed.get(field, field))
    values = {name: value for name, value in vars(_events.Flag).items() if name.isupper() and name != "ALL"}
    assert values == {name: getattr(_library.lib, f"SETTLE_{name}") for name in values}


def test_every_function_of_the_package_is_declared_and_exported():
    source = "".join(path.read_text() for path in (ROOT / "Sources/Python/settle").rglob("*.py"))
    names = set(re.findall(r"\blib\.(settle_\w+)", source))
    assert len(names) > 40 and all(getattr(_library.lib, name) is not None for name in names)


def test_another_library_is_refused(tmp_path):
    for library in (tmp_path / "none.so", "libc.so.6"):
        run = subprocess.run(
            [sys.executable, "-c", "import settle"], capture_output=True, text=True,
            env={**os.environ, "SETTLE_LIBRARY": str(library)},
        )
        assert run.returncode == 1 and "cannot load" in run.stderr.splitlines()[-1], run.stderr
