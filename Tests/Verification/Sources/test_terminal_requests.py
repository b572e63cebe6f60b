"""Requests to redraw: window-size signals without a new size, as dtach and attached containers send them, and sizes that
come back. What is left when the model of a screen crashes. For terminal.py."""
import os
import signal
import subprocess
import sys

from results import report, verify
from support import children, content, status_figure, until
from terminals import HEARS, Terminal, run

MODES = ((), ("--live", "30%"), ("--hold-screen",), ("--no-hold-screen",))
# Logs the size at each SIGWINCH, on the alternate screen, and draws nothing then. q ends it.
SIGNALS = [sys.executable, "-c", HEARS + """
os.write(1, b"\\033[?1049h\\033[?7l\\033[2J\\u250cpicture\\u2510".decode("unicode_escape").encode())
log.write(b"begun\\n")
while True:
    ready = select.select([0, bell], [], [])[0]
    if bell in ready:
        for _ in os.read(bell, 4096): log.write(b"%d %d\\n" % os.get_terminal_size(1))
    if 0 in ready:
        keys = os.read(0, 4096)
        if b"d" in keys: os.write(1, b"\\033[3;1Hdrawn")
        if b"q" in keys: sys.exit(7)
"""]


def signalled(folder, options, steps):
    """The sizes that a program has logged after steps in its terminal, and its status."""
    log = folder / "told"
    log.unlink(missing_ok=True)
    lines = lambda: content(log).decode().splitlines()[1:]
    with Terminal(run(*SIGNALS, log, options=options)) as terminal:
        terminal.until(lambda: content(log))
        terminal.look(0.3)
        steps(terminal, lines)
        # As long as whatever else comes needs.
        terminal.look(1)
        terminal.type(b"q")
        status, is_restored = terminal.end(), terminal.is_restored()
    return lines() if status == 7 and is_restored else f"status {status}: {terminal.shown[-300:]}"


def twice(terminal, lines):
    for count in (1, 2):
        terminal.signal(signal.SIGWINCH)
        terminal.until(lambda: len(lines()) >= count)


def while_held(terminal, lines):
    terminal.resize(20, 90)
    terminal.look(0.3)
    terminal.signal(signal.SIGWINCH)
    terminal.until(lambda: lines())


def wiggle(terminal, lines):
    terminal.resize(25, 80)
    terminal.look(0.05)
    terminal.resize(24, 80)
    terminal.until(lambda: lines())


def through(terminal, lines):
    """A drag that passes through the program's own size and ends elsewhere."""
    for columns in (81, 80, 79, 80, 81, 82, 83):
        terminal.resize(24, columns)
        terminal.look(0.05)
    terminal.until(lambda: lines())


def test_requests(folder):
    patient = ["--quiet-delay", "60s", "--jump-delay", "none"]
    quick = ["--quiet-delay", "1s", "--jump-delay", "none"]
    for mode in MODES:
        name = " ".join(mode) or "by default"
        for what, options, steps, expected in (
                ("each signal of the program's own size is passed on at once", patient, twice, ["80 24"] * 2),
                ("a signal while a size is held back is one with that size", quick, while_held, ["90 20"]),
                ("a size that comes back within the quiet time is one signal", quick, wiggle, ["80 24"]),
                ("a drag through the program's own size is one signal", quick, through, ["83 24"])):
            found = signalled(folder, [*mode, *options], steps)
            # There sizes are given at once, the last of them last.
            is_right = found[-1:] == expected if "--live" in mode and steps != twice else found == expected
            report(f"{name}: {what}", is_right, "" if is_right else found)


def attached(socket, command, how):
    """What a terminal shows of a program that is attached by dtach a second time, in the same size."""
    subprocess.run(["dtach", "-n", socket, *map(str, command)], check=True, env={**os.environ, "TERM": "xterm"})
    try:
        for time_of in ("first", "second"):
            with Terminal(["dtach", "-a", socket, "-r", how]) as terminal:
                if time_of == "first":
                    terminal.type(b"g")
                    terminal.sees(b"line-1\r\n", 5)
                    # A redraw that was asked for is over.
                    terminal.look(0.7)
                else:
                    terminal.sees(b"line-1\r\n", 2)
                terminal.type(b"\x1c")
                terminal.end()
        return terminal.shown
    finally:
        with Terminal(["dtach", "-a", socket, "-r", "none"]) as terminal:
            terminal.type(b"q")
            terminal.end(5)


