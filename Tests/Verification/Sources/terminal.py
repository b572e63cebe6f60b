"""Runs programs in terminals with and without `settle run`, and compares what both see.

The environment variable SETTLE is the path of the built command. Terminals are pseudoterminals that
this script plays, and tmux on a private socket. The last checks verify the checks: they must find a
run without any debouncing, and bytes that were changed.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

SETTLE = os.path.abspath(os.environ.get("SETTLE", "settle"))
SEED = int(os.environ.get("SEED", "20"))
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
        """Everything shown so far, after looking for so long."""
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
        until(has_ended, patience)
        self.look()
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


# Redraws


def drags(command, log, drag_count=3):
    """Redraws of SLOW in some drags, and whether it ended at the terminal's size with its status."""
    dice = random.Random(SEED)
    with contextlib.suppress(FileNotFoundError):
        os.remove(log)
    terminal = Terminal(command)
    sizes = lambda: [tuple(map(int, line.split())) for line in content(log).splitlines()]
    until(lambda: terminal.look() and sizes())
    for _ in range(drag_count):
        drag(terminal, dice)
        until(lambda: terminal.look(0.01) is not None and sizes()[-1] == (terminal.columns, terminal.rows))
        terminal.look(0.7)
    terminal.type(b"q")
    status, restored = terminal.end(), terminal.is_restored()
    last = (terminal.columns, terminal.rows)
    terminal.close()
    return sizes(), last, status, restored


def is_debounced(naive, settled, drag_count):
    """Whether each drag was one redraw, and that at least 4 times fewer than without."""
    return len(settled) == 1 + drag_count and len(naive) - 1 >= 4 * (len(settled) - 1)


def check_redraws():
    log = os.path.join(folder, "redraws")
    command = [sys.executable, SLOW, log]
    naive, _, _, _ = drags(command, log)
    recording = os.path.join(folder, "drags.settle")
    settled, last, status, restored = drags(run(*command, options=["--record", recording]), log)
    report("three drags of a program that needs 100 ms: redraws without settle, with it",
           is_debounced(naive, settled, 3), f"{len(naive) - 1}, {len(settled) - 1}")
    report("the program ends at the terminal's size, with its status, the modes restored",
           settled[-1] == last and status == 7 and restored, f"{settled[-1]}, status {status}")
    decided = replayed(recording)
    report("the recording replays to the sizes that the program drew", decided == settled, f"{len(decided)} sizes")
    report("it contains the whole drags", len(events(recording)) > 3 * 40, f"{len(events(recording))} events")
    planted, _, _, _ = drags(run(*command, options=EVERY_CHANGE), log)
    report("planted: a run that hands on every change is found", not is_debounced(naive, planted, 3),
           f"{len(planted) - 1} redraws")
    report("planted: a replay under another policy is found", replayed(recording, EVERY_CHANGE) != settled)


def replayed(log, options=()):
    lines = subprocess.run([SETTLE, "replay", "--decisions", "-", *options, log], capture_output=True, check=True).stdout.splitlines()
    decisions = [json.loads(line) for line in lines]
    return [(int(d["width"]), int(d["height"])) for d in decisions if d.get("kind") == "rebuild"]


def events(log):
    lines = subprocess.run([SETTLE, "cat", log], capture_output=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines[1:]]


def check_output_of_programs():
    """What vim, less and top write while they are dragged."""
    programs = {"vim": ["vim", "-u", "NONE", "-n", TEXT], "less": ["less", TEXT], "top": ["top", "-d", "100"]}
    for name, command in programs.items():
        written = []
        for wrapped in (command, run(*command)):
            terminal = Terminal(wrapped)
            terminal.look(1.0)
            until(lambda: terminal.count > 200 and terminal.look(0.3) is not None)
            before = terminal.count
            drag(terminal, random.Random(SEED), seconds=1.5)
            terminal.look(1.0)
            written.append(terminal.count - before)
            terminal.close()
        report(f"{name}: bytes written in a drag without settle, with it", written[0] >= 3 * written[1] > 0,
               f"{written[0]}, {written[1]}")


# Screens in tmux


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


def plain(screen):
    """A screen of top without what changes by itself: numbers, and the list of processes."""
    lines = screen.split("\n")
    return [re.sub(r"[0-9.,:+\s]+", " ", line) for line in lines[1:7]] + [len(lines)]


