"""The module's files: their size, what is prepared and decided in node, and their types."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from pages import MODULE, ROOT, faults, planted_sources
from results import note, report, verify

HERE = pathlib.Path(__file__).resolve().parent
# The most bytes of a module, compressed; a page waits for the last alone.
BYTES_MAX = {"settle.js": 11_050, "settle.global.js": 11_050, "settle.lazy.js": 4_000}
TSC = "tsc --noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext --lib es2022,dom".split()


def node(script, *words):
    """Why a script in node fails, and the last line that it prints."""
    done = subprocess.run(["node", "--no-warnings", HERE / script, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    return (None, said.splitlines()[-1]) if done.returncode == 0 else (said[-1000:], "")


def problem_of_cases(module):
    """What a module does otherwise than Tests/Cases/preparations draw it."""
    cases = ROOT / "Tests/CaseRunner/preparations"
    done = subprocess.run([sys.executable, cases / "run.py", "browser", "node", "--no-warnings", cases / "page.mjs", module], capture_output=True, text=True)
    return done.stdout if done.returncode else None


@pytest.mark.parametrize("name, most", BYTES_MAX.items())
def test_size(name, most):
    size = len(gzip.compress((MODULE / name).read_bytes(), 9, mtime=0))
    report(f"{name} has at most {most} bytes, compressed", size <= most, size)
    assert size > most // 2, "a module that is too large would not be found"


def test_prepared():
    """What is prepared, on a clock that is made: of the module, and of its sources."""
    for module, drags in (("settle.js", 5000), ("sources/settle.mjs", 500)):
        verify(f"what {module} prepares", *node("preparations.mjs", MODULE / module, drags))
        verify(f"the cases of preparations by {module}", problem_of_cases(MODULE / module))


@pytest.mark.parametrize("fault, sentence", [(fault, sentence) for fault, check, sentence in faults() if check == "preparations"])
def test_planted(folder, fault, sentence):
    module = planted_sources(folder, fault) / "settle.mjs"
    problem = problem_of_cases(module) or node("preparations.mjs", module, 0)[0]
    report(f"planted: {sentence} is found", problem is not None)


def test_feedback():
    """Builds that change their own element's size are warned of, and drags are not."""
    verify("feedback", *node("feedback.mjs", MODULE / "settle.js"))


def test_decisions(folder):
    """Recordings and cases are decided as natively; another decision of a case is found."""
    logs = pathlib.Path(os.environ["LOGS"])
    problem, figure = node("recordings.mjs", MODULE / "settle.js", ROOT / "Tests/Recordings", logs)
    assert problem is None, problem
    note(figure)
    changed = next(path for path in sorted(logs.glob("*.decisions.jsonl")) if '"reason":"discrete"' in path.read_text())
    for path in (changed, changed.with_name(changed.name.replace(".decisions", ""))):
        shutil.copy(path, folder)
    (folder / changed.name).write_text(changed.read_text().replace('"reason":"discrete"', '"reason":"quiet"'))
    assert node("recordings.mjs", MODULE / "settle.js", folder)[0], "another decision of a case passes"


def test_without_swift(folder, monkeypatch):
    """Debian's clang and lld build a module that decides as natively."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert not shutil.which("swiftc"), "Swift is among Debian's programs"
    subprocess.run([ROOT / "scripts/build-browser", folder], check=True, capture_output=True)
    problem, _ = node("recordings.mjs", folder / "settle.js", ROOT / "Tests/Recordings")
    assert problem is None, problem


def test_types(folder):
    """The declarations type a program that should compile, with its lines that must not, and a page's script."""
    shutil.copytree(MODULE, folder / "node_modules/settle-browser")
    program = (HERE / "types.mts").read_text()
    (folder / "program.mts").write_text(program)
    (folder / "global.ts").write_text((HERE / "global_types.ts").read_text())
    (folder / "planted.mts").write_text(program.replace('"40%" }', '"40%", quietDealy: 1 }'))
    compiled = {name: subprocess.run([*TSC, name], cwd=folder, capture_output=True, text=True) for name in ("program.mts", "global.ts", "planted.mts")}
    for name, what in (("program.mts", "settle.d.ts types a program"), ("global.ts", "settle.global.d.ts types a page's script")):
        verify(what, compiled[name].stdout if compiled[name].returncode else None)
    assert compiled["planted.mts"].returncode, "settle.d.ts takes a field that no policy has"


def test_guide():
    """The guide's program of the core alone."""
    program = re.search(r"```js\n(import \{ createCore \}.*?)```", (ROOT / "docs/guide/browser.md").read_text(), re.S)[1]
    (MODULE / "guide.mjs").write_text(program)
    done = subprocess.run(["node", MODULE / "guide.mjs"], capture_output=True, text=True)
    assert done.stdout == "800 600\n640 600\n", done.stdout + done.stderr
