"""Terminals that a script plays, programs to run in them, and tables of `settle watch` in tmux."""
import contextlib
import fcntl
import hashlib
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from support import PATIENCE, SETTLE, Processes, steady, until

# A program that has a log and hears of each SIGWINCH begins so.
HEARS = """
import fcntl, os, select, signal, struct, sys, termios, time, tty
log = open(sys.argv[1], "ab", 0)
tty.setcbreak(0)
bell, ring = os.pipe()
os.set_blocking(ring, False)
signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
signal.signal(signal.SIGWINCH, lambda *_: None)
"""
# A program that needs 100 ms to redraw, and logs each redraw.
SLOW = [sys.executable, "-c", HEARS + """
def size(): return struct.unpack("HHHH", fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))[:2]
drawn = None
while True:
    while drawn != size():
        rows, columns = drawn = size()
        time.sleep(0.1)
        os.write(1, b"\\033[2J\\033[H" + b"\\r\\n".join(b"%d %d" % drawn for _ in range(rows)))
        log.write(b"%d %d\\n" % (columns, rows))
    ready = select.select([0, bell], [], [])[0]
    if bell in ready: os.read(bell, 4096)
    if 0 in ready and b"q" in os.read(0, 4096): sys.exit(7)
"""]
# Logs its keys up to a given number, and switches mode 2048 on if it is asked to.
KEYS = [sys.executable, "-c", """
import os, sys, time, tty
tty.setraw(0)
path, count, mode, pause = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
if mode == "report": os.write(1, b"\\033[?25l\\033[?20")
if mode == "report": os.write(1, b"48h")
os.write(1, b"ready")
seen = 0
with open(path, "ab", 0) as log:
    while seen < count:
        keys = os.read(0, 65536)
        if not keys: break
        seen += len(keys)
        log.write(keys)
        time.sleep(pause)
"""]


def run(*command, options=()):
    return [SETTLE, "run", *options, "--", *command]


class Terminal(Processes):
    """A terminal of our own, in which a command runs as in a new window."""

    def __init__(self, command, size=(24, 80), environment=None, prepare=lambda: None, keep=True):
        super().__init__({**os.environ, **(environment or {})})
        self.user, self.program = os.openpty()
        self.resize(*size)
        self.modes = termios.tcgetattr(self.program)
        self.shown, self.hash, self.count = b"", hashlib.sha256(), 0

        def begin():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            prepare()
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), self.program)
        self.process = self.start(command, start_new_session=True, preexec_fn=begin, **streams)
        self.pid = self.process.pid
        # The program's end, to look at its modes and to keep what it wrote last.
        if not keep:
            os.close(self.program)
            self.program = None
        os.set_blocking(self.user, False)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.hang_up()
        super().__exit__()

    def hang_up(self):
        for descriptor in (self.user, self.program):
            if descriptor is not None:
                os.close(descriptor)
        self.user = self.program = None

    def resize(self, rows, columns, pixels=(0, 0)):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.user, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, *pixels))

    def drag(self, dice, seconds=1.0, rate=60):
        """A window's edge in a hand: sizes of a random walk, a change every 1/rate s."""
        for _ in range(int(seconds * rate)):
            self.resize(max(10, self.rows + dice.randint(-1, 1)), max(40, self.columns + dice.choice([-2, -1, 1, 2])))
            self.look(1 / rate)

    def look(self, seconds=0.0):
        """Everything shown so far, after looking for so long; a flood is left after 20 ms more."""
        end = time.monotonic() + seconds
        while True:
            if select.select([self.user], [], [], max(0, end - time.monotonic()))[0]:
                try:
                    piece = os.read(self.user, 1 << 16)
                except OSError:
                    return self.shown
                self.count += len(piece)
                self.hash.update(piece)
                self.shown = (self.shown + piece)[-1 << 20:]
                if time.monotonic() >= end + 0.02:
                    return self.shown
            elif time.monotonic() >= end:
                return self.shown

    def until(self, condition, patience=PATIENCE):
        """Looks until a condition holds; whether it did."""
        return until(lambda: (self.look(0.01), condition())[1], patience)

    def sees(self, text, patience=PATIENCE):
        return self.until(lambda: text in self.shown, patience)

    def type(self, keys):
        """Types, as fast as the other side reads; what it shows meanwhile is looked at."""
        while keys:
            self.look()
            if select.select([], [self.user], [], 0.01)[1]:
                with contextlib.suppress(BlockingIOError):
                    keys = keys[os.write(self.user, keys):]

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self, patience=PATIENCE):
        """The status of the command once it has ended, negative for a signal; None if it has not."""
        def is_quiet():
            before = self.count
            self.look()
            return self.count == before
        self.until(lambda: self.process.poll() is not None, patience)
        until(is_quiet, patience)
        return self.process.returncode

    def is_restored(self):
        return termios.tcgetattr(self.program) == self.modes


class Tmux:
    """A tmux of its own. Use it in `with`."""

    def __init__(self):
        self.socket, self.names = f"settle-{os.getpid()}", 0
        self("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sleep", "600")
        self.server = int(self("display-message", "-p", "#{pid}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.server, signal.SIGKILL)

    def __call__(self, *words):
        return subprocess.run(["tmux", "-L", self.socket, *map(str, words)], stdout=subprocess.PIPE, text=True).stdout

    def window(self, command, columns=80, rows=24):
        self.names += 1
        name = f"w{self.names}"
        self("new-window", "-d", "-n", name, *command)
        self.resize(name, columns, rows)
        return name

    def resize(self, name, columns, rows):
        self("resize-window", "-t", name, "-x", columns, "-y", rows)

    def get(self, name, what):
        """A variable of a window's pane, as pane_pid."""
        return self("display-message", "-p", "-t", name, f"#{{{what}}}").strip()

    def screen(self, name):
        return self("capture-pane", "-p", "-t", name)

    def steady_screen(self, name):
        """The screen once it has not changed for a second."""
        return steady(lambda: self.screen(name), 10, 0.1)


class Pane:
    """A shell in tmux, and the table of a command in it."""

    def __init__(self, tmux, command):
        self.tmux, self.name = tmux, tmux.window(["env", "PS1=prompt> ", "ENV=", "sh"], 120)
        self.sees("prompt>")
        self.modes = self.read_modes()
        self.type(" ".join(map(str, command)) + "; echo status=$?")
        self.sees("q quits")

    def read_modes(self):
        with open(self.tmux.get(self.name, "pane_tty"), "rb", 0) as terminal:
            return termios.tcgetattr(terminal)

    def keys(self, *names):
        self.tmux("send-keys", "-t", self.name, *names)

    def type(self, line):
        self.keys("-l", line)
        self.keys("Enter")

    def screen(self):
        return self.tmux.screen(self.name)

    def sees(self, text):
        return until(lambda: text in self.screen())

    def shows_table(self):
        return self.tmux.get(self.name, "alternate_on") == "1"

    def is_given_back(self):
        """Whether the terminal has the modes and the screen of before the table."""
        return self.read_modes() == self.modes and not self.shows_table()

    def left_problem(self, status=0):
        """Why it is not as it was before the table."""
        if not self.sees(f"status={status}\n"):
            return f"no status {status}: {self.screen()!r}"
        if not self.is_given_back():
            return "the terminal's modes or its screen are not those of before"
        # What was there before the table is on the normal screen.
        has_table = "settle watch (" in self.screen() or "prompt>" not in self.screen()
        return f"the screen is {self.screen()!r}" if has_table else None
