"""Tables of `settle watch` in tmux, and what their checks share."""
import contextlib
import json
import os
import pathlib
import subprocess
import termios

from terminals import SETTLE, folder, report, until
from x11_desktop import Desktop

work = pathlib.Path(folder)


def verify(name, problem, figure=""):
    """Prints a line; a problem is None or a text."""
    report(name, problem is None, figure if problem is None else problem)


@contextlib.contextmanager
def desktop(name, manager="openbox", **options):
    path = work / name
    path.mkdir(mode=0o700)
    with Desktop(path, manager, **options) as found:
        yield found


def watch(found, *options):
    return [SETTLE, "watch", "--display", found.display, *map(str, options)]


def cat(log):
    lines = subprocess.run([SETTLE, "cat", log], capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines[1:]]


def replayed(log, *options):
    return subprocess.run([SETTLE, "replay", log, *options], capture_output=True, text=True, check=True).stdout


class Pane:
    """A shell in tmux, and the table in it."""

    def __init__(self, tmux, columns=120, rows=24):
        self.tmux = tmux
        self.name = tmux.window(["env", "PS1=prompt> ", "ENV=", "sh"])
        self.resize(columns, rows)
        self.sees("prompt>")
        self.modes = self.read_modes()

    def read_modes(self):
        with open(self.tmux("display-message", "-p", "-t", self.name, "#{pane_tty}").strip(), "rb", 0) as terminal:
            return termios.tcgetattr(terminal)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-t", self.name, "-x", str(columns), "-y", str(rows))

    def keys(self, *names):
        self.tmux("send-keys", "-t", self.name, *names)

    def screen(self):
        return self.tmux.screen(self.name)

    def sees(self, text):
        return until(lambda: text in self.screen())

    def start(self, command):
        self.keys("-l", " ".join(map(str, command)) + "; echo status=$?")
        self.keys("Enter")
        return self.sees("q quits")

    def shows_table(self):
        return self.tmux("display-message", "-p", "-t", self.name, "#{alternate_on}").strip() == "1"

    def is_given_back(self):
        """Whether the terminal has the modes and the screen of before the table."""
        return self.read_modes() == self.modes and not self.shows_table()

    def left_problem(self, status=0):
        """Why it is not as it was before the table."""
        if not self.sees(f"status={status}\n"):
            return f"no status {status}: {self.screen()!r}"
        if self.read_modes() != self.modes:
            return "the terminal's modes are not those of before"
        # What was there before the table is on the normal screen.
        has_table = self.shows_table() or "settle watch (" in self.screen() or "prompt>" not in self.screen()
        return f"the screen is {self.screen()!r}" if has_table else None
