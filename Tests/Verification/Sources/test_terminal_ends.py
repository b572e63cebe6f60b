"""How `settle run` ends and stops, and what is left then; how it runs in the background, and without its display or a
terminal. For terminal.py."""
import contextlib
import os
import select
import signal
import subprocess
import sys
import termios

from desktop import Desktop, Relay
from results import report
from support import PATIENCE, SETTLE, children, content, events_of, is_alive, settle, until
from terminals import SLOW, Terminal, run


@contextlib.contextmanager
def drawn(folder, **options):
    """A terminal in which the slow program has drawn, and its settle's descendants: the session's leader and it."""
    log = folder / "redraws"
    log.unlink(missing_ok=True)
    with Terminal(run(*SLOW, log), **options) as terminal:
        terminal.until(lambda: len(children(terminal.pid)) >= 2 and content(log))
        yield terminal, children(terminal.pid)


def test_kills(folder):
    gone = lambda family: until(lambda: not any(map(is_alive, family)))
    for name, kills, number, status in (
            ("kill -9 of the program", 2, signal.SIGKILL, 137), ("kill -9 of the session's leader", 1, signal.SIGKILL, 137),
            ("settle ended by SIGABRT", 0, signal.SIGABRT, -6), ("settle ended by SIGSEGV", 0, signal.SIGSEGV, -11),
            ("settle ended by SIGUSR1", 0, signal.SIGUSR1, -10), ("settle ended by SIGRTMIN", 0, signal.SIGRTMIN, -signal.SIGRTMIN),
            ("settle ended by SIGRTMAX", 0, signal.SIGRTMAX, -signal.SIGRTMAX)):
        with drawn(folder) as (terminal, family):
            os.kill([terminal.pid, *family][kills], number)
            report(f"{name}: status {status}, modes restored, nothing left",
                   terminal.end() == status and terminal.is_restored() and gone(family), f"status {terminal.process.returncode}")
    with drawn(folder) as (terminal, family):
        terminal.signal(signal.SIGKILL)
        ended = terminal.end() == -9 and gone(family) and not terminal.is_restored()
        subprocess.run(["stty", "sane"], stdin=terminal.program, check=True)
        report("kill -9 of settle: the program ends, and stty sane restores the modes",
               ended and termios.tcgetattr(terminal.program)[3] & termios.ICANON)
    with drawn(folder, keep=False) as (terminal, family):
        terminal.hang_up()
        status = terminal.process.wait(PATIENCE)
        report("a terminal that closes: settle ends with status 3, nothing left", status == 3 and gone(family), f"status {status}")


def test_signals():
    for name in ("INT", "TERM", "HUP", "QUIT"):
        with Terminal(run("sh", "-c", f"trap 'echo got {name}; exit 5' {name}; echo ready; while :; do sleep 0.02; done")) as terminal:
            terminal.sees(b"ready")
            terminal.signal(getattr(signal, "SIG" + name))
            report(f"SIG{name} is passed to the program", terminal.end() == 5 and b"got " + name.encode() in terminal.shown and terminal.is_restored())
    ignorable = (signal.SIGPIPE, signal.SIGXFSZ)
    for action in (signal.SIG_DFL, signal.SIG_IGN):
        with Terminal(run("grep", "SigIgn", "/proc/self/status"), prepare=lambda: [signal.signal(number, action) for number in ignorable]) as terminal:
            terminal.end()
            ignored = [bool(int(terminal.shown.split()[-1], 16) >> number - 1 & 1) for number in ignorable]
            report(f"the program has {action.name} for SIGPIPE and SIGXFSZ as who started settle", ignored == [action == signal.SIG_IGN] * 2)


