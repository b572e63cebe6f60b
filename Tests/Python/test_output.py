"""Files that are written: completely or not at all, and never over another without a request."""

import os
import stat
import subprocess
import sys

import pytest
from conftest import RECORDINGS

import settle

LOG = settle.read(RECORDINGS[3])


def test_the_rule(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, link = tmp_path / "log.settle", tmp_path / "link.jsonl"
    settle.write(LOG, path)
    content = path.read_bytes()
    path.chmod(0o640)
    link.symlink_to("log.settle")
    with pytest.raises(settle.OutputError, match="there is such a file already; it is left alone; force=True replaces"):
        settle.write(settle.read(RECORDINGS[0]), path)
    assert path.read_bytes() == content
    settle.write(LOG, link, force=True)
    assert link.is_symlink() and path.read_text().startswith('{"settle"')
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o400)
    os.mkfifo("pipe")
    for name, problem in [
        (path, "is read-only"), (tmp_path, "is a directory"), ("pipe", "is no regular file"), ("a\0b", "cannot write"),
        ("none/log.settle", "cannot write into its folder"), ("", "the output's name is empty"),
        ("\udcff", "not valid UTF-8"),
    ]:
        with pytest.raises(settle.OutputError, match=problem):
            settle.write(LOG, name, format="settle", force=True)
    with pytest.raises(ValueError, match="the extension shows no format"):
        settle.write(LOG, "log.txt")
    settle.write(LOG, "log.txt", format="settle")
    assert (tmp_path / "log.txt").read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == ["link.jsonl", "log.settle", "log.txt", "pipe"]


def test_the_file_that_standard_output_goes_into_is_no_output(tmp_path):
    path = tmp_path / "log.settle"
    script = (
        "import settle, sys\n"
        "print('printed', flush=True)\n"
        "try: settle.write(settle.read(sys.argv[1]), sys.argv[2], force=True)\n"
        "except settle.OutputError as error: print(error, file=sys.stderr)"
    )
    for name in (path, tmp_path / "link.settle"):
        if name != path:
            name.symlink_to(path)
        with path.open("wb") as file:
            run = subprocess.run(
                [sys.executable, "-c", script, RECORDINGS[3], name], stdout=file, stderr=subprocess.PIPE, text=True
            )
        assert run.stderr == f"{name}: is the file that standard output goes into; name another\n"
        assert path.read_bytes() == b"printed\n"


def test_a_failure_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "log.settle"
    path.write_bytes(b"older")
    bad = settle.Log(LOG.events.copy(), LOG.names, LOG.header)
    bad.events["kind"][-1] = 9
    with pytest.raises(settle.LogError):
        settle.write(bad, path, force=True)
    from settle import _writer

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_writer, "_index", fail)
    with pytest.raises(KeyboardInterrupt):
        settle.write(LOG, path, force=True)
    assert path.read_bytes() == b"older" and os.listdir(tmp_path) == ["log.settle"]


def test_a_log_may_replace_its_own_file(tmp_path):
    path = tmp_path / "log.settle"
    settle.write(settle.read(RECORDINGS[6]), path)
    log = settle.read(path)
    before = log.events.tobytes()
    settle.write(settle.read(RECORDINGS[0]), path, force=True)
    assert log.events.tobytes() == before


def test_functions_name_arguments_and_commands_name_options(tmp_path, monkeypatch, capsys):
    """An output that exists, wherever one is written."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    from settle import _command, fleet
    from settle.fleet._command import main as fleet_main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    settle.write(LOG, "logs/a.settle")
    (tmp_path / "policies.json").write_text("{}")
    pq.write_table(pa.table({"session": ["a"], "log": [settle.to_bytes(LOG)]}), "in.parquet")
    for name in ("out.parquet", "log.settle"):
        (tmp_path / name).write_text("")
    fleet.run_local("in.parquet", "out", [settle.Policy()])
    for call in (
        lambda: settle.write(LOG, "log.settle"), lambda: settle.pack("logs", "out.parquet"),
        lambda: fleet.run_local("in.parquet", "out", [settle.Policy()]), lambda: fleet.merge(["out"], "out"),
        lambda: fleet.publish("out", "out"),
    ):
        with pytest.raises(settle.Error, match="force=True") as caught:
            call()
        assert "--force" not in str(caught.value) and caught.value.status == 3
    for command, arguments in (
        (_command.main, ["pack", "logs", "out.parquet"]), (_command.main, ["anonymize", "in.parquet", "out.parquet"]),
        (fleet_main, ["in.parquet", "out", "--policies", "policies.json"]), (fleet_main, ["--merge", "out", "out"]),
        (fleet_main, ["in.parquet", "new", "--policies", "policies.json", "--json", "log.settle"]),
    ):
        assert command(arguments) == 3
        said = capsys.readouterr().err
        assert "--force" in said and "force=True" not in said and said.count("\n") == 1


def test_strict_packing_names_its_argument_or_option(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    from settle import _command

    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.settle").write_bytes(settle.to_bytes(LOG)[:-9])
    with pytest.raises(settle.PackError, match="nothing is written, as strict=True demands$"):
        settle.pack("logs", "out.parquet", strict=True)
    assert _command.main(["pack", "--strict", "logs", "out.parquet"]) == 1
    assert capsys.readouterr().err.endswith("settle: nothing is written, as --strict demands\n")
