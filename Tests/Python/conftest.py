"""What the tests share. The environment variable SETTLE names the settle command that they compare with, and
SETTLE_TESTS_WITHOUT packages that must seem to be missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Tests that start in the background, as by nohup, ignore these, and so would the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

ROOT = Path(__file__).parents[2]
RECORDINGS = sorted(
    path for path in (ROOT / "Tests/Recordings").glob("*.jsonl") if not path.name.endswith(".decisions.jsonl")
)
WITHOUT = [name for name in os.environ.get("SETTLE_TESTS_WITHOUT", "").split(",") if name]


class _Missing:
    """Finds no package of those that must seem to be missing."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in WITHOUT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, _Missing())


class Settle:
    """The settle command."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *arguments: object, status: int = 0, text: bytes = b"") -> str:
        run = subprocess.run([self.path, *map(str, arguments)], capture_output=True, input=text)
        assert run.returncode == status, run.stderr.decode()
        return run.stdout.decode()

    def convert(self, log: Path, out: Path) -> Path:
        self("convert", log, out, "--force")
        return out


@pytest.fixture(scope="session")
def settle_command() -> Settle:
    path = Path(os.environ.get("SETTLE") or ROOT / ".build/debug/settle")
    assert path.exists(), f"there is no {path}; build it, by: swift build --product settle"
    return Settle(path)


@pytest.fixture(scope="session")
def case_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases of Tests/Cases/rules and counts that a log can have, with what is decided or counted."""
    folder = tmp_path_factory.mktemp("cases")
    subprocess.run([ROOT / "scripts/checks/cases", "--logs", folder], check=True)
    return folder


@pytest.fixture(scope="session")
def case_logs(case_folder: Path) -> list[Path]:
    """The cases of Tests/Cases/rules that a log can have."""
    return [path for path in sorted(case_folder.glob("*.jsonl")) if not path.name.endswith(".decisions.jsonl")]


@pytest.fixture(scope="session")
def binary_logs(settle_command: Settle, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The recordings in the binary encoding, as settle convert writes them."""
    folder = tmp_path_factory.mktemp("binary")
    return [settle_command.convert(path, folder / f"{path.stem}.settle") for path in RECORDINGS]


@pytest.fixture
def logs(tmp_path, monkeypatch) -> Path:
    """A folder for logs that are packed, beside a command that stands in for settle."""
    from packing import BINARY, COMMAND, write

    monkeypatch.setenv("BINARY", str(write(tmp_path / "binary", BINARY)))
    write(tmp_path / "command", COMMAND).chmod(0o755)
    monkeypatch.setenv("SETTLE_COMMAND", str(tmp_path / "command"))
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


needs_arrow = pytest.mark.skipif("pyarrow" in WITHOUT, reason="pyarrow is missing")
