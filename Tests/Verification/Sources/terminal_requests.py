"""What is left when the model of a screen crashes. For terminal.py."""
import os
import signal
import sys

from support import children, content, report, status_figure, until
from terminals import Terminal, run

# Logs the size at each SIGWINCH, on the alternate screen, and draws nothing then. q ends it.
SIGNALS = [sys.executable, "-c", """
import os, select, signal, sys, tty
log = open(sys.argv[1], "ab", 0)
tty.setcbreak(0)
bell, ring = os.pipe()
os.set_blocking(ring, False)
signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
signal.signal(signal.SIGWINCH, lambda *_: None)
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


def model_of(pid):
    """The process of the model below a settle."""
    return [child for child in children(pid) if content(f"/proc/{child}/comm").strip() == b"settle-screen"]


def check_crashes(folder):
    """The model's process ends, stops, or cannot be: the program goes on, which is said once."""
    log = folder / "log"
    held = ["--quiet-delay", "60s", "--quiet-maximum", "60s", "--jump-delay", "none"]
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


CHECKS = {"crashes": check_crashes}