def test_dtach(folder):
    text = folder / "text"
    text.write_text("".join(f"line-{number}\n" for number in range(1, 200)))
    command = ["less", text]
    problem = lambda shown: None if b"line-1\r\n" in shown and b"line-20" in shown else f"{len(shown)} bytes: {shown!r}"
    verify("dtach alone: less draws its screen after a second attachment", problem(attached(folder / "alone", command, "winch")))
    for number, mode in enumerate(MODES):
        shown = attached(folder / f"socket{number}", run(*command, options=mode), "winch")
        verify(f"dtach, {' '.join(mode) or 'by default'}: so it does in settle run", problem(shown), f"{len(shown)} bytes")
    planted_shown = attached(folder / "planted", run(*command), "none")
    report("planted: an attachment that asks for no redraw is found", problem(planted_shown) is not None)


def model_of(pid):
    """The process of the model below a settle."""
    return [child for child in children(pid) if content(f"/proc/{child}/comm").strip() == b"settle-screen"]


def test_crashes(folder):
    """The model's process ends, stops, or cannot be: the program goes on, which is said once."""
    log = folder / "log"
    held = ["--quiet-delay", "60s", "--jump-delay", "none"]
    for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGSTOP):
        log.unlink(missing_ok=True)
        with Terminal(run(*SIGNALS, log, options=held)) as terminal:
            terminal.sees("┌picture┐".encode())
            terminal.resize(20, 60)
            painted = terminal.until(lambda: terminal.shown.count("┌picture┐".encode()) > 1)
            model = model_of(terminal.pid)
            os.kill(model[0], number)
            terminal.type(b"d")
            # The program is asked to draw again, at its own size.
            asked = terminal.until(lambda: b"80 24" in content(log))
            terminal.type(b"d")
            passes = terminal.until(lambda: b"\033[3;1Hdrawn" in terminal.shown)
            terminal.type(b"q")
            status = terminal.end()
            said = terminal.shown.count(b"has crashed")
            report(f"{number.name} of the model's process: the program goes on, is asked to draw, and passes; status 7, said once",
                   painted and asked and passes and status == 7 and said == 1 and terminal.is_restored()
                   and until(lambda: not model_of(terminal.pid), 5),
                   f"{painted} {asked} {passes} {status} {said} {terminal.shown[-200:]}" if status != 7 or said != 1 else "")
    with Terminal(run(*SIGNALS, log)) as terminal:
        terminal.sees("┌picture┐".encode())
        model = until(lambda: model_of(terminal.pid), 5) and model_of(terminal.pid)
        terminal.signal(signal.SIGKILL)
        terminal.end()
        report("after kill -9 of settle the model's process has gone", bool(model) and until(lambda: not os.path.exists(f"/proc/{model[0]}"), 10))
    errors = folder / "errors"
    for size in ((65535, 65535), (16000, 16000)):
        log.unlink(missing_ok=True)
        errors.unlink(missing_ok=True)
        with Terminal(["sh", "-c", 'exec "$@" 2>"$0"', errors, *map(str, run(*SIGNALS, log, options=["--hold-screen"]))], size=size) as terminal:
            terminal.sees("┌picture┐".encode())
            memory = max(status_figure(pid, "VmRSS") for pid in (terminal.pid, *children(terminal.pid)))
            terminal.resize(24, 80)
            given = terminal.until(lambda: b"80 24" in content(log))
            terminal.type(b"q")
            status = terminal.end()
            said = content(errors).decode()
            report(f"a terminal of {size[0]}×{size[1]}: the program runs, without memory for a model, which is said once",
                   given and status == 7 and memory < 200_000 and said.count("is not modelled") == 1, f"{memory} KB, {said.strip()}")
