"""What follows from a log in changed copies, from pairs of options and of what is shown: a number of each is kept in
Tests/Cases/python/aftermath.txt. They are figures of this implementation; with AFTERMATH=write they are written anew,
with AFTERMATH=print the texts that they are made of are printed."""

from __future__ import annotations

import datetime
import os
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from conftest import ROOT
from settle import Policy, _command as settle_command
from settle.fleet import _command as fleet_command

NUMBERS = ROOT / "Tests/Cases/python/aftermath.txt"
WISH = os.environ.get("AFTERMATH")
LOG = (ROOT / "Tests/Cases/command/aftermath/rich.jsonl").read_bytes()
POLICIES = [Policy(), Policy.live(), Policy.prepared(), Policy(quiet_delay_ns=90_000_000), Policy(jump_delay_ns=None)]


def check(title, texts):
    """Compares the number of these texts with that of the title."""
    text = "\n".join(texts)
    line = f"{zlib.crc32(text.encode(errors='surrogateescape')):08x} {title}"
    known = NUMBERS.read_text().splitlines() if NUMBERS.exists() else []
    if WISH == "print":
        print(f"{line}\n{text}")
    if WISH == "write":
        others = [own for own in known if own.partition(" ")[2] != title]
        NUMBERS.write_text("\n".join(sorted([*others, line], key=lambda own: own.partition(" ")[2])) + "\n")
    elif WISH is None:
        assert line in known, "what this gives is not as before; see Tests/Cases/README.md"


def said(call, *given, **named):
    """What a call gives, or the error that it raises."""
    try:
        return str(call(*given, **named))
    except (settle.Error, ValueError, TypeError, OSError) as error:
        return f"{type(error).__name__}: {error}"


def text_of(log):
    return f"{log.names} {log.header} {log.events.tolist()}"


