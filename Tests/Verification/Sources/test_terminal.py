"""Programs in terminals with and without `settle run`: what both see, and what passes between them.
Terminals are pseudoterminals that this script plays, tmux on a private socket, and an xterm."""
import hashlib
import random
import re
import time

from desktop import Desktop
from results import planted, report, verify
from support import content, json_lines, replayed, sizes_of, until, wait_for
from terminals import KEYS, SLOW, Terminal, Tmux, run

SEED = 20


def programs(folder):
    """Programs that redraw when their terminal's size changes."""
    (folder / "text").write_text("".join(f"{number} " + "word " * 30 + "\n" for number in range(2000)))
    return {"vim": ["vim", "-u", "NONE", "-n", folder / "text"], "less": ["less", folder / "text"], "top": ["top", "-d", "100"],
            "the slow program": [*SLOW, folder / "slow"]}

def sizes_drawn(log):
    return [tuple(map(int, line.split())) for line in content(log).splitlines()]


def drags(command, log):
    """Redraws of SLOW in three drags, and whether it ended at the terminal's size with its status and the modes restored."""
    dice = random.Random(SEED)
    log.unlink(missing_ok=True)
    with Terminal(command) as terminal:
        terminal.until(lambda: sizes_drawn(log))
        for _ in range(3):
            terminal.drag(dice)
            terminal.until(lambda: sizes_drawn(log)[-1] == (terminal.columns, terminal.rows))
            terminal.look(0.7)
        terminal.type(b"q")
        is_whole = terminal.end() == 7 and terminal.is_restored() and sizes_drawn(log)[-1] == (terminal.columns, terminal.rows)
    return sizes_drawn(log), is_whole


def debounce_problem(naive, settled):
    """Why each of three drags was not one redraw, or that not at least 4 times fewer than without settle."""
    return None if len(settled) == 4 and len(naive) - 1 >= 4 * 3 else f"{len(naive) - 1} redraws without settle, {len(settled) - 1} with it"


def test_redraws(folder):
    log, recording = folder / "redraws", folder / "drags.settle"
    naive, _ = drags([*SLOW, log], log)
    settled, is_whole = drags(run(*SLOW, log, options=["--record", recording]), log)
    verify("three drags of a program that needs 100 ms are three redraws", debounce_problem(naive, settled), f"{len(naive) - 1} without settle")
    report("the program ends at the terminal's size, with its status, the modes restored", is_whole)
    decided = [(d["width"], d["height"]) for d in json_lines(replayed(recording)) if d["kind"] == "rebuild"]
    report("the recording has the whole drags, and replays to the sizes that the program drew",
           decided == settled and len(sizes_of(recording)) > 3 * 40, f"{len(sizes_of(recording))} sizes")
    planted("a run that hands on every change", debounce_problem(naive, naive))


def plain(screen):
    """A screen of top without what changes by itself: numbers, and the list of processes."""
    lines = screen.split("\n")
    return [re.sub(r"[0-9.,:+\s]+", " ", line) for line in lines[1:7]] + [len(lines)]


def test_screens(folder):
    with Tmux() as tmux:
        for name, command in programs(folder).items():
            windows = [tmux.window(map(str, command)), tmux.window(map(str, run(*command)))]
            for window in windows:
                tmux.steady_screen(window)
            dice = random.Random(SEED)
            for _ in range(12):
                columns, rows = dice.randint(50, 140), dice.randint(12, 45)
                for window in windows:
                    tmux.resize(window, columns, rows)
                time.sleep(dice.choice([0.02, 0.1, 0.3]))
            screens = [tmux.steady_screen(window) for window in windows]
            if name == "top":
                screens = [plain(screen) for screen in screens]
            report(f"{name} in tmux: the last of 12 screens is the same", screens[0] == screens[1] and len(screens[0]) > 1, f"{columns}x{rows}")


def test_xterm(folder):
    """An xterm's corner is dragged, held still for longer than any quiet time, and released; also by a run that does
    not see the button."""
    for prefix in ([], ["env", "-u", "WINDOWID"]):
        log, recording = folder / "redraws", folder / "x11.settle"
        log.unlink(missing_ok=True)
        count = lambda: len(sizes_drawn(log)) - 1
        with Desktop(folder, "openbox") as desktop:
            command = [*prefix, *run(*SLOW, log, options=["--force", "--record", recording])]
            xterm = desktop.start(["xterm", "-geometry", "80x24+100+100", "-e", *command])
            wait_for("xterm", lambda: count() == 0)
            desktop.pointer.drag((480, 350), (720, 530), hold=1.5, button=3, releases=False)
            held = count()
            desktop.pointer.button(3, False)
            until(lambda: count() > held, 5)
            time.sleep(1)
            redraws = count()
            desktop.xdotool("key", "q")
            xterm.wait(10)
        reasons = [decision["reason"] for decision in json_lines(replayed(recording)) if decision["kind"] == "rebuild"]
        is_exact = (held, redraws, reasons) == (0, 1, ["first", "interactionEnded"])
        if prefix:
            planted("a run that does not see the button", None if is_exact else reasons)
        else:
            report("an xterm dragged and held still for 1.5 s: no redraw in the hand, one after the release", is_exact, f"{held}, {redraws}, {reasons}")

