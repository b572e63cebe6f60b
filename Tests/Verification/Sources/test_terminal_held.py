"""What a terminal shows while `settle run` holds sizes back, what is left of it in the scrollback, sizes that are given
at once, and what all this costs a key."""
import os
import random
import re
import subprocess
import sys
import time
import unicodedata
from contextlib import suppress

from results import planted, report, verify
from support import content, end_problem, json_lines, replayed, until, wait_for
from terminals import SLOW, Terminal, Tmux, run

SEED = 20
HELD = ["--quiet-delay", "60s", "--jump-delay", "none"]
COLUMNS, ROWS = 100, 30
# As SLOW, but it draws at once.
QUICK = [SLOW[0], "-c", SLOW[2].replace("time.sleep(0.1)", "pass")]
# Draws four lines as wide as the terminal again and again, below lines that stay.
PROGRESS = """
import time
from rich.progress import BarColumn, Progress
print("\\n".join(f"before-{n} " + "x" * 60 for n in range(40)))
with Progress("{task.description}", BarColumn(None), "{task.percentage:3.0f}", expand=True) as progress:
    tasks = [progress.add_task(f"task-{n}", total=70) for n in range(4)]
    for step in range(70):
        for task in tasks: progress.advance(task)
        if step % 20 == 10: progress.console.print(f"line-{step}")
        time.sleep(0.1)
print("after")
"""
PROMPT = """
from prompt_toolkit import PromptSession
print("\\n".join(f"before-{n} " + "x" * 60 for n in range(40)))
PromptSession(bottom_toolbar="toolbar " * 30, rprompt="right").prompt("task-0 " + "long " * 12 + "> ")
print("after")
"""
# Its frames and text are drawn without wrapping (mode 7), with characters of one column and of two.
FULL = """
from textual.app import App
from textual.widgets import Header, OptionList, Static
class Full(App):
    CSS = "Static { border: heavy red; height: 5; } OptionList { border: round green; }"
    def compose(self): return [Header(), Static("é 中文 😀 " * 30), OptionList(*(f"option {n} ─ 中" for n in range(50)))]
Full().run()
"""
INLINE = """
from textual.app import App
from textual.widgets import Static
class Inline(App):
    CSS = "Screen { height: 6; }"
    def compose(self): return [Static(f"task-{n} " + "wide " * 12) for n in range(4)]
    def on_mount(self): self.set_timer(7, self.exit)
print("\\n".join(f"before-{n} " + "x" * 60 for n in range(40)))
Inline().run(inline=True)
print("after")
"""


def tmux_of_size():
    """A tmux in which a program has its window's size from its beginning."""
    tmux = Tmux()
    tmux("set-option", "default-size", f"{COLUMNS}x{ROWS}")
    return tmux


def cut(screen, columns, rows, first):
    """The part of a screen from its first column and a row on. A character that is two columns wide is not cut in two."""
    def part(line):
        rest = columns
        return "".join(c for c in line if (rest := rest - (1 + (unicodedata.east_asian_width(c) == "W"))) >= 0).rstrip()
    lines = screen.split("\n")[first:ROWS] + [""] * max(0, rows - ROWS)
    return [part(line) for line in lines[:rows]]


def styled(tmux, window):
    """A window's cells with their colours, and its cursor."""
    return tmux("capture-pane", "-e", "-p", "-t", window), tmux.get(window, "cursor_x"), tmux.get(window, "cursor_y")


