"""How the package `settle.fleet` is imported."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from settle import fleet


def imports(path):
    """The package's modules that a module imports, wherever in its text."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {node.module or "__init__" for node in nodes if node.level == 1}


def test_no_modules_are_in_a_circle_of_imports():
    found = {path.stem: imports(path) for path in Path(fleet.__file__).parent.glob("*.py")}
    assert found["_output"] and "_output" in found["_merge"]
    # Raises if there is a circle.
    TopologicalSorter(found).prepare()


def test_every_name_is_there():
    assert all(getattr(fleet, name) is not None for name in fleet.__all__)
    with pytest.raises(AttributeError, match="module 'settle.fleet' has no attribute 'Flet'"):
        _ = fleet.Flet


@pytest.mark.parametrize("program, status, said", [
    ("fleet import main; sys.exit(main(['--help']))", 0, ""),
    ("fleet import main; sys.exit(main(['a', 'b', '--jobs', '0']))", 2, "settle-fleet: "),
    ("fleet import main; sys.exit(main(['a', 'b']))", 3, "settle-fleet: the package pyarrow cannot be used"),
    ("fleet import Fleet", 1, "ImportError: settle.fleet needs pyarrow; install it by: pip install pyarrow"),
])
def test_without_pyarrow_the_command_explains_itself(program, status, said):
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules['pyarrow'] = None; from settle.{program}"],
        capture_output=True, text=True,
    )
    assert run.returncode == status and said in run.stderr, run.stderr