def changed(content):
    """Copies of a log, each with one change."""
    lines = content.splitlines(keepends=True)
    for place in range(len(lines)):
        rest = lines[:place] + lines[place + 1:]
        yield b"".join(rest)
        yield b"".join(lines[:place] + [lines[place]] + lines[place:])
        yield b"".join(lines[:place]) + lines[place][: len(lines[place]) // 2]
    for place in range(3, len(content), 41):
        yield content[:place] + bytes([content[place] ^ 1]) + content[place + 1:]
        yield content[:place] + content[place + 1:]
    words = ((b"editor", b"\\u0065ditor"), (b"1,", b"1.5,"), (b"0,", b"-1,"), (b"true", b"null"), (b"px", b"cell"))
    for old, new in words:
        yield content.replace(old, new)


@pytest.mark.parametrize("salvage", [False, True])
def test_reading(salvage):
    binary = settle.to_bytes(settle.read(LOG))
    copies = [*changed(LOG), *(binary[:place] for place in range(0, len(binary), 61))]
    copies += [binary[:place] + b"\xff" + binary[place + 1:] for place in range(0, len(binary), 23)]
    found = [said(lambda own: text_of(settle.read(own, salvage=salvage)), own) for own in copies]
    check(f"reading{' what is whole' * salvage}", found)


def test_writing(tmp_path):
    log = settle.read(LOG)
    backwards = settle.Log.from_events(log.events[::-1], log.names, {"name": "é\n", "unit": "pt"})
    found = []
    for own in (log, backwards):
        for name in ("a.jsonl", "a.settle"):
            settle.write(own, tmp_path / name)
            found.append((tmp_path / name).read_bytes().hex())
            found.append(said(settle.write, own, tmp_path / name).replace(str(tmp_path), ""))
            (tmp_path / name).unlink()
        found.append(str(own.to_arrow().to_pylist()))
        found.append(said(lambda table: text_of(settle.Log.from_arrow(table)), own.to_arrow()))
    check("writing", found)


def test_showing():
    log = settle.read(LOG)
    found = [log._repr_html_(), *(own._repr_html_() + str(own.to_json()) for own in POLICIES)]
    for cost in (None, "8ms", "2ms+3ns/px", "log"):
        counts = settle.sweep([LOG, LOG], POLICIES, build_cost=cost) if cost != "log" else settle.sweep([LOG], POLICIES)
        found.append(str(counts.tolist()))
        for today in range(3):
            results = settle.Results(POLICIES, counts, today)
            found.append(f"{results.front} {results.knee} {results._repr_html_().partition('<img')[0]}")
        for figure in (settle.rebuilds, settle.right_after, settle.at_once, settle.busiest):
            found.append(str(figure(counts).tolist()))
        found += [str(settle.lag_quantile(counts, permille).tolist()) for permille in (1, 500, 950, 1000)]
        found.append(said(settle.habits, [LOG], build_cost=cost))
    found += [settle.decisions_json(log, own) for own in POLICIES]
    found.append(settle.sums(log, POLICIES).hex())
    check("showing", found)


def run(main, arguments, capsys):
    """What a command prints, and its status."""
    try:
        status = main(arguments)
    except SystemExit as exit:
        status = exit.code
    printed = capsys.readouterr()
    return f"$ {' '.join(arguments)}\n{printed.out}{printed.err}? {status}\n"


def tables(folder):
    """What is in a folder of tables; it is removed."""
    found = ""
    for path in sorted(folder.rglob("*.parquet")) if folder.is_dir() else [folder] if folder.exists() else []:
        found += f"{path.relative_to(folder.parent)}: {pq.read_table(path).to_pylist()}\n"
    for path in sorted([*folder.rglob("*"), folder] if folder.exists() else [], reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return found


FLEET = [
    "", "--cohort platform", "--cohort platform,day", "--salvage", "--cohort-minimum 3", "--damaged-names",
    "--max-damaged 50%", "--p95-lag 40ms", "--json -", "--policy live", "--memory 1", "--cohort nothing",
    "--policies many.json",
]


@pytest.mark.parametrize("option", FLEET)
def test_fleets(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    binary = settle.to_bytes(settle.read(LOG))
    short = settle.to_bytes(settle.Log.from_events(settle.read(LOG).events[:40], ["a", "b", "c"]))
    logs = [binary, binary[:-200], b"", None, short] * 3
    columns = {
        "session": [f"s{number}" for number in range(len(logs))],
        "log": pa.array(logs, pa.binary()),
        "platform": [("x11", None, "wayland", "x11", "a,b")[number % 5] for number in range(len(logs))],
        "day": [datetime.date(2026, 11, 1 + number % 2) for number in range(len(logs))],
    }
    pq.write_table(pa.table(columns), "in.parquet")
    (tmp_path / "few.json").write_text('{"quietDelay": "90ms"} {"liveShare": "20%"} {}')
    (tmp_path / "many.json").write_text(" ".join(f'{{"quietDelay": "{number}ms"}}' for number in range(40)))
    found = []
    for other in FLEET[FLEET.index(option) + 1:] + [""]:
        words = f"{option} {other}".split()
        policies = [] if "--policies" in words else ["--policies", "few.json"]
        found.append(run(fleet_command.main, [*words, *policies, "--jobs", "1", "in.parquet", "out"], capsys))
        found.append(tables(tmp_path / "out"))
    check(f"settle-fleet {option}".strip(), found)


PACK = [
    "", "--cohorts c.csv", "--cohorts p.csv", "--path-pattern {platform}/**", "--session-from name",
    "--session-from stem", "--strict", "--partial",
]


@pytest.mark.parametrize("option", PACK)
def test_packs(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    binary = settle.to_bytes(settle.read(LOG))
    for name, content in (
        ("x/a.settle", binary), ("x/b.settle", binary[:-90]), ("y/a.settle", binary), ("z/notes", b"hello"),
        ("y/.hidden", binary), ("empty", b""),
    ):
        (tmp_path / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "logs" / name).write_bytes(content)
    (tmp_path / "c.csv").write_text("session,os\nx/a.settle,p\nx/a,q\na.settle,r\ngone,p\n")
    (tmp_path / "p.csv").write_text("path,os,day\ny/a.settle,p,1\nx/b.settle,,2\n")
    found = []
    for other in PACK[PACK.index(option) + 1:] + [""]:
        words = f"pack {option} {other} --jobs 1 logs out.parquet".split()
        found.append(run(settle_command.main, words, capsys))
        found.append(tables(tmp_path / "out.parquet"))
    check(f"pack {option}".strip(), found)


def test_each_number_has_a_title():
    titles = {line.partition(" ")[2] for line in NUMBERS.read_text().splitlines()}
    own = {"reading", "reading what is whole", "writing", "showing"}
    own |= {f"settle-fleet {option}".strip() for option in FLEET} | {f"pack {option}".strip() for option in PACK}
    assert WISH or titles == own
