"""The cohorts of packed sessions."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from packing import BINARY, FAULTY, parquet, rows, write, write_all

from settle import CohortError, PackError, pack
from settle._cohorts import CohortPattern


def test_cohorts_of_a_table(logs):
    write_all(logs, dict.fromkeys(("a/1.settle", "a/2.settle", "b/3.settle", "b/4.settle"), BINARY))
    text = "\ufeffplatform,session,version\nx11,a/1.settle,1.2\n,a/2.settle,\n\n"
    text += '"way,land",b/3.settle,"é"\nx11,y,1.2\n'
    write(Path("c.csv"), text.encode())
    packed = pack(logs, "out.parquet", cohorts="c.csv")
    assert rows() == {
        "a/1.settle": {"platform": "x11", "version": "1.2", "log": BINARY},
        "a/2.settle": {"platform": None, "version": None, "log": BINARY},
        "b/3.settle": {"platform": "way,land", "version": "é", "log": BINARY},
        "b/4.settle": {"platform": None, "version": None, "log": BINARY},
    }
    assert (packed.without_cohort, packed.unused_rows, packed.status) == (1, 1, 0)
    assert packed.messages == [
        "b/4.settle: without a cohort: it has no row in the table of cohorts", "1 row of cohorts without a log: y",
    ]
    # Rows of one cohort are different rows.
    write(Path("c.csv"), b"session,os\nz,p\na/1.settle,p\nb/3.settle,q\ny,q\nx,p\nw,p\n")
    packed = pack(logs, "out.parquet", cohorts="c.csv", force=True)
    assert packed.unused_rows == 4 and packed.messages[-1] == "4 rows of cohorts without a log: z, y, x, …"
    write(Path("c.csv"), b"path,os\na/1.settle,p\n")
    pack(logs, "out.parquet", cohorts="c.csv", session_from="stem", force=True)
    assert [(name, row["os"]) for name, row in rows().items()] == [("1", "p"), ("2", None), ("3", None), ("4", None)]


def test_sessions_by_name_and_stem(logs):
    write_all(logs, dict.fromkeys(("a/s.1.settle", "b/s.1.settle", "b/t"), BINARY))
    packed = pack(logs, "out.parquet", session_from="stem")
    assert parquet.read_table("out.parquet")["session"].to_pylist() == ["s.1", "s.1", "t"]
    assert packed.messages == ["b/s.1.settle: not unique: another session has the same stem; both are packed"]
    pack(logs, "out.parquet", session_from="name", force=True)
    assert parquet.read_table("out.parquet")["session"].to_pylist() == ["s.1.settle", "s.1.settle", "t"]


@pytest.mark.parametrize(("text", "problem"), [
    (b"", "line 1: the table needs a header with one column 'session' or 'path', and has none"),
    (b"os\nx\n", "has none"), (b"session,path\n", "has both"), (b"session,session\n", "has two of them"),
    (b"session,log\n", "line 1: the column 'log' is a column that every pack has; rename it"),
    (b"session,Session\n", "'Session' is a column that every pack has"),
    (b"session,os,OS\n", "the column 'OS' is given twice"), (b"session,\n", "a column has no name"),
    (b"session,os\na,b\nc\n", "line 3: it has 1 cells, and the header has 2"),
    (b"session,os\n,b\n", "line 2: the session is empty"),
    (b"session,os\na,b\na,c\n", "line 3: the session 'a' has a row already"), (b"session,os\na,\"b\"c\n", "line 2: "),
    (b"session,os\na,\"b\n", "line 2: "), (b"session,os\na,\xff\n", "line 2: it is not valid UTF-8"),
    (b"session,os\na," + b"x" * 200_000 + b"\n", "line 2: field larger than"),
])
def test_faults_of_a_table_name_the_line(logs, text, problem):
    write(logs / "a.settle", BINARY)
    write(Path("c.csv"), text)
    with pytest.raises(CohortError) as caught:
        pack(logs, "out.parquet", cohorts="c.csv")
    assert str(caught.value).startswith("c.csv: line ") and problem in str(caught.value)
    assert not Path("out.parquet").exists()


@pytest.mark.parametrize(("pattern", "path", "values"), [
    ("{platform}/{version}/*", "x11/1.2/a.settle", ("x11", "1.2")),
    ("{platform}/{version}/*", "x11/1.2/b/a.settle", None), ("{platform}/{version}/*", "x11/a.settle", None),
    ("{platform}/**", "x11/1.2/b/a.settle", ("x11",)), ("{platform}/**", "x11", None), ("**/{a}", "x", ("x",)),
    ("**/{a}", "x/y/z", ("z",)), ("**/{a}/*", "x/y/z", ("y",)), ("v{a}-{b}.*", "v1.2-3-4.settle", ("1.2", "3-4")),
    ("{a}-*/**", "x-y-z/1", ("x",)), ("(.+){a}", "(.+)x", ("x",)), ("(.+){a}", "yyx", None), ("{a}*", "x", ("x",)),
    ("{größe}/*", "ö\n/x", ("ö\n",)),
])
def test_path_patterns(pattern, path, values):
    assert CohortPattern(pattern).of("", path) == values


def expression_of(parts):
    """The same pattern as a regular expression, of which each wildcard takes as little as it can."""
    text = ""
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            text += "(?:[^/]+/)*?[^/]+" if is_last else "(?:[^/]+/)*?"
        else:
            tokens = re.findall(r"\{\w+\}|\*|[^{}*]+", part)
            wild = {"{": "([^/]+?)", "*": "[^/]*?"}
            text += "".join(wild.get(token[0], token) for token in tokens) + ("" if is_last else "/")
    return re.compile(text)


def test_random_path_patterns_match_as_regular_expressions():
    random = Random(3)
    matched = 0
    for _ in range(4000):
        number = iter(range(100))
        parts = []
        for _ in range(random.randint(1, 4)):
            tokens = [random.choice(["a", "b", "-", "*", "{"]) for _ in range(random.randint(1, 4))]
            part = "".join(f"{{c{next(number)}}}" if token == "{" else token for token in tokens)
            parts.append("**" if random.random() < 0.25 else re.sub(r"\*+", "*", part).replace("}{", "}-{"))
        pattern = "/".join(parts)
        if "{" not in pattern:
            continue
        for _ in range(5):
            path = "/".join("".join(random.choices("ab-", k=random.randint(1, 5))) for _ in range(random.randint(1, 4)))
            match = expression_of(parts).fullmatch(path)
            assert CohortPattern(pattern).of("", path) == (match.groups() if match else None), (pattern, path)
            matched += match is not None
    assert matched > 400


def test_many_wildcards_take_no_longer():
    pattern = CohortPattern("{n}" + "*a" * 200 + "c/" + "**/a/" * 50 + "b")
    assert pattern.of("", "/".join(["a" * 4000 + "b"] + ["a"] * 2000)) is None
    assert CohortPattern("{n}" + "-*" * 40 + "x").of("", "1" + "-" * 4000 + "x") == ("1",)


@pytest.mark.parametrize(("pattern", "problem"), [
    ("*/x", "it names no column"), ("/{a}", "a part is empty"), ("{a}/", "a part is empty"),
    ("{a}{b}", "nothing separates {a} from {b}"), ("x**/{a}", "'**' is no part of its own"), ("{a", "braces hold"),
    ("a}", "braces hold"), ("{}", "braces hold"), ("{a b}", "braces hold"), ("{a}/{A}", "'A' is given twice"),
    ("{session}/*", "every pack has"), ("***/{a}", "'***' is no part"), ("", "a part is empty"),
])
def test_faults_of_patterns(pattern, problem):
    with pytest.raises(CohortError) as caught:
        CohortPattern(pattern)
    assert problem in str(caught.value)


def test_a_path_that_does_not_match_is_packed_without_a_cohort(logs):
    write_all(logs, {"x11/a.settle": BINARY, "b.settle": BINARY})
    packed = pack(logs, "out.parquet", path_pattern="{platform}/*")
    assert {name: row["platform"] for name, row in rows().items()} == {"b.settle": None, "x11/a.settle": "x11"}
    assert packed.messages == ["b.settle: without a cohort: its path does not match the pattern"]


@pytest.mark.parametrize("fault", ["damaged", "faulty", "row", "cohort", "unread"])
def test_strict_packs_all_or_nothing(logs, fault):
    write(logs / "a.settle", BINARY)
    write(Path("c.csv"), b"session,os\na.settle,x\n" + (b"b,y\n" if fault == "row" else b""))
    assert fault == "row" or pack(logs, "out.parquet", cohorts="c.csv", strict=True).sessions == 1
    Path("out.parquet").unlink(missing_ok=True)
    content = {"damaged": BINARY[:-1], "faulty": FAULTY, "cohort": BINARY, "unread": b"refuse"}.get(fault)
    if content:
        write(logs / "other\nsettle: b", content)
    with pytest.raises(PackError, match="nothing is written, as strict=True demands") as caught:
        pack(logs, "out.parquet", cohorts="c.csv", strict=True)
    assert caught.value.status == (3 if fault == "unread" else 1) and "\nsettle: b" not in str(caught.value)
    assert not Path("out.parquet").exists()
