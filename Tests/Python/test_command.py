"""`python -m settle` and the guide's example."""

import os
import re
import subprocess
import sys

from conftest import RECORDINGS, ROOT

import settle


def run(*arguments: object, text: bytes = b"", **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "settle", *map(str, arguments)], capture_output=True, input=text,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_version_and_help():
    assert run("--version") == (0, f"settle {settle.__version__}\n", "")
    status, text, _ = run("--help")
    assert status == 0 and "decisions" in text
    assert run("decisions", "--help")[0] == 0


def test_decisions():
    path = RECORDINGS[3]
    expected = path.with_name(f"{path.stem}.decisions.jsonl").read_text()
    assert run("decisions", path) == (0, expected, "")
    assert run("decisions", "-", text=path.read_bytes()) == (0, expected, "")


def test_exit_statuses_and_one_line(tmp_path):
    damaged = tmp_path / "damaged\x1b[31m.settle"
    damaged.write_bytes(settle.to_bytes(settle.read(RECORDINGS[3]))[:-1])
    policy = tmp_path / "policy.json"
    policy.write_text('{"x":"1s"}')
    for arguments, status, said in [
        ([], 2, "required: COMMAND"), (["none"], 2, "invalid choice"), (["decisions"], 2, "required: log"),
        (["decisions", tmp_path / "none"], 3, "No such file or directory"),
        (["decisions", tmp_path], 3, "Is a directory"),
        (["decisions", damaged], 1, "\\u001b[31m.settle: byte"), (["decisions", damaged, "--salvage"], 1, "byte"),
        (["decisions", RECORDINGS[0], "--policy", policy], 1, "policy.json: x is no duration of a policy"),
    ]:
        found = run(*arguments)
        assert found[0] == status and said in found[2], found
        assert found[2].count("\n") == (2 if status == 2 else 1) and "Traceback" not in found[2]


def test_the_examples_of_the_guide_run():
    guide = (ROOT / "docs/guide/python.md").read_text()
    examples = re.findall(r"```python\n(.*?)```\n+(?:It prints:\n+```\n(.*?)```)?", guide, re.DOTALL)
    assert len(examples) == 2
    for source, printed in examples:
        done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=ROOT)
        assert (done.returncode, done.stdout) == (0, printed), done.stderr


def test_the_guide_lists_every_name():
    guide = (ROOT / "docs/guide/python.md").read_text()
    assert [name for name in settle.__all__ if f"`{name}" not in guide and name != "__version__"] == []