def check_screens(tmux):
    log = os.path.join(folder, "tmux-redraws")
    programs = {"vim": ["vim", "-u", "NONE", "-n", TEXT], "less": ["less", TEXT], "top": ["top", "-d", "100"],
                "the slow program": [sys.executable, SLOW, log]}
    for name, command in programs.items():
        windows = [tmux.window(command), tmux.window(run(*command))]
        for window in windows:
            tmux.steady_screen(window)
        dice = random.Random(SEED)
        sizes = [(dice.randint(50, 140), dice.randint(12, 45)) for _ in range(12)]
        for width, height in sizes:
            for window in windows:
                tmux("resize-window", "-t", window, "-x", str(width), "-y", str(height))
            time.sleep(dice.choice([0.02, 0.1, 0.3]))
        screens = [tmux.steady_screen(window) for window in windows]
        if name == "top":
            screens = [plain(screen) for screen in screens]
        report(f"{name} in tmux: the last of 12 screens is the same", screens[0] == screens[1] and len(screens[0]) > 1,
               f"{sizes[-1][0]}x{sizes[-1][1]}")
        if name == "vim":
            report("planted: one changed character of a screen is found", screens[0] != screens[1].replace("w", "v", 1))
        for window in windows:
            tmux("kill-window", "-t", window)


# Bytes


def random_keys(dice, count, splits=True):
    """Keys as terminals send them: letters, UTF-8, escape sequences, mouse reports, lone Escapes."""
    sequences = [b"\033[A", b"\033[1;5D", b"\033OP", b"\033[200~pasted\033[201~", b"\033[<0;10;20M", b"\033[M !!", b"\033",
                 b"\033[4", b"\033[48;1;2t", b"\033[8;24;80t", b"\033]11;rgb:ff/ff/ff\007", b"\x00", b"\x03", b"\x1a", b"\x04",
                 b"\x13", b"\x11", b"\x7f", b"\r", "é€😀".encode(), b"\x80\xff", b"\033[48;", b"\033\033[B"]
    return b"".join(dice.choice(sequences) if dice.random() < 0.5 else bytes([dice.randint(32, 126)]) for _ in range(count))


def keys_through(sent, mode, options=(), pause=0.0, dice=None):
    log = os.path.join(folder, "keys")
    with contextlib.suppress(FileNotFoundError):
        os.remove(log)
    terminal = Terminal(run(sys.executable, KEYS, log, str(len(sent)), mode, str(pause), options=options))
    terminal.sees(b"ready")
    position = 0
    while position < len(sent):
        step = dice.randint(1, 400) if dice else len(sent)
        terminal.type(sent[position:position + step])
        position += step
    status = terminal.end(60)
    restored = terminal.is_restored()
    terminal.close()
    return content(log), status == 0 and restored


def check_keys():
    dice = random.Random(SEED)
    for mode in ("plain", "report"):
        sent = random_keys(dice, 10_000)
        got, ended = keys_through(sent, mode, dice=dice)
        report(f"10,000 random keys pass unchanged{' with mode 2048 on' if mode == 'report' else ''}",
               got == sent and ended, f"{len(got)} of {len(sent)} bytes")
        where = dice.randrange(len(got) or 1)
        changed = got[:where] + bytes([(got[where] if got else 0) ^ 1]) + got[where + 1:]
        report("planted: one changed bit of the keys is found", changed != sent)
    paste = bytes(dice.randrange(256) for _ in range(1 << 20))
    got, ended = keys_through(paste, "plain", pause=0.002)
    report("a paste of 1 MiB into a program that reads slowly", got == paste and ended, f"{len(got)} bytes")


def check_output():
    data = os.path.join(folder, "data")
    with open(data, "wb") as file:
        file.write(random.Random(SEED).randbytes(10 << 20))
    expected = hashlib.sha256(content(data)).hexdigest()
    terminal = Terminal(run("sh", "-c", f"stty raw; cat {data}; sleep 0.01"))
    # Nobody reads at first: the program waits, and settle keeps little of it.
    time.sleep(1)
    resident = int(re.search(r"VmRSS:\s+(\d+)", content(f"/proc/{terminal.process}/status").decode()).group(1))
    status = terminal.end(60)
    report("10 MiB of output pass unchanged to a terminal that is slow at first",
           terminal.hash.hexdigest() == expected and status == 0, f"{terminal.count} bytes, settle used {resident} KiB meanwhile")
    terminal.close()
    os.remove(data)
    flood = Terminal(run("yes", options=["--report"]))
    flood.sees(b"y\r\ny")
    for columns in range(81, 101):
        flood.resize(24, columns)
        flood.look(0.01)
    flood.look(1.0)
    flood.type(b"\x03")
    status = flood.end()
    report("Ctrl-C ends a flood of output, in which sizes are decided", status == 130 and b"21 sizes came, 2 given" in flood.shown,
           f"{flood.count} bytes, status {status}")
    flood.close()


