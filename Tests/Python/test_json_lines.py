"""Text logs against the settle command: the same lines are faulty, and the others are the same events. What the
library's reader makes of a line is in Tests/Cases/lines; here is how lines reach it."""

import random
import re

import pytest
from cases import pairs

import settle
from settle._library import lib
from settle._names import NameTable

HEADER = b'{"settle":"events","version":1}\n'
EVENT = b'{"t_ns":1,"scene":"a"}\n'
CASES = [(line, sign, answer) for line, sign, answer in pairs("lines") if line[:7] != "header " and line.strip()]


def test_cases():
    for line, sign, answer in CASES:
        if sign == "!":
            with pytest.raises(settle.LogError) as caught:
                settle.read(HEADER + line.encode())
            assert str(caught.value) == f"line 2: {answer}"
        else:
            log = settle.read(HEADER + line.encode())
            assert answer.startswith(f"@{log.events['t_ns'][0]}ns ")
            assert all(f'"{name}"' in answer for name in log.names if "\\" not in answer)
    for line, sign, answer in pairs("lines"):
        if line[:7] == "header " and sign == "!":
            with pytest.raises(settle.LogError, match=re.escape(answer)):
                settle.read(line[7:].encode(), format="jsonl")


def test_a_log_may_begin_with_an_empty_line():
    assert len(settle.read(b"\n" + HEADER + EVENT, format="jsonl").events) == 1


def test_lines_are_read_and_written_as_settle_does(settle_command, tmp_path):
    names = [f'{{"t_ns":9,"scene":"{name}"}}' for name in ("n" * 1024, "é" * 513)]
    more = ["# a comment", "", " \t\r", *names]
    sound, faulty = ([line for line, sign, _ in CASES if (sign == "!") == is_faulty] for is_faulty in (False, True))
    lines = [line.encode() for line in random.Random(1).choices([*sound * 3, *faulty, *more], k=1_000)]
    lines += [b'"\xff"', b"", b""]
    path = tmp_path / "lines.jsonl"
    path.write_bytes(HEADER + b"\n".join(lines))
    listed = settle_command("validate", "--all", path, status=1)
    of_engine = re.compile("the engine rejects|goes back|earlier|cannot have")
    found = (re.match(r"[^:]*: line (\d+): (.*)", line) for line in listed.splitlines())
    faults = {int(line[1]) - 2 for line in found if line and not of_engine.search(line[2])}
    assert len(faults) > 100
    for number, line in enumerate(lines):
        if number in faults:
            with pytest.raises(settle.LogError) as caught:
                settle.read(HEADER + line + b"\n")
            assert caught.value.line == 2
    salvaged = settle.read(path, salvage=True)
    assert salvaged.problem.startswith(f"line {min(faults) + 2}: ") and salvaged.complete is False
    counted = settle.sweep([path], [settle.Policy()], salvage=True)
    path.write_bytes(HEADER + b"\n".join(line for number, line in enumerate(lines) if number not in faults) + b"\n")
    log = settle.read(path)
    assert (settle.sweep([path], [settle.Policy()]) == counted).all()
    converted = settle.read(settle_command.convert(path, tmp_path / "lines.settle"))
    for other in (salvaged, converted):
        assert other.events.tobytes() == log.events.tobytes() and other.names == log.names
    assert settle.to_bytes(log) == (tmp_path / "lines.settle").read_bytes()
    settle.write(log, tmp_path / "written.jsonl")
    settle_command.convert(path, tmp_path / "converted.jsonl")
    assert (tmp_path / "written.jsonl").read_bytes() == (tmp_path / "converted.jsonl").read_bytes()


def test_doubles_are_written_as_settle_writes_them(settle_command, tmp_path):
    generator = random.Random(4)
    values = [2.0**power for power in range(-80, 80)] + [10.0**power for power in range(-320, 309)]
    values += [generator.random() * 10 ** generator.uniform(-10, 20) for _ in range(3_000)]
    values += [float(generator.randrange(2**52, 2**56)) for _ in range(2_000)]
    values += [-0.0, 0.0, 1e15 - 0.5, -1e15, 2**53 + 2.0]
    lines = [f'{{"t_ns":1,"scene":"a","width":{value!r},"height":{-value!r}}}' for value in values]
    path = tmp_path / "doubles.jsonl"
    path.write_bytes(HEADER + "\n".join(lines).encode())
    settle_command.convert(path, tmp_path / "converted.jsonl")
    settle.write(settle.read(path), tmp_path / "written.jsonl")
    assert (tmp_path / "written.jsonl").read_text() == (tmp_path / "converted.jsonl").read_text()


