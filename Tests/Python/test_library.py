"""The declarations that Python calls the library by, against the C headers."""

import re
import subprocess

import cffi
from conftest import ROOT

from settle import _decisions, _events, _library

HEADERS = sorted(path.name for path in (ROOT / "CSources/CSettle/include").glob("*.h"))
STRUCT = re.compile(r"typedef struct \{.*?\} (\w+);", re.DOTALL)


def differences(declarations: str, folder) -> str:
    """What a C compiler says of the declarations beside the headers; empty if they agree."""
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    lines = [f'#include "{name}"' for name in HEADERS] + ["#include <stddef.h>"]
    for name in STRUCT.findall(declarations):
        kind = ffi.typeof(name)
        lines.append(f'_Static_assert(sizeof({name}) == {ffi.sizeof(kind)}, "size of {name}");')
        for field, place in kind.fields:
            lines.append(f'_Static_assert(offsetof({name}, {field}) == {place.offset}, "offset of {name}.{field}");')
            size = ffi.sizeof(place.type)
            lines.append(f'_Static_assert(sizeof((({name} *)0)->{field}) == {size}, "size of {name}.{field}");')
    for name, value in re.findall(r"#define (\w+) (\d+)", declarations):
        lines.append(f'_Static_assert({name} == {value}, "value of {name}");')
    # A prototype that is declared twice must be the same.
    without_structs = re.sub(r"#define.*", "", STRUCT.sub("", declarations))
    lines += [line for line in without_structs.split(";") if "(" in line for line in [line.strip() + ";"]]
    source = folder / "declarations.c"
    source.write_text("\n".join(lines) + "\n")
    compiler = ["cc", "-std=c11", "-fsyntax-only", f"-I{ROOT}/CSources/CSettle/include"]
    run = subprocess.run([*compiler, source], capture_output=True, text=True)
    return run.stderr


def test_the_declarations_are_those_of_the_headers(tmp_path):
    assert differences(_library.DECLARATIONS, tmp_path) == ""


def test_wrong_declarations_are_found(tmp_path):
    right = _library.DECLARATIONS
    for old, new, found in [
        ("uint32_t name; uint16_t kind, flags;", "uint16_t kind, flags; uint32_t name;", "settle_log_event.kind"),
        ("uint64_t previews, wasted, released;", "uint64_t previews, wasted;", "size of settle_sweep_counts"),
        ("uint32_t scenes_max, decisions_max", "uint64_t scenes_max, decisions_max", "size of settle_config"),
        ("SETTLE_LAG_BUCKETS 1153", "SETTLE_LAG_BUCKETS 1152", "value of SETTLE_LAG_BUCKETS"),
        ("settle_lag_bucket(uint64_t lag_ns)", "settle_lag_bucket(uint32_t lag_ns)", "settle_lag_bucket"),
    ]:
        assert old in right
        said = differences(right.replace(old, new, 1), tmp_path)
        assert found in said, said


def test_the_arrays_have_the_layout_of_the_structs():
    for dtype, name, renamed in [
        (_events.EVENT, "settle_log_event", {"t_ns": "at_ns", "scene": "name"}),
        (_decisions.DECISION, "settle_decision", {"t_ns": "at_ns"}),
    ]:
        fields = dict(_library.ffi.typeof(name).fields)
        assert dtype.itemsize == _library.ffi.sizeof(name) and len(dtype.names) == len(fields)
        for field in dtype.names:
            assert dtype.fields[field][1] == fields[renamed.get(field, field)].offset


def test_every_declared_function_is_exported():
    for name in re.findall(r"(settle_\w+)\(", _library.DECLARATIONS):
        assert getattr(_library.lib, name) is not None


def test_another_library_is_refused(tmp_path):
    import os
    import sys

    for library, problem in [(tmp_path / "none.so", "cannot load"), ("libc.so.6", "cannot load")]:
        run = subprocess.run(
            [sys.executable, "-c", "import settle"], capture_output=True, text=True,
            env={**os.environ, "SETTLE_LIBRARY": str(library)},
        )
        assert run.returncode == 1 and problem in run.stderr.splitlines()[-1], run.stderr
