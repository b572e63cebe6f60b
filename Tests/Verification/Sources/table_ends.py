"""How the table of `settle watch` ends: by keys, signals, a lost display or terminal, and on terminals that can
show none. For table.py."""
import os
import signal
import subprocess

import table_checks as checks
import wayland_peers as peers
from processes import loaded_files, stop, without
from table_tools import Pane, cat, desktop, verify, watch, work
from terminals import SETTLE, Terminal, children, content, until
from terminal_ends import terminal_status
from x11_desktop import Window

# Which of two threads sees the end of its terminal first is chance.
CLOSED_TERMINALS = 12


def started(command, text=b"q quits", **options):
    """A terminal in which the table is drawn."""
    terminal = Terminal(command, **options)
    terminal.sees(text)
    return terminal


def end_problem(terminal, status, *said):
    """Why a table has not ended with a status and a message on the terminal of before."""
    found = terminal.end()
    problem = checks.not_restored(terminal.shown, terminal.is_restored()) or checks.not_kept(terminal.shown, said)
    terminal.close()
    return f"status {found}, expected {status}" if found != status else problem


def check_ends(_):
    with desktop("ends", None) as found:
        window = Window(found, "only")
        for name, act in (
                ("q", lambda terminal: terminal.type(b"q")), ("Ctrl-C", lambda terminal: terminal.type(b"\x03")),
                *((f"SIG{name}", lambda terminal, name=name: os.kill(terminal.process, getattr(signal, "SIG" + name)))
                  for name in ("INT", "TERM", "HUP"))):
            log = work / f"ends-{name}.settle"
            terminal = started(watch(found, "--record", log))
            terminal.sees(b"only")
            window.resize(300 + len(name), 250)
            act(terminal)
            problem = end_problem(terminal, 0, str(log).encode())
            valid = subprocess.run([SETTLE, "validate", log], capture_output=True, text=True)
            verify(f"{name} ends it with status 0; modes, screen and cursor are back, the recording is whole",
                   problem or (None if valid.returncode == 0 else valid.stderr))
        terminal = started(watch(found))
        stop(found.server, signal.SIGKILL)
        verify("a server that is killed ends it with status 3, and the cause is said after the table",
               end_problem(terminal, 3, b"the X server closed the connection"))


def check_messages(_):
    """Standard error is kept meanwhile: what settle says, and what an app prints, also on its standard output."""
    two = ("Xvfb", "-screen", "0", "640x480x24", "-screen", "1", "640x480x24")
    with desktop("screens", None, server=two) as found:
        terminal = started(watch(found), b"only screen 0 of this display's 2")
        terminal.type(b"q")
        # In the table's last line but one, and again after it.
        words = b"settle: only screen 0 of this display's 2"
        verify("a message is shown below the table, and said again after it", end_problem(terminal, 0, words))
    with peers.Compositor() as compositor:
        lasts = os.path.join(compositor.folder, "lasts")
        app = f"echo on the output; echo on the errors >&2; touch {lasts}; while [ -e {lasts} ]; do sleep 0.05; done; exit 5"
        environment = {"XDG_RUNTIME_DIR": compositor.folder, "WAYLAND_DISPLAY": "compositor"}
        terminal = started([SETTLE, "watch", "--", "sh", "-c", app], prepare=lambda: os.environ.update(environment))
        until(lambda: os.path.exists(lasts))
        # Some pictures more.
        terminal.look(0.5)
        os.remove(lasts)
        status = terminal.end()
        problem = checks.not_kept(terminal.shown, [b"on the output\r\n", b"on the errors\r\n"])
        problem = problem or checks.not_restored(terminal.shown, terminal.is_restored())
        verify("what an app prints is kept until the table has ended, with the app's status",
               problem or (None if status == 5 else f"status {status}, expected 5"))
        terminal.close()
        # What is kept is looked at once a second.
        app = "yes noise | head -c 3000000 >&2; sleep 2.5; echo the last >&2"
        terminal = started([SETTLE, "watch", "--", "sh", "-c", app], prepare=lambda: os.environ.update(environment))
        status, problem = terminal.end(), None
        if status != 0 or terminal.count > 1 << 20:
            problem = f"status {status}, {terminal.count} bytes"
        verify("of much that an app prints the last is kept",
               problem or checks.not_kept(terminal.shown, [b"earlier messages", b"the last\r\n"]))
        terminal.close()


def check_jobs(tmux):
    with desktop("jobs", None) as found:
        window = Window(found, "stays")
        pane = Pane(tmux)
        pane.start(watch(found))
        for turn in (1, 2):
            size = lambda: checks.wrong_sizes(checks.table(pane.screen()), {"stays": window.size()})
            until(lambda: not size())
            pane.keys("C-z")
            stopped = until(pane.is_given_back)
            window.resize(500 + turn, 400)
            pane.keys("-l", "clear; fg; echo status=$?")
            pane.keys("Enter")
            resumed = until(lambda: pane.shows_table() and not size())
            verify(f"Ctrl-Z gives the modes and the screen back, and fg shows the table with what has changed, time {turn}",
                   None if stopped and resumed else f"stopped {stopped}, resumed {resumed}: {size()}")
        pane.keys("q")
        verify("q after Ctrl-Z and fg leaves the modes and the screen of before", pane.left_problem())
        pane = Pane(tmux)
        pane.start(watch(found))
        shell = int(tmux("display-message", "-p", "-t", pane.name, "#{pane_pid}"))
        os.kill(children(shell)[0], signal.SIGKILL)
        problem = pane.left_problem(128 + signal.SIGKILL)
        verify("planted: a table that is killed and leaves its screen is found", None if problem and not pane.is_given_back() else "it was not found")


