"""How the table of `settle watch` ends: by keys, signals, a lost display or terminal, and on terminals that can
show none. For table.py."""
import os
import signal

from desktop import Desktop, Window
from results import planted, report, verify
from support import PATIENCE, RECORDING, SETTLE, children, content, end_problem, log_problem, settle, sizes_of, stop, until, without
from terminals import Pane, Terminal, Tmux
from wayland_peers import Compositor

ENTER, LEAVE, HIDE, SHOW = b"\033[?1049h", b"\033[?1049l", b"\033[?25l", b"\033[?25h"
# Which of two threads sees the end of its terminal first is chance.
CLOSED_TERMINALS = 12


def watch(desktop, *options):
    return [SETTLE, "watch", "--display", desktop.display, *options]


def left_problem(terminal, status, *said):
    """Why a table has not ended with a status, the modes, screen and cursor of before, and a message on that screen."""
    problem, shown = end_problem(terminal.end(), status), terminal.shown
    if problem or not terminal.is_restored():
        return problem or "the terminal's modes are not those of before"
    for on, off in ((ENTER, LEAVE), (HIDE, SHOW)):
        if not -1 < shown.rfind(on) < shown.rfind(off):
            return f"{on} was not left"
    drawn, _, after = shown.rpartition(LEAVE)
    wrong = [words for words in said if words not in after or words in drawn[drawn.rfind(ENTER):]]
    return f"{wrong} are not printed after the table, and only there: {after[-300:]!r}" if wrong else None


def test_ends(folder):
    with Desktop(folder) as desktop:
        window = Window(desktop, "only")
        for name, key, number in (("q", b"q", 0), ("Ctrl-C", b"\x03", 0), ("SIGINT", b"", signal.SIGINT), ("SIGTERM", b"", signal.SIGTERM),
                                  ("SIGHUP", b"", signal.SIGHUP)):
            log = folder / f"{name}.settle"
            with Terminal(watch(desktop, "--record", log)) as terminal:
                terminal.sees(b"only")
                window.resize(300 + len(name), 250)
                terminal.type(key)
                if number:
                    terminal.signal(number)
                verify(f"{name} ends it with status 0; modes, screen and cursor are back, the recording is whole",
                       left_problem(terminal, 0, str(log).encode()) or log_problem(log))
        with Terminal(watch(desktop)) as terminal:
            terminal.sees(b"only")
            stop(desktop.server, signal.SIGKILL)
            verify("a server that is killed ends it with status 3, and the cause is said after the table",
                   left_problem(terminal, 3, b"the X server closed the connection"))
            planted("a message that is lost", left_problem(terminal, 3, b"never said"))


def test_messages(folder):
    """Standard error is kept meanwhile: what settle says, and what an app prints, also on its standard output."""
    with Desktop(folder, None, ("Xvfb", "-screen", "0", "640x480x24", "-screen", "1", "640x480x24")) as desktop:
        with Terminal(watch(desktop)) as terminal:
            said = terminal.sees(b"only screen 0 of this display's 2")
            terminal.type(b"q")
            # In the table's last line but one, and again after it.
            problem = left_problem(terminal, 0, b"settle: only screen 0 of this display's 2")
            verify("a message is shown below the table, and said again after it", problem if said else "it is not shown")
    with Compositor(folder) as compositor:
        # What is kept is looked at once a second. The last 1 MB of what was shown includes only what the table drew.
        for what, app, status, kept in (
                ("what an app prints is kept until the table has ended, with the app's status",
                 "echo on the output; echo on the errors >&2; sleep 1.5; exit 5", 5, [b"on the output\r\n", b"on the errors\r\n"]),
                ("of much that an app prints the last is kept", "yes noise | head -c 3000000 >&2; sleep 2.5; echo the last >&2",
                 0, [b"earlier messages", b"the last\r\n"])):
            with Terminal([SETTLE, "watch", "--", "sh", "-c", app], environment=compositor.environment) as terminal:
                problem = left_problem(terminal, status, *kept)
                verify(what, problem or (None if terminal.count <= 1 << 20 else f"{terminal.count} bytes are shown"))


