#!/usr/bin/env python3
"""What happens to live sources when a disk is full, a reader stops, descriptors run out, or a library is absent.

usage: SETTLE=PATH failures.py [CHECK...]

Prints a line for each thing that is verified, with its figure. The exit status is 1 if one failed. Only root can
mount a small disk and hide libraries: without it these are not tried, which is said.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

import terminals
import wayland_checks as results
import wayland_peers as peers
from processes import loaded_files, wait_for, without
from terminals import EVERY_CHANGE
from wayland_checks import status_problem, verify, verify_planted
from x11_checks import wrong_sizes
from x11_desktop import Desktop, Observer, Window

SETTLE = os.path.abspath(os.environ.get("SETTLE", "settle"))
DEMO = os.path.join(os.path.dirname(SETTLE), "settle-demo")
RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Recordings/w06_weston_long.jsonl")
DECISIONS_WAITING_MAX = 65_536
work = pathlib.Path(tempfile.mkdtemp(prefix="settle-failures-"))
PACKAGES = {"libxcb.so.1": "libxcb1", "libxcb-xinput.so.0": "libxcb-xinput0", "libxcb-randr.so.0": "libxcb-randr0"}


def settle(verb, *words):
    return subprocess.run([SETTLE, verb, *map(str, words)], capture_output=True, text=True)


def events_of(log):
    return [json.loads(line) for line in settle("cat", log).stdout.splitlines()[1:]]


# Full disks


@contextlib.contextmanager
def small_disk(name):
    """A folder on a disk of 64 KB, and a function that fills it."""
    path = work / name
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path], check=True)

    def fill():
        with contextlib.suppress(OSError), open(path / "filler", "wb", 0) as file:
            while True:
                file.write(bytes(512))
    try:
        yield path, fill
    finally:
        subprocess.run(["umount", path], check=True)


def whole_problem(log, scene, sizes):
    """Why a log is not valid up to where the disk was full."""
    valid = settle("validate", log)
    if valid.returncode != 0:
        return valid.stdout + valid.stderr
    events = events_of(log)
    count = sum("width" in event and event["scene"] == scene for event in events)
    if not 1 < count < len(sizes):
        return f"{count} of {len(sizes)} sizes"
    return wrong_sizes(events, scene, sizes[:count])


def prefix_problem(printed, log):
    """Why a replay does not give the decisions that were printed before the log's last event."""
    last = events_of(log)[-1]["t_ns"]
    before = lambda text: [line for line in text.splitlines() if json.loads(line)["t_ns"] < last]
    live, replayed = before(printed), before(settle("replay", log, *EVERY_CHANGE, "--decisions", "-").stdout)
    return None if len(live) > 10 and live == replayed else f"{len(live)} decisions live, {len(replayed)} replayed, and they differ"


def full_problem(status, said, log):
    """Why a full disk was not reported as it should."""
    words = ["cannot write", "No space left", str(log)]
    missing = [word for word in words if word not in said]
    return status_problem(status, 3) or (f"{missing} not in {said!r}" if missing else None)


def watch_until_full(desktop, words, log, fill):
    """Records a window whose size changes, on a disk that becomes full. Its status, output and messages, and the sizes
    that another client saw."""
    window = Window(desktop, "resized")
    observer = Observer(desktop.display, window)
    out, errors = work / f"{log.parent.name}.out", work / f"{log.parent.name}.txt"
    with open(out, "w") as output, open(errors, "w") as messages:
        process = subprocess.Popen([SETTLE, *words], stdout=output, stderr=messages, env=desktop.environment)
    desktop.processes.append(process)
    # The first size is that of before all changes.
    wait_for("recorded window", lambda: log.exists() and events_of(log))
    step = 0

    def change():
        nonlocal step
        for _ in range(100):
            step += 1
            window.resize(300 + step % 300, 200 + step % 170)
        window.size()
        return process.poll() is not None
    size = log.stat().st_size
    wait_for("recorded sizes", lambda: change() or log.stat().st_size > size)
    fill()
    wait_for("end of a recording on a full disk", change)
    return process.returncode, out.read_text(), errors.read_text(), window.name, observer.sizes()[0]


