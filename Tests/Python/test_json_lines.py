"""Text logs against the settle command: the same lines are faulty, and the others are the same events."""

import random
import re
from pathlib import Path

import pytest

import settle
from settle._library import lib
from settle._names import NameTable

HEADER = b'{"settle":"events","version":1}\n'
LINES = [
    '{"t_ns":1,"scene":"a","width":400,"height":300,"resizing":true}',
    '{"t_ns":2,"scene":"b","width":400.5,"height":300.25,"locked":false,"orientation":"portrait"}',
    '{"t_ns":3,"kind":"pointer","button":1,"pressed":true}', '{"t_ns":4,"kind":"connect","scene":"c"}',
    '{"t_ns":5,"kind":"disconnect","scene":"a"}',
    '{"t_ns":6,"scene":"é\\u00e9\\ud83d\\ude00\\n","width":1e3,"height":-0,"x":[1,{"y":null}]}',
    '{"t_ns":7,"scene":"a","locked":true,"other":"\\u0041","resizing":false,"orientation":"landscapeLeft"}',
]
NUMBERS = [
    "0", "1", "-0", "-1", "1.5", "1e3", "1E+2", "0.1", "1e999", "-1e999", "5e-324", "1e22", "1e23", "9007199254740993",
    "9007199254740994", "1e15", "999999999999999.9", "123456789012345680", "0.00001", "0.0001",
    "1.7976931348623157e308",
    "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551616", "01", "1.", ".5",
    "0.1234567890123456789", "+1", "--1", "1e", "NaN", "Infinity",
]
TEXTS = [
    '"a"', '""', '"é"', '"geometry"', '"pointer"', '"connect"', '"disconnect"', '"portrait"', '"landscapeRight"',
    '"\\u0061"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00"', '"\\u12"', '"\\u00G0"', '"\\x"', '"\x7f"', '"\x01"',
    '"' + "n" * 1024 + '"', '"' + "é" * 513 + '"', "true", "false", "null",
]
NESTED = [
    "[" * 63 + "]" * 63, "[" * 64 + "]" * 64, "[" * 64 + "1" + "]" * 64, "[" * 65 + "]" * 65, "[" * 9999,
    '{"a":' * 63 + "1" + "}" * 63, '{"a":' * 64 + "1" + "}" * 64, '[1,"\\ud800"]', '{"a":1,"a":2}', "[1,]", "{}", "[]",
]
NUMBER_KEYS = ["t_ns", "width", "height", "button", "\\u0074_ns", "x"]
TEXT_KEYS = ["scene", "kind", "orientation", "pressed", "resizing", "locked", "x", "T_NS", ""]
PIECES = [*'"\\{}[],: \t\r-.e09#\ufeff\0', "true"]


def member(generator: random.Random) -> str:
    """A member, whose value mostly fits its key."""
    choice = generator.random()
    if choice < 0.1:
        return f'"x":{generator.choice(NESTED)}'
    keys, values = (NUMBER_KEYS, NUMBERS) if choice < 0.5 else (TEXT_KEYS, TEXTS)
    if generator.random() < 0.03:
        values = NUMBERS + TEXTS
    return f'"{generator.choice(keys)}":{generator.choice(["", " "])}{generator.choice(values)}'


def mutated(generator: random.Random) -> bytes:
    """A line with members added and replaced, or characters replaced, and now and then a byte that is no UTF-8."""
    line = generator.choice(LINES)
    if generator.random() < 0.75:
        for _ in range(generator.choice([1, 1, 2])):
            parts = line[1:-1].split(",")
            at = generator.randrange(len(parts) + 1)
            parts[at : at + generator.choice([0, 1])] = [member(generator)]
            line = "{" + ",".join(parts) + "}"
    else:
        at = generator.randrange(len(line) + 1)
        line = line[:at] + generator.choice([*PIECES, ""]) + line[at + generator.choice([0, 1, 1, 4]) :]
    raw = line.encode()
    if generator.random() < 0.02:
        at = generator.randrange(len(raw) + 1)
        raw = raw[:at] + bytes([generator.randrange(0x80, 0x100)]) + raw[at:]
    return raw.replace(b"\n", b"")


def faults_by_settle(settle_command, path: Path) -> set[int]:
    """The indices of the lines behind the header that settle cannot read."""
    listed = settle_command("validate", "--all", path, status=1)
    of_engine = re.compile("the engine rejects|goes back|earlier|cannot have")
    found = (re.match(r"[^:]*: line (\d+): (.*)", line) for line in listed.splitlines())
    return {int(line[1]) - 2 for line in found if line and not of_engine.search(line[2])}


def faults_of_package(lines: list[bytes]) -> set[int]:
    faults = set()
    for index, line in enumerate(lines):
        try:
            settle.read(HEADER + line + b"\n")
        except settle.LogError as error:
            assert error.line == 2
            faults.add(index)
    return faults


@pytest.mark.parametrize("seed", range(3))
def test_mutated_lines(settle_command, tmp_path, seed):
    generator = random.Random(seed)
    lines = [mutated(generator) for _ in range(3_000)]
    path = tmp_path / "mutated.jsonl"
    path.write_bytes(HEADER + b"\n".join(lines) + b"\n")
    faults = faults_by_settle(settle_command, path)
    assert faults_of_package(lines) == faults
    assert 300 < len(faults) < 2_700

    salvaged = settle.read(path, salvage=True)
    assert salvaged.problem.startswith(f"line {min(faults) + 2}: ") and salvaged.complete is False
    path.write_bytes(HEADER + b"\n".join(line for index, line in enumerate(lines) if index not in faults) + b"\n")
    log = settle.read(path)
    converted = settle.read(settle_command.convert(path, tmp_path / "mutated.settle"))
    for other in (salvaged, converted):
        assert other.events.tobytes() == log.events.tobytes() and other.names == log.names
    assert settle.to_bytes(log) == (tmp_path / "mutated.settle").read_bytes()
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


