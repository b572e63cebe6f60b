"""The library as Python calls it."""

import os
import re
import subprocess
import sys

import numpy as np
from conftest import ROOT

from settle import _decisions, _events, _library, _whole


def test_the_arrays_have_the_layout_of_the_structs():
    assert (_events.EVENT.itemsize, _decisions.DECISION.itemsize) == (32, 64)
    shared = {"at_ns": 1, "name": 4, "kind": 7, "flags": 8}
    report = _library.ffi.new("settle_log_event *", {**shared, "cost_ns": 2, "generation": 3})
    assert np.frombuffer(_library.ffi.buffer(report), _events.REPORT)[0].tolist() == (1, 2, 3, 4, 7, 8)
    event = _library.ffi.new("settle_log_event *", {**shared, "width": 2.5, "height": -3})
    assert np.frombuffer(_library.ffi.buffer(event), _events.EVENT)[0].tolist() == (1, 2.5, -3, 4, 7, 8)
    decision = _library.ffi.new("settle_decision *", {"at_ns": 1, "previous_height": 2.5, "reason": 3, "locked": 1})
    (decided,) = np.frombuffer(_library.ffi.buffer(decision), _decisions.DECISION)
    assert [decided[name] for name in ("t_ns", "previous_height", "reason", "locked")] == [1, 2.5, 3, 1]


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


def test_memory_that_grows_has_what_was_asked_for_last():
    memory = _whole.Memory()
    for size in [1, 100, 125, 126, 157, 158, 5, *range(1000, 3000, 7)]:
        address = memory.reserve(size)
        assert len(memory.array(address, np.dtype(np.uint8), size)) == size
        assert int(_library.ffi.cast("uintptr_t", address)) % 64 == 0