def held_problem(tmux, name, command, options=HELD):
    """Why a window of another size does not show its part of what a program draws that does not know of it."""
    window = tmux.window([*map(str, run(*command, options=options))], COLUMNS, ROWS)
    # htop's figures are those of the moment: it is its own example, and draws nothing by itself.
    example = window if name == "htop" else tmux.window(map(str, command), COLUMNS, ROWS)
    tmux.steady_screen(window)
    for keys, sizes in (("jj", [(60, 30), (60, 18), (110, 35), (45, 12)]), ("j", [(61, 20), (8, 5)]), ("jjjjj", [(100, 18), (60, 33)])):
        for one in {window, example} if name != "htop" else ():
            tmux("send-keys", "-t", one, "-l", keys)
        whole = tmux.steady_screen(example)
        cursor = int(tmux.get(example, "cursor_y")) * int(tmux.get(example, "cursor_flag"))
        for columns, rows in sizes:
            tmux.resize(window, columns, rows)
            # The cursor's row is always there.
            expected = cut(whole, columns, rows, max(0, cursor - rows + 1))
            shown = lambda: [line.rstrip() for line in tmux.screen(window).split("\n")[:rows]]
            if not until(lambda: shown() == expected, 3):
                wrong = [pair for pair in zip(shown(), expected) if pair[0] != pair[1]]
                return f"{len(wrong)} of {rows} lines are wrong at {columns}x{rows}: {wrong[:1]}"
        if window == example:
            tmux.resize(window, COLUMNS, ROWS)
            return None if until(lambda: tmux.screen(window) == whole, 3) else "the program's own size shows another screen"
    tmux.resize(window, COLUMNS, ROWS)
    for keys in ("", "k", "jjG", "gg"):
        for one in (window, example):
            tmux("send-keys", "-t", one, "-l", keys)
        tmux.steady_screen(example)
        if not until(lambda: styled(tmux, window) == styled(tmux, example), 3):
            (cells, *cursor), (right, *place) = styled(tmux, window), styled(tmux, example)
            wrong = [pair for pair in zip(cells.split("\n"), right.split("\n")) if pair[0] != pair[1]]
            return f"at the program's own size after {keys!r}: cursor {cursor} for {place}, {len(wrong)} lines: {wrong[:1]}"
    return None


def python_with_packages(folder):
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/pip", "install", "-q", "rich==15.0.0", "prompt-toolkit==3.0.53", "textual==8.2.8"], check=True)
    return venv / "bin/python"


def test_held(folder):
    text = folder / "text"
    text.write_text("".join(f"{number} é€😀 \033[1;3{number % 8}mword\033[0m " + "word " * 30 + "\n" for number in range(2000)))
    commands = {"htop": ["htop", "-d", "1000"], "less": ["less", "-RS", text],
                "vim": ["vim", "-u", "NONE", "-n", "--cmd", "set shortmess+=F nowrap ruler hlsearch", "-c", "/word", text],
                "textual": [python_with_packages(folder), "-c", FULL]}
    with tmux_of_size() as tmux:
        for name, command in commands.items():
            verify(f"{name}: while sizes are held back, the window shows its part of the screen", held_problem(tmux, name, command))
        planted("a window that shows bytes meant for another size, as with --no-hold-screen", held_problem(tmux, "less", commands["less"], ["--no-hold-screen", *HELD]))


def tokens(tmux, window, token="task-"):
    """How many of each of the program's lines there are, with those that have scrolled away."""
    words = re.findall(rf"{token}\d+", tmux("capture-pane", "-p", "-S", "-", "-t", window))
    return {word: words.count(word) for word in set(words)}


