#!/usr/bin/env python3
"""The table of `settle watch` in tmux and in terminals that this script plays, on X11 desktops in Xvfb.

usage: SETTLE=PATH table.py [CHECK...]

Prints a line for each thing that is verified, with its figure. The exit status is 1 if one failed.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

import table_checks as checks
import table_ends
import terminals
from table_tools import Pane, cat, desktop, replayed, verify, watch, work
from terminals import Terminal, Tmux, folder, report, until
from x11_desktop import Window

LOAD_SECONDS, CHANGES_PER_SECOND, KEYS_PER_SECOND, RESIZES_PER_SECOND = 4.0, 1000, 30, 60
# What it shows


def resize_steps(window, count):
    """Changes a window's size so many times, and waits until the server knows."""
    for step in range(count):
        window.resize(300 + 7 * step, 200 + 5 * step)
    window.size()


def check_rows(tmux):
    """Sizes, states and counts, in tmux."""
    log = work / "rows.settle"
    with desktop("rows") as found:
        windows = {title: Window(found, title, 200 + 50 * number, 100 + 30 * number)
                   for number, title in enumerate(["plain", "two words", "漢字かな", "é with accents", "last"])}
        pane = Pane(tmux)
        pane.start(watch(found, "--record", log))
        sizes = lambda: {title: window.size() for title, window in windows.items()}
        until(lambda: not checks.wrong_sizes(checks.table(pane.screen()), sizes()))
        verify("a row for each window, with its size", checks.wrong_sizes(checks.table(pane.screen()), sizes()), f"{len(windows)} windows")

        found.pointer.button(1, True)
        resize_steps(windows["plain"], 20)
        states = dict.fromkeys(windows, "resting")
        until(lambda: not checks.wrong_states(pane.screen(), {**states, "plain": "dragged"}))
        verify("a window that changes while a button is held is dragged", checks.wrong_states(pane.screen(), {**states, "plain": "dragged"}))
        found.pointer.button(1, False)
        resize_steps(windows["two words"], 10)
        until(lambda: not checks.wrong_states(pane.screen(), states))
        reasons = lambda: [checks.table(pane.screen())[title]["last reason"] for title in ("plain", "two words")]
        until(lambda: reasons()[0] == "interactionEnded" and reasons()[1] != "first")
        verify("after the release it rests, and the reason is said", checks.wrong_states(pane.screen(), states)
               or (None if reasons()[0] == "interactionEnded" else f"the reason is {reasons()}"), f"{reasons()}")
        until(lambda: not checks.wrong_sizes(checks.table(pane.screen()), sizes()))
        screen = tmux.steady_screen(pane.name)
        rows = checks.table(screen)
        verify("the rows have the last sizes", checks.wrong_sizes(rows, sizes()))
        pane.keys("q")
        verify("q leaves it with status 0, the normal screen and the modes of before", pane.left_problem())
        events, decisions = cat(log), [json.loads(line) for line in replayed(log, "--decisions", "-").splitlines()]
        verify("the rows' counts are those of the recording and its replay", checks.wrong_counts(rows, events, decisions),
               f"{len(events)} events, {len(decisions)} decisions")
        verify("the sums are those that a replay prints", checks.wrong_totals(screen, replayed(log)))
        return screen, sizes(), events, decisions, replayed(log)


def check_pending(tmux):
    with desktop("pending", None) as found:
        window = Window(found, "waits")
        pane = Pane(tmux)
        pane.start(watch(found, "--quiet-delay", "1h", "--quiet-maximum", "1h", "--jump-delay", "none"))
        until(lambda: "waits" in checks.table(pane.screen()))
        resize_steps(window, 3)
        until(lambda: not checks.wrong_states(pane.screen(), {"waits": "pending"}))
        verify("a window whose rebuild is pending is shown as pending", checks.wrong_states(pane.screen(), {"waits": "pending"}))
        pane.keys("C-c")
        verify("Ctrl-C leaves it with status 0, the normal screen and the modes of before", pane.left_problem())


