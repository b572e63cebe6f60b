#!/usr/bin/env python3
"""`settle watch` on X11 desktops: openbox, xfwm4, twm and no window manager, driven by xdotool and XTEST.

SETTLE is the path of the built command. Prints a line for each thing verified."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

try:
    import xcffib  # noqa: F401
except ImportError:
    # Debian's package is for Debian's Python, which need not be the first one.
    if sys.executable == "/usr/bin/python3":
        sys.exit("x11.py: xcffib is missing; install it by: apt-get install python3-xcffib")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

import x11_checks as checks
from x11_cases import CASES
from x11_desktop import Desktop, Failure, Observer, Watch, Window

SETTLE = os.environ.get("SETTLE", "")
# Longer than any delay of the policy: quietMaximum is 500 ms.
HELD_SECONDS, REST_SECONDS = 0.7, 0.8
TRAVEL = (160, 110)

# Name, rate in Hz, whether it comes back, whether Escape ends it.
DRAGS = [
    ("60 Hz with a pause", 60, False, False),
    ("1000 Hz with a pause", 1000, False, False),
    ("1000 Hz and back", 1000, True, False),
    ("60 Hz and Escape", 60, False, True),
]
# What Escape does during a drag is the window manager's business. twm has no such key.
HAS_ESCAPE = {"openbox", "xfwm4"}


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def line(self, part, what, problem=None):
        self.passed += problem is None
        self.failed += problem is not None
        print(f"x11: {part}: {what}" if problem is None else f"x11: {part}: FAILED: {what}: {problem}", flush=True)


def hold(desktop, name, rate, comes_back, has_escape, moved):
    """What happens between press and release."""
    pointer = desktop.pointer
    (x, y), (dx, dy) = pointer.at, TRAVEL
    pointer.path((x + dx // 2, y + dy // 2), 0.3, rate, moved)
    time.sleep(HELD_SECONDS)
    pointer.path((x + dx, y + dy), 0.3, rate, moved)
    if comes_back:
        pointer.path((x, y), 0.3, rate, moved)
    if has_escape:
        pointer.escape()
        time.sleep(HELD_SECONDS)


def drag(desktop, window, name, rate, comes_back, has_escape):
    """Drags the window's corner. Returns the truth of it."""
    before = window.size()
    x, y = window.corner()
    # Within the window where the manager resizes from there, else at the frame's corner.
    inset = -2 if desktop.manager == "xfwm4" else 12
    button = 1 if desktop.manager == "xfwm4" else 3
    desktop.pointer.move(x - inset, y - inset)
    desktop.pointer.sync()
    time.sleep(0.2)
    begun = time.monotonic_ns()
    desktop.pointer.button(button, True)
    pressed = desktop.pointer.injected[-1][3]
    moved = None
    if not desktop.manager:
        # Without a window manager, the window follows the pointer by itself.
        x0, y0 = desktop.pointer.at
        moved = lambda x, y: window.resize(before[0] + x - x0, before[1] + y - y0)
    hold(desktop, name, rate, comes_back, has_escape, moved)
    desktop.pointer.button(button, False)
    released = desktop.pointer.injected[-1][2]
    window.send_double()
    time.sleep(REST_SECONDS)
    return {"name": name, "scene": window.name, "before": before, "after": window.size(), "begun": begun,
            "pressed": pressed, "released": released, "ended": time.monotonic_ns()}


def check_desktop(report, work, manager):
    part = manager or "no window manager"
    with Desktop(work, manager) as desktop:
        window = Window(desktop, "drägged")
        watch = Watch(SETTLE, desktop)
        watch.wait_for_first(window.name)
        observer = Observer(desktop.display, window)
        drags = []
        for name, rate, comes_back, has_escape in DRAGS:
            if has_escape and manager not in HAS_ESCAPE:
                continue
            # A window that comes and goes meanwhile.
            other = Window(desktop, "other")
            watch.wait_for_first(other.name)
            other.destroy()
            drags.append(drag(desktop, window, name, rate, comes_back, has_escape))
        seen = observer.sizes()
        watch.process.terminate()
        status = watch.status()
        report.line(part, "SIGTERM ends it in order", None if status == 0 else f"status {status}: {watch.errors.read_text()}")
        verify(report, part, desktop, watch, window, drags, seen)
        if manager == "openbox":
            printed = watch.out.read_text()
            for name, problem in checks.planted_faults(
                    watch.decisions(), drags, watch.events(), desktop.pointer.injected, window.name, seen[0], printed):
                report.line("planted", name + " is found" + (f": {problem}" if problem else ""), None if problem else "it is not")


def verify(report, part, desktop, watch, window, drags, seen):
    decisions, events, (sizes, doubles) = watch.decisions(), watch.events(), seen
    reached = ", ".join(f"{rate:.0f} of {wished} Hz" for wished, rate in desktop.pointer.rates)
    # A busy machine moves it slower now and then, which may change no decision.
    best = {wished: max(rate for other, rate in desktop.pointer.rates if other == wished) for wished, _ in desktop.pointer.rates}
    slow = [wished for wished, rate in best.items() if rate < checks.RATE_SHARE_MIN * wished]
    report.line(part, f"the pointer moved at {reached}", f"never nearly at {slow} Hz" if slow else None)
    changed = sum(d["before"] != d["after"] for d in drags)
    report.line(part, f"{len(drags)} drags, of which {changed} changed the size", None if changed >= 2 else "too few changed it")
    report.line(part, "rebuilds within held drags: 0", checks.rebuilt_while_held(decisions, drags))
    report.line(part, "one rebuild per drag, none where the size came back", checks.wrong_rebuilds(decisions, drags))
    pointer = desktop.pointer.injected
    report.line(part, f"{len(pointer)} presses and releases, each once", checks.wrong_buttons(events, pointer))
    report.line(part, f"{len(sizes)} sizes, {doubles} synthetic doubles left out",
                checks.wrong_sizes(events, window.name, sizes) or (None if doubles >= len(drags) else "there were too few doubles"))
    printed = watch.out.read_text()
    report.line(part, f"a replay gives the {len(decisions)} decisions that were printed", checks.other_decisions(printed, watch.replayed()))
    gone = [e["scene"] for e in events if e.get("kind") == "disconnect"]
    others = sum(scene.startswith("other ") for scene in gone)
    report.line(part, f"{others} windows came and went meanwhile", None if others == len(drags) and len(gone) == others else f"disconnects: {gone}")


def main():
    if not os.access(SETTLE, os.X_OK):
        sys.exit("x11.py: SETTLE must be the path of the built command")
    # So that what runs is ended then as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    report = Report()
    work = pathlib.Path(tempfile.mkdtemp(prefix="settle-x11-"))
    work.chmod(0o700)
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")]
    cases = [(m or "none", lambda folder, m=m: check_desktop(report, folder, m)) for m in ("openbox", "xfwm4", "twm", None)]
    cases += [(name, lambda folder, case=case: case(report, folder, SETTLE)) for name, case in CASES]
    try:
        for name, case in cases:
            if chosen and name not in chosen:
                continue
            folder = work / name
            folder.mkdir(mode=0o700)
            try:
                case(folder)
            except (Failure, subprocess.SubprocessError, OSError, xcffib.Error) as error:
                report.line(name, "ran to its end", f"{type(error).__name__}: {error}")
                traceback.print_exc()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
