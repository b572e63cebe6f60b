"""Runs programs in terminals with and without `settle run`, and compares what both see.

The environment variable SETTLE is the path of the built command. Terminals are pseudoterminals that
this script plays, and tmux on a private socket. The last checks verify the checks: they must find a
run without any debouncing, and bytes that were changed.
"""
import contextlib
import hashlib
import json
import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import terminal_edges
import terminal_ends
import terminals
from terminals import EVERY_CHANGE, KEYS, SETTLE, SLOW, TEXT, Terminal, Tmux, content, drag, folder, report, run, until

SEED = int(os.environ.get("SEED", "20"))


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
    # Nobody reads at first: the program waits.
    time.sleep(1)
    status = terminal.end(60)
    report("10 MiB of output pass unchanged to a terminal that is slow at first",
           terminal.hash.hexdigest() == expected and status == 0, f"{terminal.count} bytes")
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
    # A busy machine merges the signals of sizes, or pauses for longer than the quiet time.
    counts = re.search(rb"(\d+) sizes came, (\d+) given", flood.shown)
    came, given = (int(count) for count in counts.groups()) if counts else (0, 0)
    report("Ctrl-C ends a flood of output, in which sizes are decided",
           status == 130 and came <= 21 and 2 <= given <= 4 and given < came,
           f"{flood.count} bytes, status {status}, {came} sizes came, {given} given")
    flood.close()


def resident_kilobytes(process):
    return int(re.search(r"VmRSS:\s+(\d+)", content(f"/proc/{process}/status").decode()).group(1))


def is_bounded(early, late):
    """Whether memory does not grow with what has passed; the pages that a process touches late are less than 2 MiB."""
    return late - early <= 2048


def check_slow_reader():
    """A terminal that reads all the time, and always less than the program writes."""
    terminal = Terminal(run("yes"))
    terminal.sees(b"y\r\ny")
    memory, seen = [], 0
    for share in (1, 9):
        end = seen + (share << 20)
        while seen < end:
            select.select([terminal.user], [], [], 10)
            seen += len(os.read(terminal.user, 4096))
            # Long enough for the program to fill every queue again.
            time.sleep(0.0005)
        memory.append(resident_kilobytes(terminal.process))
    report("a terminal that stays slower than its program lets settle's memory not grow", is_bounded(*memory),
           f"{memory[0]} KiB after 1 MiB, {memory[1]} KiB after 10 MiB")
    report("planted: memory that grows by half of what passes is found", not is_bounded(memory[0], memory[0] + (9 << 9)))
    terminal.close()


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


def main():
    # tmux needs a locale with UTF-8.
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    for tool in ("tmux", "vim", "less", "top", "stty", "Xvfb", "openbox", "xdotool", "xterm"):
        if not shutil.which(tool):
            sys.exit(f"terminal.py: {tool} is missing; install Debian's packages tmux vim less procps xvfb openbox xdotool xterm")
    tmux = Tmux()
    server = tmux.process()
    began = time.monotonic()
    try:
        checks = [check_redraws, check_output_of_programs, lambda: check_screens(tmux), check_keys, check_output, check_slow_reader, check_reports,
                  terminal_ends.check_signals, terminal_ends.check_jobs, *terminal_edges.ALL, terminal_ends.check_faults,
                  terminal_ends.check_x11, lambda: terminal_ends.check_kills(tmux)]
        for check in checks:
            check()
    finally:
        for terminal in list(Terminal.open):
            terminal.close()
        # Killed by a check already, unless one failed before.
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"seed {SEED}, {time.monotonic() - began:.0f} s")
    print(f"{terminals.passed} passed, {terminals.failed} failed")
    sys.exit(terminals.failed > 0)


if __name__ == "__main__":
    main()
