#!/usr/bin/env python3
"""settle-demo in a window of X11 (openbox in Xvfb) and of Wayland (weston in Xvfb), dragged by xdotool.

usage: SETTLE=.build/debug/settle Tests/Verification/Sources/demo.py [--screenshots FOLDER]
Needs settle-demo beside settle, and Debian's xvfb openbox weston xdotool x11-apps.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from demo_display import BACKGROUND, DEMO, Display, Picture, ended, processor_time, read_png, wakeups
from processes import wait_for

AFTER_DRAG = (1180, 760)  # the first size of the window that is looked at right after a drag
passed, failed = 0, 0


def check(name, holds, figure):
    """Prints and counts one thing that was verified."""
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok    ' if holds else 'FAILED'} {name}: {figure}", flush=True)


def halves(report, picture):
    """The two halves' pictures in a screenshot."""
    width, height = map(int, report["picture"].split("x"))
    card = (picture.width - 3 * 14) // 2
    return [picture.crop(14 + side * (card + 14) + 12, 44 + 64, width, height) for side in (0, 1)]


def label_rows(height):
    """The rows with the number of the build, which differs between the halves."""
    return range(height // 2 + 10, height // 2 + 36)


def drag_faults(report, drags, settle_rebuilds):
    """What is wrong with a report after drags that ended."""
    naive, settle, faults = report["naive"], report["settle"], []
    if report["drags"] != drags:
        faults.append(f"{report['drags']} drags")
    if settle["rebuilds"] != settle_rebuilds:
        faults.append(f"Settle rebuilt {settle['rebuilds']} times")
    if report["rule"] == "every" and naive["rebuilds"] != report["sizes"]:
        faults.append("the naive half did not build every size")
    if naive["rebuilds"] < 2 * settle_rebuilds or naive["work_ms"] < 2 * settle["work_ms"]:
        faults.append("the naive half did not work twice as much")
    if not report["picture"] == naive["shown"] == settle["shown"]:
        faults.append("a half does not show the window's size")
    return faults


def picture_faults(report, picture):
    """What is wrong with a screenshot after both halves caught up."""
    faults = []
    if f"{picture.width}x{picture.height}" != report["window"]:
        faults.append(f"the screenshot has {picture.width}x{picture.height} pixels")
    left, right = halves(report, picture)
    for name, half in (("left", left), ("right", right)):
        if half.colors() < 50:
            faults.append(f"the {name} half has {half.colors()} colors")
    label = label_rows(left.height)
    if any(left.rows[y] != right.rows[y] for y in range(left.height) if y not in label):
        faults.append("the halves differ: one is stretched")
    return faults


def shown_faults(display_rows, place, picture):
    """What is wrong with the window on the screen, compared with its screenshot."""
    x, y = place
    wrong = [n for n, row in enumerate(picture.rows) if row != display_rows[y + n][3 * x:3 * (x + picture.width)]]
    return [f"{len(wrong)} rows of the screen differ, {wrong[0]} to {wrong[-1]}"] if wrong else []


def verdict(name, faults, figure):
    check(name, not faults, "; ".join(faults) or figure)


def figures(report):
    return (f"{report['sizes']} sizes, naive {report['naive']['rebuilds']} rebuilds in {report['naive']['work_ms']} ms, "
            f"Settle {report['settle']['rebuilds']} in {report['settle']['work_ms']} ms; right after "
            f"{report['naive']['caught_up_ms']} and {report['settle']['caught_up_ms']} ms")


def lag_is_over(display):
    """Whether the right half's lag meter is empty: its place has one color throughout."""
    x, y, width = display.window()
    card = (width - 3 * 14) // 2
    bar = display.screen().crop(x + 2 * 14 + card + 12, y + AFTER_DRAG[1] - 40 - 116 + 14 + 45 + 7, 20, 1)
    return bar.colors() == 1 and bar.rows[0][:3] == bytes([0x41, 0x35, 0x2C])


def keep(display, name):
    if FOLDER:
        shutil.copy(display.shot, os.path.join(FOLDER, name))


def two_drags(display, process, name, frame, close):
    """A drag to another size, and one there and back; then somebody closes the window."""
    x, y, width = display.window()
    display.drag(x + width - frame, y + 300, -250)
    display.rest()
    x, y, width = display.window()
    display.drag(x + width - frame, y + 300, 90, -90)
    display.rest()
    screen, place = display.screen(), display.window()
    close(*place)
    status, report, errors = ended(process)
    check(f"{name}: closing the window ends the program", status == 0, f"status {status} {errors.strip()}")
    picture = read_png(display.shot)
    keep(display, f"demo-{name}.png")
    verdict(f"{name}: one rebuild per drag, none where the size came back", drag_faults(report, 2, 2), figures(report))
    verdict(f"{name}: both halves show the picture of the final size", picture_faults(report, picture),
            f"{report['picture']}, {halves(report, picture)[1].colors()} colors")
    inset = 1 if name == "wayland" else 0  # the window draws its own frame there
    verdict(f"{name}: the screen shows what the screenshot does",
            shown_faults(screen.rows, (place[0] - inset, place[1] - inset), picture), f"{picture.height} rows")
    return report, picture, screen, place


def x11():
    with Display() as display:
        # Before its start has ended, openbox drops requests to show windows.
        started = os.path.join(display.folder, "started")
        display.start(["openbox", "--startup", f"touch {started}"])
        wait_for("window manager", lambda: os.path.exists(started))
        process = display.demo("--x11")
        faultless = two_drags(display, process, "x11", 0, lambda *_: display.xdotool("key", "alt+F4"))

        process = display.demo("--x11", "--cost", "60ms")
        work, began = processor_time(process), time.monotonic()
        time.sleep(2)
        share = (processor_time(process) - work) / (time.monotonic() - began)
        check("x11: a window at rest takes under 2 % of a core", share < 0.02, f"{100 * share:.1f} %")
        x, y, width = display.window()
        display.drag(x + width, y + 300, -170, release=False)
        process.send_signal(signal.SIGTERM)
        status, report, _ = ended(process)
        keep(display, "demo-x11-drag.png")
        display.xdotool("mouseup", 1)
        held = report.get("settle", {})
        check("x11: no rebuild while the button is held", held.get("rebuilds") == 1 and held["shown"] != report["picture"]
              and report["naive"]["rebuilds"] > 2, f"naive {report['naive']['rebuilds']} rebuilds, Settle's first alone")
        check("x11: SIGTERM writes the report and ends by the signal", status == -signal.SIGTERM, f"status {status}")

        process = display.demo("--x11", "--size", "x".join(map(str, AFTER_DRAG)))
        x, y, width = display.window()
        display.drag(x + width, y + 300, -170)
        wait_for("right picture", lambda: lag_is_over(display))
        process.send_signal(signal.SIGINT)
        _, report, _ = ended(process)
        keep(display, "demo-x11-after.png")
        faults = [] if report["settle"]["shown"] == report["picture"] else ["Settle's half is stale"]
        faults += [] if report["naive"]["waiting"] > 0 else ["the naive half has caught up"]
        verdict("x11: Settle's half is right while sizes of the naive one wait", faults,
                f"right {report['settle']['caught_up_ms']} ms after the last size; {report['naive']['waiting']} sizes wait")

        started = time.monotonic()
        process = display.start([DEMO, "--seconds", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        status, _, _ = ended(process)
        check("x11: --seconds 2 ends the program in order, not before", status == 0 and time.monotonic() - started >= 2,
              f"status {status}")

        process = display.start([DEMO, "--seconds", "1", "--screenshot", "/dev/full"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        status, _, errors = ended(process)
        check("x11: a screenshot on a full disk", status == 3 and "No space left" in errors, f"status {status}, {errors.strip()}")

        process = display.demo("--x11")
        display.xdotool("search", "--onlyvisible", "--class", "settle-demo", "windowclose")
        status, report, _ = ended(process)
        check("x11: a window that another client destroys ends the program in order", status == 0 and "naive" in report,
              f"status {status}")

        process = display.demo()
        display.server.kill()
        status, _, errors = ended(process)
        check("x11: a server that is killed", status == 3 and "X server closed" in errors, f"status {status}, {errors.strip()}")
        return faultless


def hidden_faults(rate, report):
    """What is wrong with a program that has something to draw, whose compositor takes no picture."""
    faults = [] if rate < 50 else [f"it woke up {rate:.0f} times a second"]
    return faults + ([] if report["naive"]["waiting"] > 0 else ["nothing was left to draw"])


def hidden(display, compositor):
    """A compositor asks for no picture of a window that is hidden; here it is stopped, which is the same to the window."""
    process = display.demo("--cost", "300ms")
    x, y, width = display.window()
    display.drag(x + width - 4, y + 300, -250)
    compositor.send_signal(signal.SIGSTOP)
    try:
        before, began = wakeups(process), time.monotonic()
        time.sleep(2)
        rate = (wakeups(process) - before) / (time.monotonic() - began)
        process.send_signal(signal.SIGTERM)
        status, report, _ = ended(process)
    finally:
        compositor.send_signal(signal.SIGCONT)
    verdict("wayland: a window that is not shown waits for events alone", hidden_faults(rate, report),
            f"{rate:.1f} wakeups a second while {report['naive']['waiting']} sizes wait")
    check("wayland: SIGTERM ends it all the same", status == -signal.SIGTERM, f"status {status}")
    busy = hidden_faults(250, report)
    check("planted: a timer of 4 ms is found", busy, "; ".join(busy) or "not found")


def wayland():
    with Display() as display:
        name = "settle-demo-test"
        # weston adds up the pointer's moves; it learns the place itself when the pointer enters.
        display.xdotool("mousemove", 1, 880)
        compositor = display.start(["weston", "--backend=x11-backend.so", "--use-pixman", "--width=1400", "--height=850",
                                    f"--socket={name}", "--no-config", "--idle-time=0"])
        wait_for("compositor", lambda: os.path.exists(os.path.join(display.folder, name)))
        display.environment["WAYLAND_DISPLAY"] = name
        process = display.demo("--naive", "latest")
        report, *_ = two_drags(display, process, "wayland", 4,
                               lambda x, y, width: display.xdotool("mousemove", x + width - 20, y + 20, "click", 1))
        check("wayland: chosen before X11 if a compositor answers", report["system"] == "wayland", report["end"])

        hidden(display, compositor)
        process = display.demo()
        compositor.kill()
        compositor.wait()
        status, _, errors = ended(process)
        check("wayland: a compositor that is killed", status == 3 and "compositor closed" in errors,
              f"status {status}, {errors.strip()}")
        status, _, errors = ended(display.start([DEMO, "--wayland"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        check("wayland: no compositor", status == 3 and "no compositor answers" in errors, f"status {status}, {errors.strip()}")


def planted(report, picture, screen, place):
    """The checks above see faults that are planted in what they judge."""
    def falsified(half, key, value):
        return report | {half: report[half] | {key: value}}

    width, height = picture.width, picture.height
    blank = Picture([row[:3 * (width // 2)] + BACKGROUND * (width - width // 2) for row in picture.rows])
    shifted = Picture([row[:3 * (width // 2)] + row[3 * (width // 2) - 3:-3] for row in picture.rows])
    rows = list(screen.rows)
    rows[place[1] + height // 2] = bytes(len(rows[0]))
    for name, faults in (
            ("one rebuild too many", drag_faults(falsified("settle", "rebuilds", 3), 2, 2)),
            ("a drag without its rebuild", drag_faults(falsified("settle", "rebuilds", 1), 2, 2)),
            ("a size that the naive half skipped", drag_faults(falsified("naive", "rebuilds", report["sizes"] - 1), 2, 2)),
            ("a picture of another size", drag_faults(falsified("settle", "shown", "1x1"), 2, 2)),
            ("a blank half", picture_faults(report, blank)), ("a half that is moved", picture_faults(report, shifted)),
            ("a row that the screen lacks", shown_faults(rows, place[:2], picture))):
        check(f"planted: {name} is found", faults, "; ".join(faults) or "not found")


# A check that is ended from outside leaves no server behind either.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
FOLDER = None
if len(sys.argv) == 3 and sys.argv[1] == "--screenshots":
    FOLDER = sys.argv[2]
    os.makedirs(FOLDER, exist_ok=True)
elif len(sys.argv) != 1:
    sys.exit(__doc__)
if not os.path.exists(DEMO):
    sys.exit(f"demo.py: there is no {DEMO}; run `swift build`, and set SETTLE to the path of settle")
try:
    seen = x11()
    wayland()
    planted(*seen)
except (TimeoutError, subprocess.TimeoutExpired, OSError, subprocess.CalledProcessError) as error:
    check("the check itself", False, f"{error} {getattr(error, 'stderr', None) or ''}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
