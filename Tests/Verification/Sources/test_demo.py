"""settle-demo in windows of X11 (openbox in Xvfb) and of Wayland (weston in Xvfb), dragged, and before it has one:
usage, no display, servers that are silent or have other pixels."""
import glob
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import time

import pytest
from desktop import WESTON_SCREEN, Desktop, WestonDesktop, distance, start_weston
from PIL import Image
from results import planted, report, verify
from support import DEMO, PATIENCE, SETTLE, Processes, end_problem, play, processor_seconds, status_figure, steady, until, wait_for

BACKGROUND = (0x12, 0x16, 0x1C)  # of the window
COSTLY = ("--prepared", "--cost", "200ms")
RESTING = 2  # seconds that a hand rests before it lets go: all that can be prepared is, and no watchdog ends the drag
PARTS = ("every_size", "debounce", "settle")
COSTLY_PARTS = ("at_the_end", "debounce", "settle")
# How much of a part's time is that on the clock: builds compete for the processors, so they take longer than their
# processor time, which Settle's part reports, and for which the policy live pauses 70 % of the time.
CLOCK = {"every_size": 1, "debounce": 1, "settle": 0.3}
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}

def test_usage(folder):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    for words, status, text in (
            ([], 3, "DISPLAY is not set"), (["--x11"], 3, "DISPLAY is not set"), (["--wayland"], 3, "no compositor answers"),
            (["--help"], 0, "usage: settle-demo"), (["--sceenshot", "x.png"], 2, "did you mean '--screenshot'"),
            (["--screenshot", __file__], 3, "--force replaces it")):
        run = subprocess.run([DEMO, *words], env=environment, capture_output=True, text=True)
        verify(f"settle-demo {' '.join(map(os.path.basename, words))}".strip(), end_problem(run.returncode, status, run.stdout + run.stderr, text))
    with open("/dev/full", "w") as full:
        run = subprocess.run([DEMO, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    verify("settle-demo --help on a full disk", end_problem(run.returncode, 3, run.stderr, "No space left"))
    planted("another status", end_problem(run.returncode, 0))


def has_connected(process):
    """Whether a program has caught SIGINT, and then opened a socket: it waits for the server."""
    folder = pathlib.Path(f"/proc/{process.pid}")
    try:
        caught = next(int(line.split()[1], 16) for line in open(folder / "status") if line.startswith("SigCgt:"))
        targets = [os.readlink(link) for link in glob.glob(f"{folder}/fd/*")]
    except OSError:  # A descriptor, or the program, has gone meanwhile.
        return False
    return caught >> (signal.SIGINT - 1) & 1 and any(target.startswith("socket:") for target in targets)


def test_silent(folder):
    """Servers that accept connections and answer none, as they are stopped, when somebody presses Ctrl-C once."""
    with Desktop(folder) as desktop:
        weston = start_weston(desktop, folder, "--backend=headless-backend.so")
        for option, server in (("--x11", desktop.server), ("--wayland", weston)):
            server.send_signal(signal.SIGSTOP)
            process = desktop.start([DEMO, option])
            waits = until(lambda: has_connected(process) or process.poll() is not None) and process.poll() is None
            process.send_signal(signal.SIGINT)
            report(f"{option} with a server that is stopped: the first SIGINT ends it",
                   waits and process.wait(PATIENCE) == -signal.SIGINT, f"status {process.poll()}")
            server.send_signal(signal.SIGCONT)


def test_screens(folder):
    """The screen of DISPLAY is where the window opens."""
    with Desktop(folder, None, ("Xvfb", "-screen", "0", "1200x800x24", "-screen", "1", "1100x700x24", "-screen", "2", "640x480x16")) as desktop:
        roots = [screen.root for screen in desktop.connection.get_setup().roots[:2]]

        def windows():
            """The number of windows that are shown on each screen."""
            states = [[desktop.core.GetWindowAttributes(each).reply().map_state for each in desktop.core.QueryTree(root).reply().children]
                      for root in roots]
            return [each.count(2) for each in states]
        for number in (0, 1):
            process = desktop.start([DEMO, "--x11"], env={**desktop.environment, "DISPLAY": f"{desktop.display}.{number}"})
            wait_for("window", lambda: any(windows()))
            report(f"a window for screen {number}", windows() == [1 - number, number], f"{windows()}")
            process.terminate()
            process.wait(PATIENCE)
            wait_for("end of the window", lambda: not any(windows()))
        for number, text in ((2, "of depth 16, lacks pixels of depth 24"), (7, "has no screen 7")):
            run = subprocess.run([DEMO, "--x11"], env={**desktop.environment, "DISPLAY": f"{desktop.display}.{number}"}, capture_output=True,
                                 text=True, timeout=PATIENCE)
            verify(f"screen {number} is refused", end_problem(run.returncode, 3, run.stderr, text))


def answer_of(depth=24, bits=32, order=sys.byteorder, visual_class=4, masks=(0xFF0000, 0xFF00, 0xFF), requests=65535):
    """What an X server with one screen, of one visual, answers to a connection."""
    visual = struct.pack("=IBBHIII4x", 33, visual_class, 8, 256, *masks)
    depths = struct.pack("=BxH4x", depth, 1) + visual
    screen = struct.pack("=5I6HI4B", 256, 32, 0, 0, 0, 800, 600, 200, 150, 1, 1, 33, 0, 0, depth, 1)
    head = struct.pack("=4I2H8B4x", 0, 0x200000, 0x1FFFFF, 0, 0, requests, 1, 1, order == "big", 0, 32, 32, 8, 255)
    body = head + struct.pack("=BBB5x", depth, bits, 32) + screen + depths
    return struct.pack("=BxHHH", 1, 11, 0, len(body) // 4) + body


def test_pixels(folder):
    """A screen whose pixels are others is refused, and what it lacks is named."""
    other = "little" if sys.byteorder == "big" else "big"
    for name, answer, text in (
            ("of depth 30", answer_of(depth=30), "of depth 30, lacks pixels of depth 24"),
            ("of 24 bits", answer_of(bits=24), "pixels of 32 bits"),
            (f"in {other} endian order", answer_of(order=other), "this machine's byte order"),
            ("of DirectColor", answer_of(visual_class=5), "a TrueColor visual"),
            ("of blue, green, red", answer_of(masks=(0xFF, 0xFF00, 0xFF0000)), "red, green and blue in the bits"),
            ("and requests of 16 KiB", answer_of(requests=4096), "requests that hold a row"),
            ("that it can use", answer_of(), "closed the connection")):
        with socket.create_server(("127.0.0.1", 0)) as listener, Processes() as processes:
            listener.settimeout(PATIENCE)
            # X servers listen at port 6000 plus the display's number.
            display = f"127.0.0.1:{listener.getsockname()[1] - 6000}"
            process = processes.start([DEMO, "--x11"], env={**os.environ, "DISPLAY": display}, **PIPES)
            with listener.accept()[0] as connection:
                connection.settimeout(PATIENCE)
                connection.recv(4096)
                connection.sendall(answer)
                requests = connection.recv(4096)
            _, said = process.communicate(timeout=PATIENCE)
            # The first request makes a window in the screen's root.
            made = struct.unpack_from("=BxHII", requests) if len(requests) >= 12 else ()
            is_right = made[:1] == (1,) and made[3] == 256 if text == "closed the connection" else not requests
            verify(f"a server with pixels {name}", end_problem(process.returncode, 3, said, text) or (None if is_right else f"it requested {made}"))

def ended(process):
    """The exit status, the report and standard error of a program that ends."""
    out, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, json.loads(out.splitlines()[-1]) if out.strip() else {}, errors


class Demo:
    """settle-demo in a desktop, whose window stands still."""

    def __init__(self, desktop, *options):
        self.desktop, self.shot = desktop, desktop.folder / "shot.png"
        # Where the window's right border can be dragged, and by which button.
        self.inset, self.button = (12, 3) if desktop.manager else (4, 1)
        self.process = desktop.start([DEMO, "--report", "--force", "--screenshot", self.shot, *options], **PIPES)
        wait_for("window", lambda: self.window() or self.process.poll() is not None)
        self.rest()

    def window(self):
        """The window's x, y and right border on the screen, by its background."""
        box = distance(self.desktop.screen(), BACKGROUND).point(lambda value: 255 * (value == 0)).getbbox()
        return box and box[:3]

    def rest(self):
        """Waits until the screen stays the same: no meter runs, no build is to come."""
        # On a busy machine a window may draw nothing for a second.
        steady(self.desktop.screen, 8, 0.25)

    def drag(self, *distances, releases=True):
        """Drags the window's right border by each distance in turn."""
        _, y, right = self.window()
        places = [(right - self.inset, y + 300)]
        for each in distances:
            places.append((places[-1][0] + each, y + 300))
        self.desktop.pointer.drag(*places, button=self.button, releases=releases)
        if releases:
            self.desktop.pointer.move(1, WESTON_SCREEN[1] - 20)


def drag_problem(report, drags):
    """Why a report after drags of costly builds, each with its rebuild but the last, is wrong."""
    ends = report["at_the_end"]
    faults = {
        f"{report['drags']} drags": report["drags"] != drags,
        f"Settle built {ends['builds']} times at the end": ends["builds"] != drags,
        "a part does not show the window's size": any(report[part]["shown"] != report["picture"] for part in COSTLY_PARTS)}
    return "; ".join(name for name, is_there in faults.items() if is_there) or None


def picture_problem(report, picture):
    """Why a screenshot after all parts caught up is wrong."""
    if "{}x{}".format(*picture.size) != report["window"]:
        return f"the screenshot has {picture.size} pixels"
    width, height = map(int, report["picture"].split("x"))
    parts = []
    for number in range(len(PARTS)):
        x, y = 14 + number * ((picture.width - 4 * 14) // 3 + 14) + 12, 44 + 64
        parts.append(picture.crop((x, y, x + width, y + height)))
        # The number of the build differs between the parts.
        unit = max(1, min(width // 80, height // 60))
        parts[number].paste(0, (0, height // 2 + unit, width, height // 2 + 9 * unit))
    if len(parts[0].getcolors(width * height)) < 50:
        return "a part is blank"
    return None if parts[0] == parts[1] == parts[2] else "the parts differ: one is stretched"


def taken(part, took, work):
    return CLOCK[part] * took + (1 - CLOCK[part]) * work


def predicted(folder, log, report):
    """What the closed loop predicts for each part from a recording, with the costs that the part had, by a program of
    the sweep's own sources: builds, work and wrong time in ms."""
    plain, binary = folder / "plain.jsonl", folder / "plain.settle"
    plain.write_text("".join(line for line in log.read_text().splitlines(True) if '"finished"' not in line))
    subprocess.run([SETTLE, "convert", "--force", plain, binary], check=True)
    found = {}
    # Every size, once a frame: live whatever it costs, for all of the time, at most every 16 ms.
    for part, row, share in zip(PARTS, (0, 3, 0), ("100", "30", "30")):
        cost = [str(taken(part, *each)) for each in zip(report[part]["took"], report[part]["cost"])]
        lines = subprocess.run([play(folder), binary, *cost, "0", share, "any"], capture_output=True, text=True, check=True).stdout
        builds, work, _, wrong = map(int, lines.splitlines()[row].split()[:4])
        found[part] = (builds, work / 1e6, wrong / 1e6)
    return found


def figures_of(part, report):
    each = report[part]
    return each["builds"], taken(part, each["took_ms"], each["work_ms"]), each["wrong_ms"]


def prediction_problem(report, found):
    """Why a part's figures are not what was predicted, by a tenth, 2 builds or 10 ms: wrong time is short where sizes are
    built live, and timers and threads wait for the processors."""
    faults = []
    for part in PARTS:
        got = figures_of(part, report)
        for is_, was, least in zip(got, found[part], (2, 10, 10)):
            if abs(is_ - was) > max(was / 10, least):
                faults.append(f"{part}: {is_:.1f}, not {was:.1f}")
    return "; ".join(faults) or None


def live_problem(report):
    """Why a drag with cheap builds was not followed live."""
    every, debounce, settled = (report[part]["last_drag"] for part in PARTS)
    faults = {
        f"Settle built {settled['builds']} times, every size {every['builds']}": not 3 <= settled["builds"] <= every["builds"],
        "it worked more than building every size": settled["work_ms"] > every["work_ms"] * 1.1,
        f"it was wrong for {settled['wrong_ms']} ms, the debounce for {debounce['wrong_ms']}": settled["wrong_ms"] > debounce["wrong_ms"] / 2,
        "a part does not show the window's size": any(report[part]["shown"] != report["picture"] for part in PARTS)}
    return "; ".join(name for name, is_there in faults.items() if is_there) or None


def drag_twice(desktop, name, demo, close):
    """A drag to another size, and one there and back; then somebody closes the window."""
    demo.drag(-250)
    demo.rest()
    demo.drag(90, -90)
    demo.rest()
    screen, (x, y, right) = desktop.screen(), demo.window()
    close(right, y)
    status, result, errors = ended(demo.process)
    verify(f"{name}: closing the window ends the program", end_problem(status, 0, errors))
    picture = Image.open(demo.shot).convert("RGB")
    verify(f"{name}: one rebuild per drag, none where the size came back", drag_problem(result, 2),
           f"{result['sizes']} sizes, " + ", ".join(f"{part} {result[part]['builds']}" for part in COSTLY_PARTS))
    verify(f"{name}: all parts show the picture of the final size", picture_problem(result, picture), result["picture"])
    inset = 0 if desktop.manager else 1  # the window draws its own frame in Wayland
    x, y = x - inset, y - inset
    report(f"{name}: the screen shows what the screenshot does", screen.crop((x, y, x + picture.width, y + picture.height)) == picture)
    if name == "x11":
        planted("a drag without its rebuild", drag_problem(result | {"at_the_end": result["at_the_end"] | {"builds": 1}}, 2))
        planted("a part that is moved", picture_problem(result, picture.transform(picture.size, Image.AFFINE, (1.01, 0, 0, 0, 1, 0))))
    return result


@pytest.mark.long
def test_x11(folder):
    with Desktop(folder, "openbox") as desktop:
        drag_twice(desktop, "x11", Demo(desktop, "--x11", *COSTLY), lambda *_: desktop.xdotool("key", "alt+F4"))
        demo = Demo(desktop, "--x11", *COSTLY)
        work, began = processor_seconds(demo.process.pid), time.monotonic()
        time.sleep(2)
        share = (processor_seconds(demo.process.pid) - work) / (time.monotonic() - began)
        report("x11: a window at rest takes under 2 % of a core", share < 0.02, f"{share:.1%}")
        demo.drag(-170, releases=False)
        demo.process.terminate()
        status, result, _ = ended(demo.process)
        desktop.pointer.button(demo.button, False)
        ends = result["at_the_end"]
        report("x11: no build at the end while the button is held",
               ends["builds"] == 1 and ends["shown"] != result["picture"], f"{ends['builds']}")
        verify("x11: SIGTERM writes the report and ends by the signal", end_problem(status, -signal.SIGTERM))
        log = folder / "drag.jsonl"
        demo = Demo(desktop, "--x11", "--record", log)
        demo.drag(-170)
        demo.rest()
        demo.process.send_signal(signal.SIGINT)
        _, result, _ = ended(demo.process)
        found = predicted(folder, log, result)
        figures = "; ".join(part + " {} builds, {:.1f} ms, wrong {:.1f} ms (predicted {}, {:.1f}, {:.1f})".format(*figures_of(part, result), *found[part])
                            for part in PARTS)
        verify("x11: cheap builds follow a drag live", live_problem(result))
        verify("x11: each part's figures are those that the closed loop predicts from the recording", prediction_problem(result, found), figures)
        planted("a part with more builds", prediction_problem(result | {"settle": result["settle"] | {"builds": 2 * result["settle"]["builds"]}}, found))
        planted("a drag that is followed by no build", live_problem(result | {"settle": result["settle"] | {
            "last_drag": result["settle"]["last_drag"] | {"builds": 1}}}))
        began = time.monotonic()
        run = subprocess.run([DEMO, "--seconds", "2"], env=desktop.environment, timeout=PATIENCE)
        report("x11: --seconds 2 ends the program in order, not before", run.returncode == 0 and time.monotonic() - began >= 2)
        for what, options, act, status, text in (
                ("a screenshot on a full disk", ["--seconds", "9", "--screenshot", "/dev/full"], lambda: None, 3, "No space left"),
                ("a window that another client destroys", [],
                 lambda: desktop.xdotool("search", "--onlyvisible", "--class", "settle-demo", "windowclose"), 0, ""),
                ("a server that is killed", [], desktop.server.kill, 3, "X server closed")):
            demo = Demo(desktop, *options)
            act()
            found, _, said = ended(demo.process)
            verify(f"x11: {what}", end_problem(found, status, said, text), f"status {found}")


def prepared_problem(report):
    """Why drags of costly builds whose hand rests before it lets go were not prepared for."""
    ends, settled = report["at_the_end"], report["settle"]
    faults = {
        f"{report['drags']} drags": report["drags"] != 2,
        f"{report['prepared']} was prepared": report["prepared"]["used"] < 2,
        "a part does not show the window's size": any(report[part]["shown"] != report["picture"] for part in COSTLY_PARTS),
        f"right after {settled['right_after_ms']} ms, at the end {ends['right_after_ms']} ms":
            len(settled["right_after_ms"]) != 2 or sum(settled["right_after_ms"]) >= sum(ends["right_after_ms"]) / 2}
    return "; ".join(name for name, is_there in faults.items() if is_there) or None


@pytest.mark.long
def test_prepared(folder):
    """Costly builds: nothing is shown within a drag, and the right picture soon after."""
    with Desktop(folder, "openbox") as desktop:
        demo = Demo(desktop, "--x11", "--prepared")
        demo.drag(-60, releases=False)
        time.sleep(RESTING)
        demo.process.terminate()
        status, held, _ = ended(demo.process)
        desktop.pointer.button(demo.button, False)
        verify("prepared: SIGTERM ends it", end_problem(status, -signal.SIGTERM))
        report("prepared: nothing is shown while the button is held",
               held["prepared"]["held"] == 1 and held["settle"]["shown"] != held["picture"], f"{held['prepared']}")
        demo = Demo(desktop, "--x11", "--prepared")
        for distance_ in (-250, 120):
            demo.drag(distance_, releases=False)
            time.sleep(RESTING)
            desktop.pointer.button(demo.button, False)
            demo.rest()
        desktop.pointer.move(1, 1)
        demo.process.send_signal(signal.SIGINT)
        _, result, _ = ended(demo.process)
        after = {part: result[part]["right_after_ms"] for part in COSTLY_PARTS}
        verify("prepared: the right picture comes sooner than at the end", prepared_problem(result), f"{after}")
        planted("a drag without its preparation", prepared_problem(result | {"prepared": result["prepared"] | {"used": 1}}))
        planted("a picture as late as at the end", prepared_problem(result | {"settle": result["at_the_end"]}))


@pytest.mark.long
def test_wayland(folder):
    with WestonDesktop(folder) as desktop:
        demo = Demo(desktop, *COSTLY)
        result = drag_twice(desktop, "wayland", demo, lambda right, y: desktop.pointer.click(right - 20, y + 20))
        report("wayland: chosen before X11 if a compositor answers", result["system"] == "wayland")
        # A compositor asks for no picture of a window that is hidden; here it is stopped, which is the same to the window.
        demo = Demo(desktop, "--cost", "300ms")
        demo.drag(-250)
        desktop.weston.send_signal(signal.SIGSTOP)
        wakeups = lambda: status_figure(demo.process.pid, "voluntary_ctxt_switches")
        before = wakeups()
        time.sleep(2)
        rate = (wakeups() - before) / 2
        demo.process.terminate()
        status, result, _ = ended(demo.process)
        desktop.weston.send_signal(signal.SIGCONT)
        report("wayland: a window that is not shown waits for events alone", rate < 50, f"{rate:.1f} wakeups a second")
        verify("wayland: SIGTERM ends it all the same", end_problem(status, -signal.SIGTERM))
        demo = Demo(desktop)
        desktop.weston.kill()
        status, _, said = ended(demo.process)
        verify("wayland: a compositor that is killed", end_problem(status, 3, said, "compositor closed"))