# Mode 2048


def check_reports():
    log = os.path.join(folder, "reported")
    with contextlib.suppress(FileNotFoundError):
        os.remove(log)
    terminal = Terminal(run(sys.executable, KEYS, log, "100000", "report", "0"))
    terminal.sees(b"ready")
    say = lambda rows, columns: terminal.type(b"\033[48;%d;%d;%d;%dt" % (rows, columns, rows * 20, columns * 10))
    say(24, 80)
    answer = b"\033[48;24;80;480;800t"
    report("a program that switches mode 2048 on gets an answer", until(lambda: content(log) == answer), content(log))
    for columns in range(81, 111):
        terminal.resize(24, columns, (columns * 10, 480))
        terminal.type(b"a\033[")
        terminal.type(b"A\033[48;24;%d;48" % columns)
        terminal.type(b"0;%dt" % (columns * 10))
        terminal.look(0.01)
    settled = b"\033[48;24;110;480;1100t"
    until(lambda: terminal.look(0.01) is not None and settled in content(log))
    report("30 sizes reported among keys reach it as one, and the keys unchanged",
           content(log) == answer + b"a\033[A" * 30 + settled, f"{content(log).count(b'[48;') - 1} report")
    delays = []
    for _ in range(20):
        size = len(content(log))
        start = time.monotonic()
        terminal.type(b"\033")
        until(lambda: len(content(log)) > size)
        delays.append(time.monotonic() - start)
    delay = sorted(delays)[10]
    report("an Escape alone passes in less than half of the least quiet time", delay < 0.1, f"median {delay * 1000:.0f} ms")
    terminal.close()


# Ends


def running(command, prepare=lambda: None, keep=True):
    terminal = Terminal(command, prepare=prepare, keep=keep)
    log = os.path.join(folder, "redraws")
    until(lambda: terminal.look(0.01) and children(terminal.process) and len(children(terminal.process)) >= 2 and content(log))
    return terminal, children(terminal.process)


def check_kills(tmux):
    log = os.path.join(folder, "redraws")
    slow = run(sys.executable, SLOW, log)
    for who, index in (("the program", 1), ("the session's leader", 0)):
        terminal, family = running(slow)
        was_raw = not terminal.is_restored()
        os.kill(family[index], signal.SIGKILL)
        status = terminal.end()
        gone = until(lambda: not any(map(is_alive, family)))
        report(f"kill -9 of {who}: status 137, modes restored, nothing left",
               status == 137 and was_raw and terminal.is_restored() and gone, f"status {status}")
        terminal.close()
    terminal, family = running(slow)
    os.kill(terminal.process, signal.SIGKILL)
    status = terminal.end()
    gone = until(lambda: not any(map(is_alive, family)))
    raw = not terminal.is_restored()
    subprocess.run(["stty", "sane"], stdin=terminal.program, check=True)
    canonical = termios.tcgetattr(terminal.program)[3] & termios.ICANON
    report("kill -9 of settle: the program ends, and stty sane restores the modes", status == -9 and gone and raw and canonical)
    terminal.close()
    terminal, family = running(slow, keep=False)
    terminal.hang_up()
    status = terminal_status(terminal)
    gone = until(lambda: not any(map(is_alive, family)))
    report("a terminal that closes: settle ends with status 3, nothing left", status == 3 and gone, f"status {status}")
    terminal.close()
    window = tmux.window(slow)
    server = tmux.process()
    pane = int(tmux("display-message", "-p", "-t", window, "#{pane_pid}"))
    until(lambda: len(children(pane)) >= 2)
    family = [pane, *children(pane)]
    os.kill(server, signal.SIGKILL)
    report("kill -9 of the tmux server: nothing is left", len(family) >= 3 and until(lambda: not any(map(is_alive, family))),
           f"{len(family)} processes")


def terminal_status(terminal):
    def has_ended():
        if terminal.status is None:
            process, status = os.waitpid(terminal.process, os.WNOHANG)
            if process:
                terminal.status = os.waitstatus_to_exitcode(status)
        return terminal.status is not None
    until(has_ended)
    return terminal.status