def check_full_disks():
    for name, words in (
            ("watch --record", ["watch", *EVERY_CHANGE, "--record"]),
            ("record --x11", ["record", "--flush-interval", "100ms", "--x11"])):
        with small_disk(words[0]) as (path, fill):
            (work / f"desktop-{words[0]}").mkdir(mode=0o700)
            with Desktop(work / f"desktop-{words[0]}") as desktop:
                log = path / "log.settle"
                status, printed, said, scene, sizes = watch_until_full(
                    desktop, [*words, log, "--display", desktop.display], log, fill)
            verify(f"{name} on a full disk: status 3, and the cause is said", full_problem(status, said, log), said.strip().splitlines()[0])
            recorded = sum("width" in event for event in events_of(log))
            verify(f"{name} on a full disk: the log is whole up to there", whole_problem(log, scene, sizes), f"{recorded} of {len(sizes)} sizes")
            if words[0] == "watch":
                verify("its replay gives what was printed until then", prefix_problem(printed, log))
                lines = printed.splitlines(True)
                verify_planted("a decision left out", prefix_problem("".join(lines[:1] + lines[2:]), log))
    verify_planted("a full disk with status 0", full_problem(0, said, log))
    verify_planted("a full disk without its cause", full_problem(3, "settle: it failed", log))
    with tempfile.NamedTemporaryFile(suffix=".settle") as torn:
        settle("convert", RECORDING, torn.name, "--force")
        os.truncate(torn.name, os.path.getsize(torn.name) - 100)
        verify_planted("a log that is torn", whole_problem(torn.name, scene, sizes))


def check_full_disks_of_apps():
    """An app goes on without its recording."""
    for verb in ("watch", "record"):
        with small_disk(f"{verb}-app") as (path, fill), peers.Compositor() as compositor:
            log = path / "log.settle"
            words = ["watch", "--record", str(log)] if verb == "watch" else ["record", "--flush-interval", "100ms", str(log)]
            process = compositor.run(SETTLE, words, "follow", 1)
            connection = compositor.accept()
            peers.receive(connection, len(peers.HELLO))
            sent = []

            def change():
                for _ in range(100):
                    sent.append((300 + len(sent) % 300, 200 + len(sent) % 170))
                    connection.sendall(peers.configure(*sent[-1]))
                return "; the app goes on" in open(compositor.messages).read() or process.poll() is not None
            wait_for("beginning of the recording", lambda: log.exists() and log.stat().st_size > 0)
            size = log.stat().st_size
            wait_for("recorded sizes", lambda: change() or log.stat().st_size > size)
            fill()
            wait_for("message", change)
            # What the compositor sends afterwards reaches the app, which ends as it wishes.
            change()
            alive = process.poll() is None
            connection.close()
            status = process.wait(peers.PATIENCE)
            said = open(compositor.messages).read()
            problem = None if alive else "the app has ended"
            verify(f"{verb} -- APP on a full disk: the app goes on, which is said, and status 3 in the end",
                   problem or full_problem(status, said, log), said.strip().splitlines()[-1])
            verify(f"{verb} -- APP on a full disk: the log is whole up to there", whole_problem(log, "client 1:8", sent))


# Readers that stop


def toggled(count):
    """Sizes that change with the flag on, then off: three decisions for each two."""
    return b"".join(peers.configure(400 + number % 500, 300, [] if number % 2 else [3]) for number in range(count))


def flooded(compositor, count, *words):
    """An app's window changes so often while nobody reads the decisions. The process, the connection, and where the
    decisions can be read."""
    reading, writing = os.pipe()
    process = compositor.run(SETTLE, ["watch", *words], "follow", 1, stdout=writing)
    os.close(writing)
    connection = compositor.accept()
    peers.receive(connection, len(peers.HELLO))
    # This returns only if the proxy takes it all.
    connection.sendall(toggled(count))
    return process, connection, reading


def stalled_problem(printed, replayed, status, said):
    """Why a reader that was too slow did not get the first decisions alone, and its reason."""
    if not DECISIONS_WAITING_MAX <= len(printed) < len(replayed):
        return f"{len(printed)} of {len(replayed)} decisions were printed"
    if printed != replayed[:len(printed)]:
        return "what was printed are not the first decisions"
    return status_problem(status, 3) or (None if f"let {DECISIONS_WAITING_MAX:,} decisions wait" in said else f"{said!r}")


