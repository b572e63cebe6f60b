"""A window whose builds take 200 ms, dragged in four ways by turns."""
import pytest
from drag import WAYS, compiled, figures, generated, problem_of, run
from results import note, planted, verify


@pytest.fixture(scope="module")
def drags():
    return generated(6)


def test_races(folder, drags):
    """The thread sanitizer finds no race: it ends a program with a status of its own."""
    run(folder / "races", compiled(folder, "sanitized", ("-O1", "-g", "-fsanitize=thread")), "x11", 50, ["prepared"], drags[:2])


def test_ways(folder, drags):
    said = run(folder / "check", compiled(folder), "x11", 200, WAYS, drags)
    for way, rows in said.items():
        found = figures(rows)
        note(f"{way}: right after {found['mean']:.0f} ms (the closed loop says {found['predicted']:.0f}), {found['builds']:.1f} builds a drag")
    verify(f"{len(drags)} drags in four ways, builds of 200 ms: each last size is shown, as soon as the closed loop says, and prepared no later than by a debounce",
           problem_of(said))
    planted("work at the end alone that is said to be prepared", problem_of({**said, "prepared": said["end"]}))
    planted("a last size that is never shown", problem_of({**said, "end": [{**row, "right": False} for row in said["end"]]}))
    planted("a picture of another size", problem_of({**said, "prepared": [{**row, "wrong": 1} for row in said["prepared"]]}))
    planted("a picture that comes late", problem_of({**said, "prepared": [{**row, "right_after_ms": row["right_after_ms"] + 100} for row in said["prepared"]]}))
    planted("a build too many", problem_of({**said, "end": [{**row, "builds": 2} for row in said["end"]]}))