def closed_problem(status, said, log):
    valid = subprocess.run([SETTLE, "validate", log], capture_output=True, text=True)
    if status != 3 or "the terminal has closed" not in said:
        return f"status {status}: {said!r}"
    return None if valid.returncode == 0 and cat(log) else valid.stderr or "the log has no event"


def check_closed_terminals(_):
    with desktop("closed", None) as found:
        Window(found, "seen")
        problems = []
        for number in range(CLOSED_TERMINALS):
            log, errors = work / f"closed{number}.settle", work / f"closed{number}.txt"
            words = " ".join(map(str, watch(found, "--record", log)))
            terminal = started(["sh", "-c", f"exec {words} 2>{errors}"], b"seen", keep=False)
            terminal.hang_up()
            problems.append(closed_problem(terminal_status(terminal), content(errors).decode(), log))
            terminal.close()
        verify("a terminal that closes: status 3, the cause is said, the recording is whole",
               next((problem for problem in problems if problem), None), f"{len(problems)} times")
        verify("planted: a terminal that closes with status 0 is found",
               None if closed_problem(0, "settle: the terminal has closed", work / "closed0.settle") else "it was not found")


def unread_problem(terminal, log, sizes):
    """Why a table on a terminal that takes no output has not ended, or has lost events."""
    status = terminal.end()
    if status is None:
        return "it has not ended"
    recorded = [(event["width"], event["height"]) for event in cat(log) if "width" in event]
    if status not in (0, 3) or recorded != sizes:
        return f"status {status}, {len(recorded)} of {len(sizes)} sizes"
    return None


def check_unread_terminals(_):
    """A terminal whose output is stopped, as by Ctrl-S, until the end: nothing that is to be written there waits."""
    with desktop("unread", None) as found:
        window = Window(found, "goes on")
        log = work / "unread.settle"
        sizes = [window.size()]

        def change(count):
            for _ in range(count):
                sizes.append((300 + len(sizes), 200))
                window.resize(*sizes[-1])
        terminal = started(watch(found, "--record", log), b"goes on")
        terminal.type(b"\x13")
        terminal.look(0.3)
        shown = terminal.count
        change(300)
        terminal.look(0.5)
        verify("a terminal's output is stopped by Ctrl-S", None if terminal.count == shown else f"{terminal.count - shown} bytes came")
        has_all = until(lambda: sum("width" in event for event in cat(log)) == len(sizes))
        verify("a terminal whose output is stopped delays no recording", None if has_all else f"{len(cat(log))} events", f"{len(sizes)} sizes")
        os.kill(terminal.process, signal.SIGTERM)
        verify("and SIGTERM ends it without the terminal", unread_problem(terminal, log, sizes))
        terminal.close()
        terminal = started(watch(found))
        terminal.type(b"q")
        verify("planted: a size that is lost is found", None if unread_problem(terminal, log, [*sizes, sizes[0]]) else "it was not found")
        terminal.close()


def check_small(_):
    with desktop("small", None) as found:
        Window(found, "seen")
        for rows, columns in ((3, 10), (1, 1), (2, 200), (60, 3)):
            terminal = started(watch(found), b"s", size=(rows, columns))
            terminal.look(0.3)
            goes_on = terminal.end(0) is None
            terminal.resize(24, 100)
            shown = terminal.sees("400×300".encode())
            terminal.type(b"q")
            problem = end_problem(terminal, 0)
            verify(f"a terminal of {columns}x{rows} is enough to go on; with more room the rows are there",
                   problem if goes_on and shown else f"goes on {goes_on}, rows {shown}")


def refused_problem(terminal, words):
    """Why a terminal that can show no table was not refused as it should."""
    status = terminal.end(10)
    shown, restored = terminal.shown, terminal.is_restored()
    if status is None:
        terminal.type(b"q")
        terminal.end()
    terminal.close()
    if status != 3 or words not in shown:
        return f"status {status}: {shown[:200]!r}"
    return None if restored and checks.ENTER not in shown else "the terminal is not as it was"


def check_refused(_):
    """Terminals that can show no table. An older recording stays what it was."""
    with desktop("refused", None) as found:
        Window(found, "seen")
        log = work / "older.settle"
        subprocess.run([SETTLE, "convert", RECORDING, log], check=True, capture_output=True)
        kept = log.read_bytes()
        kinds = [("of an unknown type", [], "nonsense", b"terminal's type is unknown"),
                 ("that cannot move its cursor", [], "dumb", b"set TERM")]
        if os.geteuid() == 0:
            kinds.append(("without ncurses", without(*loaded_files("libncursesw.so.6")), "xterm-256color", b"install libncursesw6"))
        else:
            print("     only root can hide ncurses; not tried without it")
        for name, before, kind, words in kinds:
            terminal = Terminal([*before, *watch(found, "--record", log, "--force")], prepare=lambda: os.environ.update(TERM=kind))
            verify(f"a terminal {name}: status 3, and what to do is said", refused_problem(terminal, words))
            verify(f"a terminal {name}: an older recording is not replaced",
                   None if log.read_bytes() == kept else f"{len(kept)} bytes are {log.stat().st_size} now")
            log.write_bytes(kept)
        terminal = started(watch(found))
        terminal.type(b"q")
        verify("planted: a table that is drawn is not refused",
               None if refused_problem(terminal, b"set TERM") else "it was not found")


RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Recordings/w06_weston_long.jsonl")
CHECKS = {"ends": check_ends, "messages": check_messages, "jobs": check_jobs, "closed": check_closed_terminals,
          "unread": check_unread_terminals, "small": check_small, "refused": check_refused}