def check_stalled_readers():
    count = 200_000
    with peers.Compositor() as compositor:
        log = os.path.join(compositor.folder, "log.settle")
        process, connection, reading = flooded(compositor, count, "--record", log)
        held = os.path.join(compositor.folder, "decisions")
        # Until the proxy has taken the last message, which the recording shows.
        wait_for("whole recording", lambda: len(events_of(log)) == count)
        with open(held, "wb") as file:
            reader = subprocess.Popen(["cat"], stdin=reading, stdout=file)
        os.close(reading)
        said = lambda: open(compositor.messages).read()
        wait_for("message", lambda: "; the app goes on" in said() or process.poll() is not None)
        verify("a reader that let decisions wait: the app goes on, which is said", None if process.poll() is None else said())
        connection.sendall(toggled(1000))
        connection.close()
        status = process.wait(peers.PATIENCE)
        reader.wait()
        decisions = open(held).read().splitlines()
        replayed = settle("replay", log, "--decisions", "-").stdout.splitlines()
        verify("it gets the first decisions and no more, status 3", stalled_problem(decisions, replayed, status, said()),
               f"{len(decisions)} of {len(replayed)} decisions")
        recorded = sum("width" in event for event in events_of(log))
        verify("the recording has all sizes all the same", None if recorded == count + 1000 else f"{recorded} of {count + 1000}")
        verify_planted("a decision left out in between", stalled_problem(decisions[:5] + decisions[6:], replayed, status, said()))
        verify_planted("a reader that gets all of them", stalled_problem(replayed, replayed, status, said()))
        verify_planted("another status", stalled_problem(decisions, replayed, 0, said()))
    with peers.Compositor() as compositor:
        process, connection, reading = flooded(compositor, 5000)
        process.send_signal(signal.SIGTERM)
        status = process.wait(peers.PATIENCE)
        said = open(compositor.messages).read()
        verify("nobody reads: a signal ends it with status 3, and says that decisions are lost",
               status_problem(status, 3) or (None if "standard output was not read in time" in said else said))
        os.close(reading)


# Limits on descriptors


def limits_problem(ends, left):
    """Why runs under limits from the lowest to the highest, each a status and a message, did not end in order."""
    for limit, (status, said) in ends.items():
        if status not in (0, 3) or status == 3 and "oo many open files" not in said:
            return f"{limit} descriptors: status {status}, {said!r}"
    if [ends[limit][0] for limit in (min(ends), max(ends))] != [3, 0]:
        return "the lowest limit suffices, or the highest one does not"
    return f"{left} are left behind" if left else None


