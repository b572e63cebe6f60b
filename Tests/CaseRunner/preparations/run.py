"""Runs the cases of Tests/Cases/preparations by a program that plays drawings: run.py WAY COMMAND...
A line of its input has the rows that happen; it answers with the rows that are decided and the reports, with bars between. Prints what
is not as drawn; status 1 then. Runs `without` the way are left out."""
import pathlib
import re
import subprocess
import sys

CASES = pathlib.Path(__file__).parents[2] / "Cases/preparations"
HAPPEN, DECIDED = ("button", "size", "call", "end"), ("begin", "cancel", "show", "drop")


def runs(way):
    """The name, and what there is of each row of a run."""
    for file in sorted(CASES.glob("*.cases")):
        text = re.sub("^#.*\n", "", file.read_text(), flags=re.M).strip()
        for case in re.split("\n\n+", text):
            name, *lines = case.split("\n")
            for run in "\n".join(lines).split("\n-\n"):
                rows = dict(re.fullmatch(r"(\S+) +(.*)", line).groups() for line in run.split("\n"))
                assert rows.keys() <= {*HAPPEN, *DECIDED, "=", "without"} and rows.keys() & set(DECIDED), f"{name}: {rows}"
                blank = "." * len(rows["size"])
                drawn = {row: rows.get(row, blank) for row in HAPPEN + DECIDED}
                assert {len(cells) for cells in drawn.values()} == {len(blank)}, f"{name}: rows of several lengths"
                # A page sees a size before a press of the same time.
                assert all("." in pair for pair in zip(drawn["button"], drawn["size"])), f"{name}: a button and a size in one column"
                if way not in rows.get("without", ""):
                    yield name, drawn, rows.get("=", "")


def main(way, *command):
    chosen = list(runs(way))
    asked = "".join(" ".join(drawn[row] for row in HAPPEN) + "\n" for _, drawn, _ in chosen)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=60)
    answers, problems = done.stdout.splitlines(), [done.stderr] if done.returncode or len(done.stdout.splitlines()) != len(chosen) else []
    for (name, drawn, reports), answer in zip(chosen, answers):
        expected = [drawn[row] for row in DECIDED] + [reports]
        problems += [f"{name}: {row} {seen} and not {cells}" for row, seen, cells in zip((*DECIDED, "="), answer.split("|"), expected) if seen != cells]
    print("\n".join(problems) or f"{len(chosen)} runs of preparations")
    return 1 if problems or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