@pytest.mark.parametrize("header", [
    HEADER[:-2], HEADER[:-2] + b',"policy":{"quietDelay":"400000h"}}',
    HEADER[:-2] + b',"name":"' + b"n" * 65_536 + b'"}',
])
def test_wrong_headers(settle_command, tmp_path, header):
    path = tmp_path / "header.jsonl"
    path.write_bytes(header + b"\n")
    settle_command("convert", path, tmp_path / "out.settle", status=1)
    with pytest.raises(settle.LogError):
        settle.read(path)


@pytest.mark.parametrize("content", [
    b"\xef\xbb\xbf" + HEADER, b"# a comment\n\n   \n" + HEADER + b"#x\n\n \t\r\n", HEADER.replace(b"\n", b"\r\n"),
    HEADER[:-1], b'{"settle":"x","settle":"events","version":2,"version":1,"unit":"pt","z":[{"a":null}]}\n',
    b'{"version":1,"clock":"\\"\\\\\\n\\u0001\xc3\xa9\\/","settle":"events","policy":{"jumpDelay":"none","lockDelay":"0.1s"}}',
    HEADER + EVENT[:-1], HEADER + b'{"t_ns":1,"scene":"a","x":"' + b"n" * ((1 << 20) - 29) + b'"}\n',
])
def test_headers_and_endings(settle_command, tmp_path, content):
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    binary = settle_command.convert(path, tmp_path / "log.settle")
    log = settle.read(path)
    assert settle.to_bytes(log) == binary.read_bytes()
    assert log.header == settle.read(binary).header


@pytest.mark.parametrize(("lines", "fault", "problem"), [
    ([HEADER, b"# one\n", b"\n", b"\t \r\n", b"# two\n"], b'{"t_ns":3}', '"scene" is missing'),
    ([b"# before\n", b"\n", HEADER, EVENT, b"#\n", EVENT], b'{"t_ns":3}', '"scene" is missing'),
    ([HEADER, b'{"t_ns":1,"scene":"\\u0061"}\n', b"# a\r\n", *[EVENT] * 3, b" \n"], b"{}", '"t_ns" is missing'),
    ([HEADER], b"#" * ((1 << 20) + 1), "the line is longer than 1048576 bytes"),
])
def test_lines_are_counted_with_comments_and_empty_ones(settle_command, tmp_path, lines, fault, problem):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines) + fault + b"\n" + EVENT)
    number = len(lines) + 1
    with pytest.raises(settle.LogError, match=f"line {number}: {problem}") as caught:
        settle.read(path)
    assert caught.value.line == number
    salvaged = settle.read(path, salvage=True)
    assert salvaged.problem == f"line {number}: {problem}" and salvaged.events["t_ns"][-1] == 1
    assert f"line {number}: " in settle_command("validate", path, status=1)


def test_many_names():
    lines = [f'{{"t_ns":{index},"scene":"scene {index % 5000}"}}\n' for index in range(20_000)]
    log = settle.read(HEADER + "".join(lines).encode())
    assert log.names == [f"scene {index}" for index in range(5_000)]
    assert (log.events["scene"] == log.events["t_ns"] % 5_000).all()
    assert settle.read(settle.to_bytes(log)).names == log.names


def test_names_are_found_in_few_steps_by_a_seed_of_each_table():
    tables = [NameTable(), NameTable()]
    for table in tables:
        names = [f"{number:016}" for number in range(1_000)]
        assert [table.number(name, name.encode()) for name in names] == list(range(1_000))
        steps = 0
        for number, name in enumerate(names):
            slot = lib.settle_log_name_hash(table.table, name.encode(), len(name))
            while table.table.slots[slot & table.table.slots_mask] != number + 1:
                slot += 1
                steps += 1
        assert steps < 2_000
    assert len({seed for table in tables for seed in table.table.seed}) == 4