def check_signals():
    for name in ("INT", "TERM", "HUP", "QUIT"):
        terminal = Terminal(run("sh", "-c", f"trap 'echo got {name}; exit 5' {name}; echo ready; while :; do sleep 0.02; done"))
        terminal.sees(b"ready")
        os.kill(terminal.process, getattr(signal, "SIG" + name))
        status = terminal.end()
        report(f"SIG{name} is passed to the program", status == 5 and b"got " + name.encode() in terminal.shown and terminal.is_restored(),
               f"status {status}")
        terminal.close()
    for name, number in (("ABRT", 6), ("SEGV", 11), ("USR1", 10)):
        terminal, family = running(run(sys.executable, SLOW, os.path.join(folder, "redraws")))
        os.kill(terminal.process, getattr(signal, "SIG" + name))
        status = terminal.end()
        report(f"settle ended by SIG{name}: the modes are restored and the program ends",
               status == -number and terminal.is_restored() and until(lambda: not any(map(is_alive, family))), f"status {status}")
        terminal.close()


def check_jobs():
    program = "trap 'echo continued; stty size' CONT; echo ready; while :; do sleep 0.05; done"
    for name, command, stop, after in (
            ("cat", ["cat"], b"\x1a", b""), ("vim", ["vim", "-u", "NONE", "-n"], b"\x1a", b""),
            ("a script", ["sh", "-c", program], b"\x1a", b"continued")):
        shell = Terminal(["bash", "--norc", "-i"], prepare=lambda: os.environ.update(PS1="prompt> ", LANG="C"))
        shell.sees(b"prompt> ")
        shell.type(" ".join([SETTLE, "run", "--", *(f"'{word}'" if " " in word else word for word in command)]).replace("'trap 'echo", "'trap 'echo").encode() + b"\r"
                   if name != "a script" else f"{SETTLE} run -- sh {script('job.sh', program)}\r".encode())
        until(lambda: shell.look(0.05) is not None and len([c for c in children(shell.process)]) >= 3)
        shell.look(0.5)
        shell.type(stop)
        stopped = shell.sees(b"Stopped", 10)
        shell.resize(30, 90)
        shell.type(b"stty -a | grep -o ' icanon'\r")
        canonical = shell.sees(b" icanon\r\n", 10)
        shell.type(b"fg\r")
        shell.look(0.8)
        resumed = after in shell.shown
        prompts = shell.shown.count(b"prompt> ")
        shell.type({"cat": b"more\r\x04", "vim": b"\033:q!\r"}.get(name, b"\x03"))
        # What is typed before a program has ended is the program's.
        until(lambda: shell.look(0.05).count(b"prompt> ") > prompts)
        shell.type(b"echo status=$?; stty -a | grep -o ' icanon'\r")
        ended = shell.sees(b"status=130\r" if name == "a script" else b"status=0\r", 10)
        report(f"Ctrl-Z and fg of {name}", stopped and canonical and resumed and ended,
               f"stopped {stopped}, modes {canonical}, continued {resumed}, ended {ended}")
        shell.close()


# X11


def held_drag(*before):
    """Drags an xterm's corner, holds still for longer than any quiet time, and releases.

    The words `before` stand before the command.

    Returns the redraws while the button was held, those in all, and the decisions of the recording.
    """
    log, recording = os.path.join(folder, "x11-redraws"), os.path.join(folder, "x11.settle")
    for path in (log, recording):
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as numbers:
        display = ":" + numbers.readline().strip()
    environment = {**os.environ, "DISPLAY": display}
    quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    programs = [subprocess.Popen(["openbox"], **quiet)]
    xdo = lambda *words: subprocess.run(["xdotool", *map(str, words)], env=environment, capture_output=True, text=True).stdout
    count = lambda: len(content(log).splitlines())
    try:
        command = [*before, *run(sys.executable, SLOW, log, options=["--record", recording])]
        programs.append(subprocess.Popen(["xterm", "-geometry", "80x24+100+100", "-e", *command], **quiet))
        until(lambda: count() == 1)
        # In the lower right of the window, whose smallest size is 480 by 300 pixels. Openbox resizes it with Alt.
        x, y = 480, 350
        xdo("mousemove", x, y, "keydown", "alt", "mousedown", 3)
        for step in range(1, 61):
            xdo("mousemove", x + 4 * step, y + 3 * step)
        time.sleep(1.5)
        held = count() - 1
        xdo("mouseup", 3, "keyup", "alt")
        until(lambda: count() > held + 1, 5)
        time.sleep(1)
        redraws = count() - 1
        xdo("key", "q")
        with contextlib.suppress(subprocess.TimeoutExpired):
            programs[1].wait(5)
    finally:
        for process in [*reversed(programs), server]:
            process.kill()
            process.wait()
    lines = subprocess.run([SETTLE, "replay", "--decisions", "-", recording], capture_output=True).stdout.splitlines()
    return held, redraws, [json.loads(line) for line in lines]


