#!/usr/bin/env python3
"""settle-demo in a window of X11 (openbox in Xvfb) and of Wayland (weston in Xvfb), dragged by xdotool.

usage: SETTLE=.build/debug/settle Tests/Verification/Sources/demo.py [--screenshots FOLDER]
Needs settle-demo beside settle, and Debian's xvfb openbox weston xdotool x11-apps.
"""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from processes import PATIENCE, wait_for

DEMO = os.path.join(os.path.dirname(os.path.abspath(os.environ.get("SETTLE", ".build/debug/settle"))), "settle-demo")
BACKGROUND = bytes([0x1C, 0x16, 0x12])  # of the window, as blue, green, red
AFTER_DRAG = (1180, 760)  # the first size of the window that is looked at right after a drag
passed, failed = 0, 0


def check(name, holds, figure):
    """Prints and counts one thing that was verified."""
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok    ' if holds else 'FAILED'} {name}: {figure}", flush=True)


class Picture:
    """Pixels as rows of blue, green, red."""

    def __init__(self, rows):
        self.rows, self.width, self.height = rows, len(rows[0]) // 3, len(rows)

    def crop(self, x, y, width, height):
        return Picture([row[3 * x:3 * (x + width)] for row in self.rows[y:y + height]])

    def colors(self):
        return len({row[i:i + 3] for row in self.rows for i in range(0, len(row), 3)})


def read_png(path):
    """A PNG of 8-bit RGB whose rows have no filter or the one of the left pixel; checksums verified."""
    data, at, packed = open(path, "rb").read(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body, at = data[at + 8:at + 8 + size], at + 12 + size
        assert struct.unpack(">I", data[at - 4:at])[0] == zlib.crc32(kind + body), f"the checksum of {kind} is wrong"
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
    raw, rows, stride = zlib.decompress(packed), [], 3 * width + 1
    for y in range(height):
        row = bytearray(raw[y * stride + 1:(y + 1) * stride])
        if raw[y * stride]:
            for i in range(3, len(row)):
                row[i] = (row[i] + row[i - 3]) & 255
        row[0::3], row[2::3] = row[2::3], row[0::3]
        rows.append(bytes(row))
    return Picture(rows)


class Display:
    """An X server of its own, and what runs in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="settle-demo-")
        os.chmod(self.folder, 0o700)
        self.processes = []
        reader, writer = os.pipe()
        self.server = self.start(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1500x900x24", "-noreset"], {}, writer)
        os.close(writer)
        with os.fdopen(reader) as lines:
            number = lines.readline().strip()
        self.environment = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
        self.environment |= {"DISPLAY": f":{number}", "XDG_RUNTIME_DIR": self.folder}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, command, environment=None, *descriptors, **streams):
        streams = streams or {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, pass_fds=descriptors, stdin=subprocess.DEVNULL,
                                   env=self.environment if environment is None else os.environ | environment, **streams)
        self.processes.append(process)
        return process

    def demo(self, *options):
        """Starts settle-demo, and waits until its window stands still."""
        self.shot = os.path.join(self.folder, "shot.png")
        process = self.start([DEMO, "--report", "--force", "--screenshot", self.shot, *options], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        wait_for("window", lambda: self.window() or process.poll() is not None)
        if process.poll() is not None:
            raise ChildProcessError(f"settle-demo ended with {process.returncode}: {process.stderr.read()}")
        self.rest()
        return process

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True)

    def screen(self):
        # xwd fails when a window goes while it looks for windows.
        data = wait_for("dump of the screen", lambda: subprocess.run(
            ["xwd", "-silent", "-root"], env=self.environment, capture_output=True).stdout)
        head = struct.unpack(">25I", data[:100])
        start, width, height, stride = head[0] + 12 * head[19], head[4], head[5], head[12]
        rows = []
        for y in range(height):
            row, line = bytearray(3 * width), data[start + y * stride:start + y * stride + 4 * width]
            for part in range(3):
                row[part::3] = line[part::4]
            rows.append(bytes(row))
        return Picture(rows)

    def window(self):
        """The window's x, y and width on the screen, by its first row of background."""
        screen = self.screen()
        for y, row in enumerate(screen.rows):
            at = row.find(BACKGROUND * 300)
            if at >= 0:
                width = 300
                while row[at + 3 * width:at + 3 * width + 3] == BACKGROUND:
                    width += 1
                return at // 3, y, width
        return None

    def rest(self):
        """Waits until the screen stays the same: no lag meter runs, no rebuild is to come."""
        shots = []

        def is_still():
            shots.append(self.screen().rows)
            time.sleep(0.25)
            return len(shots) > 3 and shots[-1] == shots[-2] == shots[-3] == shots[-4]

        wait_for("rest", is_still)

    def drag(self, x, y, *distances, release=True, steps=60):
        """Drags from a place by each distance in turn, each a second on a minimum-jerk path, at 60 Hz."""
        words, origin = ["mousemove", x, y, "mousedown", 1], x
        for distance in distances:
            for step in range(1, steps + 1):
                share = step / steps
                path = share**3 * (10 - 15 * share + 6 * share**2)
                words += ["mousemove", round(origin + distance * path), y, "sleep", 1 / steps]
            origin += distance
        self.xdotool(*words, *(["mouseup", 1, "mousemove", 1, 880] if release else []))


def ended(process):
    """The exit status, the report and standard error of a program that ends."""
    out, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, json.loads(out.splitlines()[-1]) if out.strip() else {}, errors


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
    wrong = sum(row != display_rows[y + n][3 * x:3 * (x + picture.width)] for n, row in enumerate(picture.rows))
    return [f"{wrong} rows of the screen differ"] if wrong else []


def verdict(name, faults, figure):
    check(name, not faults, "; ".join(faults) or figure)


def figures(report):
    return (f"{report['sizes']} sizes, naive {report['naive']['rebuilds']} rebuilds in {report['naive']['work_ms']} ms, "
            f"Settle {report['settle']['rebuilds']} in {report['settle']['work_ms']} ms; right after "
            f"{report['naive']['caught_up_ms']} and {report['settle']['caught_up_ms']} ms")


def processor_time(process):
    """Seconds of processor time that a process took so far."""
    fields = open(f"/proc/{process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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

        process = display.demo()
        compositor.kill()
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