def check_sizes_of_the_terminal(tmux):
    with desktop("terminal", None) as found:
        windows = [Window(found, f"number {number}") for number in range(30)]
        pane = Pane(tmux)
        pane.start(watch(found))
        until(lambda: "1 to 19 of 30" in pane.screen())
        titles = [f"number {number}" for number in range(len(windows))]

        def problem(columns=120, rows=24, first=0, present=("lag",), absent=()):
            page = lambda: checks.wrong_page(pane.screen(), columns, rows, first, titles, present, absent)
            until(lambda: not page())
            return page()
        for columns, rows, present, absent in ((60, 10, ["naive"], ["previews"]), (140, 30, ["previews"], []),
                                               (40, 12, ["state"], ["naive"]), (120, 24, ["previews"], [])):
            pane.resize(columns, rows)
            verify(f"a terminal of {columns}x{rows} has {rows - 5} rows, and the columns that fit",
                   problem(columns, rows, 0, present, absent))
        for key, first in (("Down", 1), ("j", 2), ("Up", 1), ("End", 11), ("PageUp", 0), ("PageDown", 11), ("Home", 0)):
            pane.keys(key)
            verify(f"the key {key} scrolls", problem(first=first))
        pane.resize(10, 3)
        pane.sees("settle wat\n")
        pane.resize(120, 24)
        verify("a terminal of 10x3 loses nothing: with more room the table is back", problem())
        windows[0].destroy()
        gone = until(lambda: "29 windows" in pane.screen() and "number 0" not in checks.table(pane.screen()))
        verify("a window that closes has no row", None if gone else pane.screen())
        pane.keys("q")
        verify("q leaves it after all this", pane.left_problem())


# What it costs the terminal


@contextlib.contextmanager
def changing(window):
    """A window whose size changes at 1000 Hz, by a thread that has the desktop's connection."""
    stop, sent = threading.Event(), [0]

    def change():
        began = time.monotonic()
        while not stop.is_set():
            while sent[0] < (time.monotonic() - began) * CHANGES_PER_SECOND:
                window.resize(300 + sent[0] % 200, 200 + sent[0] % 150)
                sent[0] += 1
            time.sleep(0.0005)
    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield sent
    finally:
        stop.set()
        thread.join()


def counted_redraws(found, window, act, each):
    """Watches a flood of changes, and acts so many times a second. The output, and the seconds that it took."""
    terminal = Terminal(watch(found), size=(24, 120), prepare=lambda: os.environ.update(TERM="settle-plain", TERMINFO=str(work)))
    terminal.sees(b"q quits")
    with changing(window) as sent:
        terminal.look(0.5)
        terminal.shown, before = b"", sent[0]
        began, acted = time.monotonic(), 0
        while (passed := time.monotonic() - began) < LOAD_SECONDS:
            terminal.look(0.005)
            while acted < passed * each:
                act(terminal, acted)
                acted += 1
        output, seconds, changes = terminal.look(), time.monotonic() - began, sent[0] - before
    terminal.type(b"q")
    status = terminal.end()
    terminal.close()
    return output, seconds, f"{changes / seconds:.0f} changes/s, {acted / seconds:.0f} a second", status


def check_redraws(tmux):
    (work / "settle-plain.ti").write_text(checks.TERMINFO)
    subprocess.run(["tic", "-x", "-o", work, work / "settle-plain.ti"], check=True)
    acts = {
        "nothing else": (lambda terminal, number: None, 0),
        "keys that scroll": (lambda terminal, number: terminal.type(b"jk"[number % 2:][:1]), KEYS_PER_SECOND),
        "sizes of the terminal": (lambda terminal, number: terminal.resize(20 + number % 9, 100 + number % 20), RESIZES_PER_SECOND)}
    with desktop("redraws", None) as found:
        windows = [Window(found, f"number {number}") for number in range(30)]
        for name, (act, each) in acts.items():
            output, seconds, rates, status = counted_redraws(found, windows[0], act, each)
            count = checks.redraws(output)
            verify(f"at most 10 redraws a second with {name}", checks.too_many_redraws(count, seconds),
                   f"{count} in {seconds:.1f} s, {rates}")
            if name == "nothing else":
                plain = output, seconds
    return plain


CHECKS = {"rows": check_rows, "pending": check_pending, "sizes": check_sizes_of_the_terminal, "redraws": check_redraws,
          **table_ends.CHECKS}


def main():
    # tmux needs a locale with UTF-8.
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    os.environ.pop("TMUX", None)
    # So that what runs is ended then as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = [word for word in sys.argv[1:] if word != "--long"] or list(CHECKS)
    for name in chosen:
        if name not in CHECKS:
            sys.exit(f"table.py: there is no check '{name}'; there are {', '.join(CHECKS)}")
    tmux = Tmux()
    server = tmux.process()
    results = {}
    try:
        for name in chosen:
            try:
                results[name] = CHECKS[name](tmux)
            except Exception as error:
                verify(f"{name} runs to its end", f"{type(error).__name__}: {error}")
                traceback.print_exc()
        if results.get("rows") and results.get("redraws"):
            for name, problem in checks.planted_faults(*results["rows"], *results["redraws"]):
                report(f"planted: {name}", problem is not None, "" if problem else "it was not found")
    finally:
        for terminal in list(Terminal.open):
            terminal.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{terminals.passed} passed, {terminals.failed} failed")
    sys.exit(terminals.failed > 0)


if __name__ == "__main__":
    main()