def is_exact(held, redraws, decisions):
    """Whether nothing was redrawn in the hand, and once after the release, as the button said."""
    reasons = [decision.get("reason") for decision in decisions if decision["kind"] == "rebuild"]
    return held == 0 and redraws == 1 and reasons == ["first", "interactionEnded"]


def check_x11():
    held, redraws, decisions = held_drag()
    ends = [decision["t_ns"] for decision in decisions if decision["kind"] == "interactionEnded"]
    last = decisions[-1]["t_ns"] if decisions else 0
    report("an xterm dragged and held still for 1.5 s: redraws in the hand, and in all", is_exact(held, redraws, decisions),
           f"{held}, {redraws}, {(last - ends[-1]) / 1e6 if ends else None} ms after the release")
    planted = held_drag("env", "-u", "WINDOWID")
    report("planted: a run that does not see the button is found", not is_exact(*planted), f"{planted[0]}, {planted[1]}")


# Faults


def check_faults():
    log = os.path.join(folder, "redraws")
    closed = subprocess.run(run("vim"), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    report("without a terminal it says what to do", closed.returncode == 3 and "run vim without settle" in closed.stderr,
           closed.stderr.strip())
    missing = Terminal(run("no-such-program"))
    status = missing.end()
    report("a program that is missing is named", status == 3 and b"cannot start 'no-such-program': No such file" in missing.shown
           and missing.is_restored(), missing.shown.decode().strip())
    missing.close()
    piped = Terminal(["sh", "-c", f"echo through a pipe | {SETTLE} run -- less"])
    report("standard input that is no terminal is the program's", piped.sees(b"through a pipe"))
    piped.type(b"q")
    report("and its keys are the terminal's", piped.end() == 0)
    piped.close()
    small = os.path.join(folder, "small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], capture_output=True).returncode == 0:
        prepare = lambda: None
    else:
        # No right to mount: a limit of the size of files has the same effect.
        prepare = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        recording = os.path.join(small, "log.settle")
        with contextlib.suppress(FileNotFoundError):
            os.remove(log)
        full, _ = running(run(sys.executable, SLOW, log, options=["--record", recording]), prepare=prepare)
        with contextlib.suppress(OSError), open(os.path.join(small, "filler"), "wb", 0) as file:
            while True:
                file.write(bytes(512))
        # More than the last page of the recording has room for.
        for change in range(3000):
            full.resize(24, 80 + change % 7)
            full.look(0.001)
        full.resize(24, 120)
        goes_on = until(lambda: full.look(0.01) is not None and content(log).endswith(b"120 24\n"))
        full.type(b"q")
        status = full.end()
        report("on a full disk the program goes on, and settle says so in the end",
               goes_on and status == 3 and b"cannot write" in full.shown and full.is_restored(),
               full.shown[full.shown.rfind(b"settle:"):].decode().strip())
        report("the recording is whole up to there", subprocess.run([SETTLE, "validate", recording], capture_output=True).returncode == 0)
        full.close()
    finally:
        subprocess.run(["umount", small], capture_output=True)


def main():
    # tmux needs a locale with UTF-8.
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    for tool in ("tmux", "vim", "less", "top", "stty", "Xvfb", "openbox", "xdotool", "xterm"):
        if not shutil.which(tool):
            sys.exit(f"terminal.py: {tool} is missing; install Debian's packages tmux vim less procps xvfb openbox xdotool xterm")
    tmux = Tmux()
    began = time.monotonic()
    try:
        checks = [check_redraws, check_output_of_programs, lambda: check_screens(tmux), check_keys, check_output, check_reports,
                  check_signals, check_jobs, check_faults, check_x11, lambda: check_kills(tmux)]
        for check in checks:
            check()
    finally:
        for terminal in list(Terminal.open):
            terminal.close()
        tmux("kill-server")
        shutil.rmtree(folder, ignore_errors=True)
    print(f"seed {SEED}, {time.monotonic() - began:.0f} s")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