def random_keys(dice, count):
    """Keys as terminals send them: letters, UTF-8, escape sequences, mouse reports, lone Escapes."""
    sequences = [b"\033[A", b"\033[1;5D", b"\033OP", b"\033[200~pasted\033[201~", b"\033[<0;10;20M", b"\033[M !!", b"\033",
                 b"\033[4", b"\033[48;1;2t", b"\033[8;24;80t", b"\033]11;rgb:ff/ff/ff\007", b"\x00", b"\x03", b"\x1a", b"\x04",
                 b"\x13", b"\x11", b"\x7f", b"\r", "é€😀".encode(), b"\x80\xff", b"\033[48;", b"\033\033[B"]
    return b"".join(dice.choice(sequences) if dice.random() < 0.5 else bytes([dice.randint(32, 126)]) for _ in range(count))


def test_keys(folder):
    dice, log = random.Random(SEED), folder / "keys"
    paste = bytes(dice.randrange(256) for _ in range(1 << 20))
    for name, sent, mode, pause in (("10,000 random keys pass unchanged", random_keys(dice, 10_000), "plain", 0),
                                    ("10,000 random keys pass unchanged with mode 2048 on", random_keys(dice, 10_000), "report", 0),
                                    ("a paste of 1 MiB into a program that reads slowly", paste, "plain", 0.002)):
        log.unlink(missing_ok=True)
        with Terminal(run(*KEYS, log, str(len(sent)), mode, str(pause))) as terminal:
            terminal.sees(b"ready")
            position = 0
            while position < len(sent):
                step = len(sent) if pause else dice.randint(1, 400)
                terminal.type(sent[position:position + step])
                position += step
            report(name, terminal.end() == 0 and content(log) == sent and terminal.is_restored(), f"{len(content(log))} of {len(sent)} bytes")


def test_output(folder):
    data = random.Random(SEED).randbytes(10 << 20)
    (folder / "data").write_bytes(data)
    with Terminal(run("sh", "-c", f"stty raw; cat {folder / 'data'}; sleep 0.01")) as terminal:
        # Nobody reads at first: the program waits.
        time.sleep(1)
        report("10 MiB of output pass unchanged to a terminal that is slow at first",
               terminal.end() == 0 and terminal.hash.digest() == hashlib.sha256(data).digest(), f"{terminal.count} bytes")
    with Terminal(run("yes", options=["--report"])) as terminal:
        terminal.sees(b"y\r\ny")
        for columns in range(81, 101):
            terminal.resize(24, columns)
            terminal.look(0.01)
        terminal.look(1.0)
        terminal.type(b"\x03")
        status = terminal.end()
        # A busy machine merges the signals of sizes, or pauses for longer than the quiet time.
        counts = re.search(rb"(\d+) sizes came, (\d+) given", terminal.shown)
        came, given = map(int, counts.groups()) if counts else (0, 0)
        report("Ctrl-C ends a flood of output, in which sizes are decided", status == 130 and came <= 21 and 2 <= given <= 4 and given < came,
               f"status {status}, {came} sizes came, {given} given")


def test_reports(folder):
    log = folder / "reported"
    with Terminal(run(*KEYS, log, "100000", "report", "0")) as terminal:
        terminal.sees(b"ready")
        answer, settled = b"\033[48;24;80;480;800t", b"\033[48;24;110;480;1100t"
        terminal.type(answer)
        report("a program that switches mode 2048 on gets an answer", terminal.until(lambda: content(log) == answer))
        for columns in range(81, 111):
            terminal.resize(24, columns, (columns * 10, 480))
            # In parts.
            for keys in (b"a\033[", b"A\033[48;24;%d;48" % columns, b"0;%dt" % (columns * 10)):
                terminal.type(keys)
            terminal.look(0.01)
        terminal.until(lambda: settled in content(log))
        report("30 sizes reported among keys reach it as one, and the keys unchanged",
               content(log) == answer + b"a\033[A" * 30 + settled, f"{content(log).count(b'[48;') - 1} report")