def drag(tmux, window):
    """A window's corner is dragged, to smaller and back to less than it was."""
    for columns, rows in [(c, 30 - (100 - c) // 8) for c in range(98, 58, -2)] + [(c, 25) for c in range(60, 82, 2)]:
        tmux.resize(window, columns, rows)
        time.sleep(0.05)
    time.sleep(1.5)


def test_inline(folder):
    python = python_with_packages(folder)
    with tmux_of_size() as tmux:
        for name, source, end in (("rich", PROGRESS, None), ("prompt-toolkit", PROMPT, "Enter"), ("textual", INLINE, None)):
            command, counts = [python, "-c", source], []
            for words in (command, run(*command, options=["--hold-screen"])):
                window = tmux.window(["sh", "-c", '"$@"; sleep 60', "sh", *map(str, words)], COLUMNS, ROWS)
                wait_for(name, lambda: "task-0" in tmux.screen(window))
                time.sleep(0.5)
                drag(tmux, window)
                dragged = tokens(tmux, window)
                if end:
                    tmux("send-keys", "-t", window, end)
                wait_for(f"end of {name}", lambda: "after" in tmux.screen(window))
                twice = [sum(count - 1 for count in found.values()) for found in (dragged, tokens(tmux, window))]
                counts.append((max(twice), tokens(tmux, window, "before-"),
                               tokens(tmux, window, "line-")))
            (plain, _, _), (more, before, lines) = counts
            report(f"{name}: a drag leaves no line twice in the scrollback", more == 0, f"{more}, without settle {plain}")
            report(f"{name}: lines that stay are there once", len(before) == 40 and all(count == 1 for count in [*before.values(), *lines.values()]))
            if name == "rich":
                planted("lines that are left twice, as without settle", plain or None)


def redraws(folder, name, command, *options):
    """Redraws in a drag of a second, before it ends and in all, and the recording."""
    log, recording = folder / name, folder / f"{name}.settle"
    count = lambda: len(content(log).splitlines()) - 1
    with Terminal(run(*command, log, options=["--record", recording, *options])) as terminal:
        terminal.until(lambda: count() == 0)
        for _ in range(2):
            begin = count()
            terminal.drag(random.Random(SEED), rate=60)
            within = count() - begin
            terminal.until(lambda: content(log).splitlines()[-1] == b"%d %d" % (terminal.columns, terminal.rows))
            terminal.look(0.7)
        drawn = [tuple(map(int, line.split())) for line in content(log).splitlines()]
        terminal.type(b"q")
        problem = end_problem(terminal.end(), 7)
    decided = [(d["width"], d["height"]) for d in json_lines(replayed(recording, *[{"--live": "--live-share"}.get(word, word) for word in options])) if d["kind"] == "rebuild"]
    return within, problem or (None if decided == drawn else f"{len(decided)} sizes replayed, {len(drawn)} drawn")


def test_live(folder):
    quick, problem = redraws(folder, "quick", QUICK, "--live", "30%")
    verify("a quick program is given sizes within a drag, as its recording's replay says", problem or (None if quick >= 5 else f"{quick} redraws"), f"{quick} redraws in 1 s")
    slow, problem = redraws(folder, "slow", SLOW, "--live", "30%")
    verify("a program that needs 100 ms is given none after its first redraw", problem or (None if slow <= 1 else f"{slow} redraws"))
    off, problem = redraws(folder, "off", QUICK)
    verify("without --live a quick program is given none", problem or (None if off == 0 else f"{off} redraws"))


def test_latency(folder):
    """Keys go by turns to a program with and without settle, so that both meet the same machine."""
    echo = ["sh", "-c", "stty raw -echo; echo ready; exec cat"]
    with suppress(PermissionError):
        # Others on the machine are no part of what is measured.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    with Terminal(echo) as plain, Terminal(run(*echo, options=["--hold-screen"])) as held:
        for terminal in (plain, held):
            terminal.sees(b"ready")
        late = [[late_key(terminal) for terminal in (plain, held)] for _ in range(25)]
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    least = [min(times) for times in zip(*late)]
    report("settle run adds less than 1 ms to 99 % of keys", least[1] - least[0] < 1, f"{least[0]:.3f} ms without it, {least[1]:.3f} ms with it")


def late_key(terminal):
    """The time within which 99 % of 200 keys are echoed, in ms."""
    taken = []
    for number in range(200):
        before, begin = terminal.count, time.monotonic()
        os.write(terminal.user, b"%c" % (97 + number % 26))
        while terminal.count == before:
            terminal.look(0.00001)
        taken.append(time.monotonic() - begin)
        time.sleep(0.0005)
    return sorted(taken)[int(len(taken) * 0.99)] * 1000