def test_jobs(folder):
    with Desktop(folder) as desktop, Tmux() as tmux:
        window = Window(desktop, "stays")
        pane = Pane(tmux, watch(desktop))
        for turn in (1, 2):
            pane.sees("{}×{}".format(*window.size()))
            pane.keys("C-z")
            stopped = until(pane.is_given_back)
            window.resize(500 + turn, 400)
            pane.type("clear; fg; echo status=$?")
            resumed = until(lambda: pane.shows_table() and f"{500 + turn}×400" in pane.screen())
            report(f"Ctrl-Z gives the modes and the screen back, and fg shows the table with what has changed, time {turn}",
                   stopped and resumed, f"stopped {stopped}, resumed {resumed}")
        # Stopped by somebody else it cannot give the screen back, and draws all of it again.
        os.kill(children(int(tmux.get(pane.name, "pane_pid")))[0], signal.SIGSTOP)
        pane.sees("Stopped")
        # The shell has the modes of the table, in which a return is none.
        pane.keys("-l", "clear; fg; echo status=$?")
        pane.keys("C-j")
        whole = until(lambda: all(words in pane.screen() for words in ("settle watch (", "window ", "stays", "q quits")))
        report("fg after SIGSTOP shows the whole table", whole, pane.screen())
        pane.keys("q")
        verify("q after Ctrl-Z and fg leaves the modes and the screen of before", pane.left_problem())
        pane = Pane(tmux, watch(desktop))
        os.kill(children(int(tmux.get(pane.name, "pane_pid")))[0], signal.SIGKILL)
        planted("a table that is killed and leaves its screen", pane.left_problem(128 + signal.SIGKILL))


def test_closed(folder):
    with Desktop(folder) as desktop:
        Window(desktop, "seen")
        problems = []
        for number in range(CLOSED_TERMINALS):
            log, errors = folder / f"{number}.settle", folder / f"{number}.txt"
            words = " ".join(map(str, watch(desktop, "--record", log)))
            with Terminal(["sh", "-c", f"exec {words} 2>{errors}"], keep=False) as terminal:
                terminal.sees(b"seen")
                terminal.hang_up()
                status = terminal.process.wait(PATIENCE)
                problems.append(end_problem(status, 3, content(errors), b"the terminal has closed") or log_problem(log)
                                or (None if sizes_of(log) else "the log has no size"))
        verify("a terminal that closes: status 3, the cause is said, the recording is whole",
               next(filter(None, problems), None), f"{len(problems)} times")


def test_unread(folder):
    """A terminal whose output is stopped, as by Ctrl-S, until the end: nothing that is to be written there waits."""
    log = folder / "unread.settle"
    with Desktop(folder) as desktop, Terminal(watch(desktop, "--record", log)) as terminal:
        window = Window(desktop, "goes on")
        terminal.sees(b"goes on")
        sizes = [window.size()]
        terminal.type(b"\x13")
        terminal.look(0.3)
        shown = terminal.count
        for number in range(300):
            sizes.append((301 + number, 200))
            window.resize(*sizes[-1])
        terminal.look(0.5)
        report("a terminal's output is stopped by Ctrl-S", terminal.count == shown, f"{terminal.count - shown} bytes came")
        report("a terminal whose output is stopped delays no recording", until(lambda: sizes_of(log) == sizes), f"{len(sizes)} sizes")
        terminal.signal(signal.SIGTERM)
        status = terminal.end()
        report("and SIGTERM ends it without the terminal", status in (0, 3) and sizes_of(log) == sizes, f"status {status}")


def test_refused(folder):
    """Terminals that can show no table. An older recording stays what it was."""
    log = folder / "older.settle"
    settle("convert", RECORDING, log, check=True)
    kept = log.read_bytes()
    with Desktop(folder) as desktop:
        kinds = [("of an unknown type", [], "nonsense", b"terminal's type is unknown"),
                 ("that cannot move its cursor", [], "dumb", b"set TERM"),
                 ("without ncurses", without("libncursesw.so.6"), "xterm-256color", b"install libncursesw6")]
        # Only root can hide ncurses.
        for name, prefix, kind, words in kinds if os.geteuid() == 0 else kinds[:2]:
            with Terminal([*prefix, *watch(desktop, "--record", log, "--force")], environment={"TERM": kind}) as terminal:
                verify(f"a terminal {name}: status 3, and what to do is said", end_problem(terminal.end(), 3, terminal.shown, words))
                report(f"a terminal {name} is as it was, and so is an older recording",
                       terminal.is_restored() and ENTER not in terminal.shown and log.read_bytes() == kept)
