"""Terminals that a script plays, programs to run in them, and tmux, for terminal.py."""
import contextlib
import fcntl
import hashlib
import os
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

import processes  # noqa: F401, for the signals' default actions

SETTLE = os.path.abspath(os.environ.get("SETTLE", "settle"))
EVERY_CHANGE = ["--quiet-delay", "0", "--quiet-maximum", "0", "--jump-delay", "none"]
PATIENCE = 30
passed = failed = 0
folder = tempfile.mkdtemp(prefix="settle-terminal-")


def report(name, is_right, figure=""):
    global passed, failed
    passed, failed = passed + bool(is_right), failed + (not is_right)
    print(f"{'ok  ' if is_right else 'FAIL'} {name}{': ' if figure != '' else ''}{figure}", flush=True)


def until(condition, patience=PATIENCE):
    """Waits until a condition holds; whether it did."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def content(path):
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read()
    return b""


def script(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def emptied(name):
    """The path of a file of the folder, which does not exist any more."""
    path = os.path.join(folder, name)
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
    return path


# A program that needs 100 ms to redraw, and logs each redraw.
SLOW = script("slow.py", """
import fcntl, os, select, signal, struct, sys, termios, time, tty
log = open(sys.argv[1], "ab", 0)
tty.setcbreak(0)
bell, ring = os.pipe()
os.set_blocking(ring, False)
signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
signal.signal(signal.SIGWINCH, lambda *_: None)
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
""")

# Logs its keys up to a given number, and switches mode 2048 on if it is asked to.
KEYS = script("keys.py", """
import os, sys, termios, time, tty
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
""")

TEXT = script("text", "".join(f"{number} " + "word " * 30 + "\n" for number in range(2000)))


class Terminal:
    """A terminal of our own, in which a command runs as in a new window."""

    open = []

    def __init__(self, command, size=(24, 80), prepare=lambda: None, keep=True):
        self.user, program = os.openpty()
        self.rows, self.columns = size
        self.resize(*size)
        self.modes = termios.tcgetattr(program)
        self.shown = b""
        self.hash, self.count = hashlib.sha256(), 0
        self.status = None
        self.process = os.fork()
        if self.process == 0:
            try:
                os.setsid()
                fcntl.ioctl(program, termios.TIOCSCTTY, 0)
                for stream in range(3):
                    os.dup2(program, stream)
                os.closerange(3, 100)
                prepare()
                os.execvp(command[0], command)
            finally:
                os._exit(126)
        # The program's end, to look at its modes and to keep what it wrote last.
        self.program = program if keep else os.close(program)
        os.set_blocking(self.user, False)
        Terminal.open.append(self)

    def resize(self, rows, columns, pixels=(0, 0)):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.user, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, *pixels))

    def look(self, seconds=0.0):
        """Everything shown so far, after looking for so long; a flood is left after 20 ms more."""
        end = time.monotonic() + seconds
        while True:
            if select.select([self.user], [], [], max(0, end - time.monotonic()))[0]:
                try:
                    piece = os.read(self.user, 1 << 16)
                except (BlockingIOError, OSError):
                    return self.shown
                self.count += len(piece)
                self.hash.update(piece)
                self.shown = (self.shown + piece)[-1 << 20:]
                if time.monotonic() >= end + 0.02:
                    return self.shown
            elif time.monotonic() >= end:
                return self.shown

    def sees(self, text, patience=PATIENCE):
        return until(lambda: text in self.look(0.005), patience)

    def type(self, keys):
        """Types, as fast as the other side reads; what it shows meanwhile is looked at."""
        while keys:
            self.look()
            if select.select([], [self.user], [], 0.01)[1]:
                with contextlib.suppress(BlockingIOError):
                    keys = keys[os.write(self.user, keys):]

    def end(self, patience=PATIENCE):
        """The status of the command once it has ended, negative for a signal; None if it has not."""
        def has_ended():
            self.look()
            if self.status is None:
                process, status = os.waitpid(self.process, os.WNOHANG)
                if process:
                    self.status = os.waitstatus_to_exitcode(status)
            return self.status is not None
        def is_quiet():
            before = self.count
            self.look()
            return self.count == before
        until(has_ended, patience)
        until(is_quiet, patience)
        return self.status

    def is_restored(self):
        return termios.tcgetattr(self.program) == self.modes

    def hang_up(self):
        for descriptor in (self.user, self.program):
            if descriptor is not None:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self.user = self.program = None

    def close(self):
        if self.user is not None:
            self.hang_up()
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            self.status = 0
        Terminal.open.remove(self)


def run(*command, options=()):
    return [SETTLE, "run", *options, "--", *command]


def children(process):
    """A process's descendants."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{process}/task/{process}/children") as file:
        direct = [int(word) for word in file.read().split()]
        return direct + [below for child in direct for below in children(child)]
    return []


def drag(terminal, dice, seconds=1.0, rate=60):
    """A window's edge in a hand: sizes of a random walk, a change every 1/rate s."""
    for _ in range(int(seconds * rate)):
        terminal.resize(max(10, terminal.rows + dice.randint(-1, 1)), max(40, terminal.columns + dice.choice([-2, -1, 1, 2])))
        terminal.look(1 / rate)


class Tmux:
    def __init__(self):
        self.socket = f"settle-{os.getpid()}"
        self.names = 0
        self("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sleep", "600")
        self("set-option", "-g", "remain-on-exit", "off")

    def __call__(self, *words):
        environment = {key: value for key, value in os.environ.items() if key != "TMUX"}
        return subprocess.run(["tmux", "-L", self.socket, *words], stdout=subprocess.PIPE, text=True, env=environment).stdout

    def window(self, command):
        self.names += 1
        name = f"w{self.names}"
        self("new-window", "-d", "-n", name, *command)
        self("resize-window", "-t", name, "-x", "80", "-y", "24")
        return name

    def screen(self, name):
        return self("capture-pane", "-p", "-t", name)

    def steady_screen(self, name):
        """The screen once it has not changed for a second."""
        last, since = self.screen(name), time.monotonic()
        end = since + PATIENCE
        while time.monotonic() - since < 1.0 and time.monotonic() < end:
            time.sleep(0.1)
            now = self.screen(name)
            if now != last:
                last, since = now, time.monotonic()
        return last

    def process(self):
        return int(self("display-message", "-p", "#{pid}"))