def check_descriptors():
    """The other verbs are in DescriptorLimitTests, which needs no display."""
    for folder in ("descriptors", "temporary"):
        (work / folder).mkdir(mode=0o700)
    with Desktop(work / "descriptors") as desktop:
        compositor = subprocess.Popen(["weston", "--backend=headless-backend.so", "--socket=limits", "--no-config", "--idle-time=0"],
                                      env=desktop.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        desktop.processes.append(compositor)
        wait_for("compositor", lambda: (work / "descriptors" / "limits").exists())
        environment = desktop.environment | {"TMPDIR": str(work / "temporary"), "WAYLAND_DISPLAY": "limits"}
        # They run until they are stopped; they may not have begun by then, which then is no fault.
        until = ["timeout", "--preserve-status", "-s", "TERM", "0.4"]
        log = work / "temporary" / "log.settle"
        for name, words in (("watch", [*until, SETTLE, "watch"]),
                            ("record --x11", [*until, SETTLE, "record", "--force", "--x11", log]),
                            ("settle-demo --x11", [DEMO, "--x11", "--seconds", "0.3"]),
                            ("settle-demo --wayland", [DEMO, "--wayland", "--seconds", "0.3"])):
            ends = {}
            # Three are the standard streams, and the system's loader needs one.
            for limit in range(4, 33):
                run = subprocess.run(["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(limit), *map(str, words)], env=environment,
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=peers.PATIENCE)
                ends[limit] = run.returncode, run.stderr
            log.unlink(missing_ok=True)
            verify(f"{name} ends in order under every limit on descriptors", limits_problem(ends, os.listdir(log.parent)),
                   f"from {min(limit for limit, (status, _) in ends.items() if status == 0)} on it runs")
        for fault, status, said in (("a crash", 132, ""), ("a failure without its cause", 3, "settle: it failed")):
            verify_planted(fault, limits_problem(ends | {18: (status, said)}, []))
        verify_planted("a folder that is left", limits_problem(ends, ["settle-a"]))


# Libraries that are absent


def missing_problem(run, package, status=3):
    """Why a command did not name the package that it lacks."""
    said = run.stdout + run.stderr
    return status_problem(run.returncode, status) or (None if f"install {package}" in said else f"no 'install {package}' in {said!r}")


def check_missing_libraries():
    (work / "libraries").mkdir(mode=0o700)
    with Desktop(work / "libraries") as desktop:
        run = lambda prefix, *words: subprocess.run(
            [*prefix, *map(str, words)], capture_output=True, text=True, env=desktop.environment, timeout=peers.PATIENCE)
        out = work / "missing.settle"
        commands = {"watch": ([SETTLE, "watch"], 3), "record --x11": ([SETTLE, "record", "--x11", out], 3),
                    "sources": ([SETTLE, "sources"], 0)}
        for library, package in PACKAGES.items():
            for name, (words, status) in commands.items():
                found = run(without(*loaded_files(library)), *words)
                verify(f"{name} without {library} names its package", missing_problem(found, package, status), package)
            verify("and leaves no log", None if not out.exists() else f"{out.stat().st_size} bytes")
        verify_planted("a library that is there is not missed", missing_problem(run([], SETTLE, "sources"), "libxcb1", 0))
        verify_planted("another package is not the one", missing_problem(
            run(without(*loaded_files("libxcb-randr.so.0")), SETTLE, "watch"), "libxcb1"))
        hidden = [file for library in (*PACKAGES, "libncursesw.so.6", "libwayland-client.so.0") for file in loaded_files(library)]
        for words, package in ((["--x11"], "Debian's libxcb1"), (["--wayland"], "Debian's libwayland-client0")):
            found = run(without(*hidden), DEMO, *words, "--seconds", "1")
            verify(f"settle-demo {words[0]} without its library names its package", missing_problem(found, package), package)
        replayed = run(without(*hidden), SETTLE, "replay", RECORDING, "--decisions", "-").stdout
        verify("replay needs none of them", None if replayed and replayed == settle("replay", RECORDING, "--decisions", "-").stdout else replayed[:200])
        terminal = terminals.Terminal([*without(*hidden), SETTLE, "run", "--", "sh", "-c", "stty size; exit 5"],
                                      prepare=lambda: os.environ.update(desktop.environment, WINDOWID="1"))
        status = terminal.end()
        verify("settle run needs none of them", status_problem(status, 5) or (None if b"24 80" in terminal.shown else repr(terminal.shown)))
        terminal.close()
    with peers.Compositor() as compositor:
        prefix = without(*hidden)
        process = compositor.run(prefix[0], [*prefix[1:], SETTLE, "watch"], "follow", 1)
        connection = compositor.accept()
        peers.receive(connection, len(peers.HELLO))
        connection.sendall(peers.configure(400, 300))
        wait_for("window", lambda: results.read_json_lines(compositor.output))
        connection.close()
        verify("watch -- APP needs none of them", status_problem(process.wait(peers.PATIENCE), 0))


CHECKS = {"stalled": (check_stalled_readers, False), "disks": (check_full_disks, True),
          "descriptors": (check_descriptors, False), "apps": (check_full_disks_of_apps, True), "libraries": (check_missing_libraries, True)}


def main():
    # So that what runs is ended then as well, and disks are unmounted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = [word for word in sys.argv[1:] if word != "--long"] or list(CHECKS)
    for name in chosen:
        if name not in CHECKS:
            sys.exit(f"failures.py: there is no check '{name}'; there are {', '.join(CHECKS)}")
    try:
        for name in chosen:
            check, needs_root = CHECKS[name]
            if needs_root and os.geteuid() != 0:
                print(f"     only root can mount and hide files: {name} is not tried")
                continue
            try:
                check()
            except Exception as error:
                verify(f"{name} runs to its end", f"{type(error).__name__}: {error}")
                traceback.print_exc()
    finally:
        for folder in (work, terminals.folder):
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{results.passed} passed, {results.failed} failed")
    sys.exit(1 if results.failed else 0)


if __name__ == "__main__":
    main()