@pytest.mark.parametrize(
    "header",
    [
        b"{}", b"[]", b'{"settle":"events"}', b'{"settle":"events","version":2}', b'{"settle":"events","version":1.0}',
        b'{"settle":"decisions","version":1}', b'{"settle":"events","version":1} x', b'{"settle":"events","version":1',
        b'{"settle":"events","version":1,"clock":5}', b'{"settle":"events","version":1,"name":"\\ud800"}',
        b'{"settle":"events","version":1,"policy":{"quietDelay":"9h"}}',
        b'{"settle":"events","version":1,"policy":{"lockDelay":"1s","lockDelay":"1s"}}',
        b'{"settle":"events","version":1,"policy":5}', b'{"settle":"events","version":99999999999999999999}',
        b'{"settle":"events","version":1,"name":"' + b"n" * 65_536 + b'"}',
        b'{"settle":"events","version":1,"x":' + b"[" * 65 + b"]" * 65 + b"}",
    ],
)
def test_wrong_headers(settle_command, tmp_path, header):
    path = tmp_path / "header.jsonl"
    path.write_bytes(header + b"\n")
    settle_command("convert", path, tmp_path / "out.settle", status=1)
    with pytest.raises(settle.LogError):
        settle.read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + HEADER, b"# a comment\n\n   \n" + HEADER + b"#x\n\n \t\r\n", HEADER.replace(b"\n", b"\r\n"),
        HEADER[:-1], b'{"settle":"x","settle":"events","version":2,"version":1,"unit":"pt","z":[{"a":null}]}\n',
        b'{"version":1,"clock":"\\"\\\\\\n\\u0001\xc3\xa9\\/","settle":"events","policy":{"jumpDelay":"none","lockDelay":"0.1s"}}',
        HEADER + b'{"t_ns":1,"scene":"' + b"n" * 1024 + b'"}',
        HEADER + b'{"t_ns":1,"scene":"a","x":"' + b"n" * ((1 << 20) - 29) + b'"}\n',
    ],
)
def test_headers_and_endings(settle_command, tmp_path, content):
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    binary = settle_command.convert(path, tmp_path / "log.settle")
    log = settle.read(path)
    assert settle.to_bytes(log) == binary.read_bytes()
    assert log.header == settle.read(binary).header


def test_a_line_too_long(settle_command, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(HEADER + b"#" * ((1 << 20) + 1) + b'\n{"t_ns":1,"scene":"a"}\n')
    settle_command("convert", path, tmp_path / "log.settle", status=1)
    with pytest.raises(settle.LogError, match="line 2: the line is longer than 1048576 bytes"):
        settle.read(path)
    assert len(settle.read(path, salvage=True).events) == 1


@pytest.mark.parametrize(
    "lines",
    [
        [HEADER, b"# one\n", b"\n", b"\t \r\n", b"# two\n"],
        [b"# before\n", b"\n", HEADER, b'{"t_ns":1,"scene":"a"}\n', b"#\n", b'{"t_ns":2,"scene":"a"}\n'],
        [HEADER, b'{"t_ns":1,"scene":"\\u0061"}\n', b"# a\r\n", *[b'{"t_ns":2,"scene":"a"}\n'] * 3, b" \n", b"#\n"],
    ],
)
def test_lines_are_counted_with_comments_and_empty_ones(settle_command, tmp_path, lines):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines) + b'{"t_ns":3}\n')
    number = len(lines) + 1
    with pytest.raises(settle.LogError, match=f'line {number}: "scene" is missing') as caught:
        settle.read(path)
    assert caught.value.line == number
    assert settle.read(path, salvage=True).problem == f'line {number}: "scene" is missing'
    assert f"line {number}: " in settle_command("validate", path, status=1)


def test_many_names():
    lines = [f'{{"t_ns":{index},"scene":"scene {index % 5000}"}}\n' for index in range(20_000)]
    log = settle.read(HEADER + "".join(lines).encode())
    assert log.names == [f"scene {index}" for index in range(5_000)]
    assert (log.events["scene"] == log.events["t_ns"] % 5_000).all()
    assert settle.read(settle.to_bytes(log)).names == log.names


def colliding(count: int) -> list[str]:
    """Names of 16 ASCII characters that a hash without a seed, of multiplications, would give one value."""
    factor, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    names = []
    for number in range(10**7):
        first = f"{number:08}".encode()
        product = (int.from_bytes(first, "little") ^ 16) * factor & mask
        second = (product ^ product >> 32 ^ 0x5A5A5A5A5A5A5A5A).to_bytes(8, "little")
        if second.isascii():
            names.append((first + second).decode())
            if len(names) == count:
                break
    return names


def test_names_that_were_chosen_to_collide_are_found_in_few_steps():
    seeds = set()
    for count in (500, 1_000):
        names, table = colliding(count), NameTable()
        for number, name in enumerate(names):
            assert table.number(name, name.encode()) == number
        steps = 0
        for number, name in enumerate(names):
            slot = lib.settle_log_name_hash(table.table, name.encode(), len(name))
            while table.table.slots[slot & table.table.slots_mask] != number + 1:
                slot += 1
                steps += 1
        assert steps < 2 * count, "collisions take half the square of the count"
        seeds |= set(table.table.seed)
    assert len(seeds) == 4