def test_jobs(folder):
    """Ctrl-Z, fg, bg and & in bash: each step is what is typed, and what is seen then, after a change of the terminal's
    size; the first that fails ends the check."""
    # No loop of a shell, in any terminal: a Ctrl-Z between its vfork and the child's exec hangs both, and a Ctrl-C that
    # comes as a child ends may be taken for the child's.
    (folder / "ticks.py").write_text("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                                     "signal.signal(signal.SIGCONT, lambda *_: print('continued', flush=True))\n"
                                     "while True:\n    time.sleep(0.05)\n    print('tick', flush=True)\n")
    begun = lambda shell: len(children(shell.pid)) >= 3
    in_front = lambda shell: os.tcgetpgrp(shell.user) == os.getpgid(children(shell.pid)[0])
    raw = lambda shell: not termios.tcgetattr(shell.program)[3] & termios.ICANON
    stop, given_back = (b"\x1a", b"Stopped"), (b"stty -a | grep -o ' icanon'\r", b" icanon\r\n")
    to_front, status = (b"fg\r", in_front), lambda number: (b"echo status=$?\r", b"status=%d\r" % number)
    ticks, tick = f"{sys.executable} {folder / 'ticks.py'}", (b"", b"tick")
    back = [tick, given_back, to_front, (b"", raw), tick, (b"\x03", b"prompt> "), status(130)]
    for what, command, steps in (
            ("Ctrl-Z and fg of cat", "cat\r", [(b"", begun), stop, given_back, to_front, (b"", raw), (b"more\r\x04", b"prompt> "), status(0)]),
            ("Ctrl-Z and fg of vim", "vim -u NONE -n\r", [(b"", begun), stop, given_back, (b"fg\r", b"~"), (b"\033:q!\r", b"prompt> "), status(0)]),
            ("Ctrl-Z and fg of a script", ticks + "\r",
             [tick, stop, given_back, (b"fg\r", b"continued"), (b"", raw), (b"\x03", b"prompt> "), status(130)]),
            ("a job that is started in the background writes, leaves the terminal to the shell, and reads after fg", ticks + " &\r", back),
            ("a job that Ctrl-Z and bg put there does as well", ticks + "\r", [tick, stop, (b"bg\r", b" &\r\n"), *back])):
        with Terminal(["bash", "--norc", "-i"], environment={"PS1": "prompt> "}) as shell:
            shell.sees(b"prompt> ")
            shell.type(f"{SETTLE} run -- {command}".encode())
            # A program's modes, and its whole screen.
            shell.look(0.5)
            failed = None
            for keys, wanted in steps:
                shown = len(shell.look(0.1))
                shell.resize(24 + len(keys), 90)
                shell.type(keys)
                if not shell.until(lambda: wanted(shell) if callable(wanted) else wanted in shell.shown[shown:], 10):
                    failed = keys, wanted
                    break
            report(what, not failed, f"not {failed}: {shell.shown[-300:]}" if failed else "")


def test_streams(folder):
    user, other = os.openpty()
    with Terminal(["sh", "-c", f"{SETTLE} run -- sh -c 'echo out; echo err >&2' 2>{os.ttyname(other)}"]) as terminal:
        terminal.end()
        got = os.read(user, 100) if select.select([user], [], [], 5)[0] else b""
        report("a stream that is another terminal stays the program's", got == b"err\r\n" and terminal.shown == b"out\r\n", got)
    with Terminal(["sh", "-c", f"{SETTLE} run -- sh -c '[ -t 2 ] && tty <&2' 2>/dev/tty; tty"]) as terminal:
        terminal.end()
        names = terminal.shown.split()
        report("a stream that is the same terminal by another name is replaced", len(names) == 2 and names[0] != names[1], names)
    with Terminal(["sh", "-c", f"echo through a pipe | {SETTLE} run -- less"]) as terminal:
        seen = terminal.sees(b"through a pipe")
        terminal.type(b"q")
        report("standard input that is no terminal is the program's, and keys are the terminal's", seen and terminal.end() == 0)
    alone = settle("run", "sh", "-c", "cat; echo err >&2; exit 7", input="in")
    report("without a terminal the program is simply run", (alone.returncode, alone.stdout, alone.stderr) == (7, "in", "err\n"), alone)
    for program, status in (("/there/is/none", 127), ("/etc/passwd", 126)):
        with Terminal(run(program)) as terminal:
            report(f"{program} ends with {status}, the modes restored", terminal.end() == status and terminal.is_restored(), terminal.shown.strip())
    with Terminal(run("touch", str(folder / "mark"), options=["--record", str(folder / "none" / "log.settle")])) as terminal:
        report("a recording that cannot be begun is an error, and nothing is run", terminal.end() == 3 and not (folder / "mark").exists(),
               terminal.shown.decode().strip())


def test_display(folder):
    """X servers that end while a button is held: one is killed, and one is written to before its end is seen."""
    pressed = lambda log: [event["pressed"] for event in events_of(log) if event.get("kind") == "pointer"]
    for how in ("is killed", "takes no more questions"):
        log, recording = folder / "redraws", folder / f"{how}.settle"
        with Desktop(folder) as desktop, Relay(desktop.display) as relay:
            desktop.pointer.button(1, True)
            command = run(*SLOW, log, options=["--record", recording])
            # Python ignores SIGPIPE, and a shell does not.
            with Terminal(command, environment={"DISPLAY": relay.display, "WINDOWID": "5"},
                          prepare=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)) as terminal:
                held = terminal.until(lambda: pressed(recording) == [True])
                terminal.resize(30, 100)
                if how == "is killed":
                    desktop.server.kill()
                else:
                    relay.be_deaf()
                    # A new window is asked about.
                    desktop.start(["xterm"])
                given = terminal.until(lambda: content(log).endswith(b"100 30\n"))
                terminal.type(b"q")
                report(f"an X server that {how} ends neither settle nor the program, and releases the button",
                       held and given and terminal.end() == 7 and terminal.is_restored() and pressed(recording) == [True, False],
                       f"{pressed(recording)}")
