"""Cases beside the drags: many windows, and servers that fail, refuse or lack something."""
import os
import signal
import subprocess
import time

import xcffib.randr as randr

import x11_checks as checks
from processes import stop
from x11_desktop import Desktop, Watch, Window, authority, start_server, wait_for
from x11_relay import Relay

WINDOWS, RESIZED = 200, 20
COMING_BATCHES, COMING_AT_ONCE = 30, 100
LOAD_SECONDS, WARM_SECONDS = 12.0, 5.0


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kilobytes(pid):
    return next(int(line.split()[1]) for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS"))


def load(desktop, watch, windows, per_second):
    """Resizes the windows in turn at a rate for all together. Returns the rate that was reached, the share of a
    core that watch took, and its memory early and late."""
    pid, early = watch.process.pid, None
    began, used = time.monotonic(), processor_seconds(watch.process.pid)
    sent = 0
    while (passed := time.monotonic() - began) < LOAD_SECONDS:
        due = int(passed * per_second)
        for number in range(sent, due):
            windows[number % len(windows)].resize(200 + number // len(windows) % 400, 150 + number // len(windows) % 300)
        sent = max(sent, due)
        if early is None and passed > WARM_SECONDS:
            early = resident_kilobytes(pid)
        time.sleep(0.001)
    wall = time.monotonic() - began
    return sent / wall, (processor_seconds(pid) - used) / wall, early, resident_kilobytes(pid)


def many(report, work, settle):
    with Desktop(work) as desktop:
        windows = [Window(desktop, f"number {i}", 200, 150, waits=False) for i in range(WINDOWS)]
        watch = Watch(settle, desktop)
        watch.wait_for_first(windows[-1].name)
        desktop.pointer.button(1, True)
        for each in (50, 1000):
            rate, share, early, late = load(desktop, watch, windows[:RESIZED], each * RESIZED)
            what = f"{WINDOWS} windows, {RESIZED} resized {each} times a second each ({rate:.0f} of {each * RESIZED} events/s reached)"
            report.line("many", f"{what}: {share:.1%} of a core, {share / rate * 1e6:.1f} µs per event", checks.too_slow(share, each))
            report.line("many", f"{what}: {early} KB resident after {WARM_SECONDS:.0f} s, {late} KB at the end", checks.memory_grows(early, late))
        time.sleep(0.5)
        held = [d for d in watch.decisions() if d["kind"] == "rebuild" and d["reason"] != "first"]
        desktop.pointer.button(1, False)
        report.line("many", "no rebuild while the button is held", f"{len(held)} of them" if held else None)
        rebuilt = lambda: len({d["scene"] for d in watch.decisions() if d.get("reason") == "interactionEnded"}) == RESIZED
        wait_for(rebuilt, f"{RESIZED} rebuilds after the release")
        report.line("many", f"{RESIZED} rebuilds after the release")
        watch.process.terminate()
        watch.status()
        report.line("many", "a replay gives what was printed", checks.other_decisions(watch.out.read_text(), watch.replayed()))


def coming(report, work, settle):
    """Windows that come and go, each with a name of its own."""
    with Desktop(work) as desktop:
        watch = Watch(settle, desktop)
        memory = []
        for batch in range(COMING_BATCHES):
            windows = [Window(desktop, f"window {batch} {i}", waits=False) for i in range(COMING_AT_ONCE)]
            # A window that is seen before it has its title is named without it.
            identifier = f"0x{windows[-1].id:x}"
            wait_for(lambda: any(d["scene"].endswith(identifier) for d in watch.decisions()), f"watch sees {identifier}")
            for window in windows:
                window.destroy()
            memory.append(resident_kilobytes(watch.process.pid))
        # What it sees after the last destruction.
        watch.wait_for_first(Window(desktop, "last").name)
        watch.process.terminate()
        watch.status()
        count = COMING_BATCHES * COMING_AT_ONCE
        gone = sum(event.get("kind") == "disconnect" for event in watch.events())
        report.line("coming", f"{count} windows come and go", None if gone == count else f"{gone} disconnect")
        early, late, later = memory[COMING_BATCHES // 3], memory[-1], count - (COMING_BATCHES // 3 + 1) * COMING_AT_ONCE
        report.line("coming", f"{early} KB resident after a third, {late} KB at the end, {(late - early) / later:.2f} KB a window",
                    checks.windows_cost(early, late, later))


def killed(report, work, settle):
    with Desktop(work) as desktop:
        window = Window(desktop, "doomed")
        watch = Watch(settle, desktop)
        watch.wait_for_first(window.name)
        desktop.pointer.button(1, True)
        for width in range(401, 500):
            window.resize(width, 300)
        wait_for(lambda: any(d["kind"] == "interactionBegan" for d in watch.decisions()), "the drag is seen")
        stop(desktop.server, signal.SIGKILL)
        status, said = watch.status(), watch.errors.read_text()
        right = status == 3 and "the X server closed the connection" in said
        report.line("killed", "a server that is killed ends it with status 3 and a message", None if right else f"{status}: {said}")
        valid = subprocess.run([settle, "validate", watch.log], capture_output=True, text=True)
        sizes = sum("width" in event for event in watch.events())
        report.line("killed", f"the log is whole, with {sizes} sizes", None if valid.returncode == 0 and sizes > 1 else valid.stdout + valid.stderr)
        report.line("killed", "a replay gives what was printed", checks.other_decisions(watch.out.read_text(), watch.replayed()))


def refused_by(settle, environment, *arguments):
    """The exit status and the message of a watch that cannot begin."""
    run = subprocess.run([settle, "watch", *arguments], env=environment, capture_output=True, text=True, timeout=60)
    return run.returncode, run.stderr


def expect(report, what, result, words, part="refused"):
    status, said = result
    right = status == 3 and all(word in said for word in words)
    report.line(part, f"{what}: status 3, and the cause is said", None if right else f"status {status}: {said}")


def refused(report, work, settle):
    without = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "XAUTHORITY")}
    expect(report, "no $DISPLAY", refused_by(settle, without), ["there is no X display", "$DISPLAY"])
    expect(report, "no server", refused_by(settle, {**without, "DISPLAY": ":64123"}), ["no X server answers", "':64123'"])
    authority(work / "key", ":0")
    server, display = start_server(["Xvfb"], work, "-auth", str(work / "key"))
    try:
        nobody = {**without, "XAUTHORITY": str(work / "no-such-file"), "HOME": str(work)}
        expect(report, "a server with a key", refused_by(settle, nobody, "--display", display), ["refuses the connection", "$XAUTHORITY"])
    finally:
        stop(server)
    with Desktop(work) as desktop:
        without_input = Relay(desktop.display, lambda data: data.replace(b"XInputExtension", b"XOutputExtensio"))
        ends_early = Relay(desktop.display, lambda data: None if b"XInputExtension" in data else data)
        try:
            expect(report, "no XInput", refused_by(settle, without, "--display", without_input.display), ["no XInput 2.1", "XInputExtension"])
            expect(report, "a server that ends when it is asked for XInput", refused_by(settle, without, "--display", ends_early.display),
                   ["closed the connection while it was opened"])
        finally:
            without_input.close()
            ends_early.close()
        full = subprocess.run([settle, "watch", "--display", desktop.display, "--record", "/dev/full", "--force"],
                              capture_output=True, text=True, timeout=60)
        report.line("refused", "a recording that cannot be written: status 3 or 2, and the cause is said",
                    None if full.returncode in (2, 3) and "/dev/full" in full.stderr else f"{full.returncode}: {full.stderr}")


def held(report, work, settle):
    """Buttons that are held when watching begins, on a pointer for the left hand, while another client grabs the
    server: its answers wait, its events do not."""
    with Desktop(work) as desktop:
        mapping = list(desktop.connection.core.GetPointerMapping().reply().map)
        mapping[:3] = [3, 2, 1]
        desktop.connection.core.SetPointerMapping(len(mapping), mapping).reply()
        window = Window(desktop, "held")
        desktop.pointer.button(1, True)
        watch = Watch(settle, desktop)
        watch.wait_for_first(window.name)
        desktop.connection.core.GrabServer()
        late = Window(desktop, "late", waits=False)
        window.resize(500, 400)
        desktop.pointer.button(1, False)
        time.sleep(1.0)
        ungrabbed = time.monotonic_ns()
        desktop.connection.core.UngrabServer()
        desktop.connection.flush()
        watch.wait_for_first(late.name)
        watch.process.terminate()
        watch.status()
        events = watch.events()
        buttons = [(e["button"], e["pressed"]) for e in events if e.get("kind") == "pointer"]
        report.line("held", "a button held before is pressed first and released once",
                    None if buttons == [(1, True), (1, False)] and events[0].get("kind") == "pointer" else f"{events[:3]}, buttons {buttons}")
        in_time = [e["t_ns"] < ungrabbed for e in events if e.get("pressed") is False or e.get("width") == 500]
        report.line("held", "another client's grab of the server delays no event", None if in_time == [True, True] else f"{in_time}")
        decided = [d["reason"] for d in watch.decisions() if d["scene"] == window.name and d["kind"] == "rebuild"]
        report.line("held", "the release is the drag's end", None if decided == ["first", "interactionEnded"] else f"{decided}")


def turned(report, work, settle):
    """A screen that is turned by quarters, in Xephyr within Xvfb."""
    with Desktop(work) as outer, Desktop(work, None, ("Xephyr", "-screen", "640x480"), outer.environment) as desktop:
        window = Window(desktop, "turned")
        extension = desktop.connection(randr.key)
        # Xephyr has no screen before this question, which X servers for real screens answer for themselves.
        extension.GetScreenResources(desktop.root).reply()
        watch = Watch(settle, desktop)
        watch.wait_for_first(window.name)
        for rotation in (2, 4, 8, 1):
            screens = extension.GetScreenResources(desktop.root).reply()
            screen = extension.GetCrtcInfo(screens.crtcs[0], 0).reply()
            extension.SetCrtcConfig(screens.crtcs[0], 0, screens.config_timestamp, screen.x, screen.y, screen.mode,
                                    rotation, len(screen.outputs), list(screen.outputs)).reply()
            time.sleep(0.5)
        watch.process.terminate()
        watch.status()
        found = [e["orientation"] for e in watch.events() if "orientation" in e]
        wanted = ["landscapeLeft", "portraitUpsideDown", "landscapeRight", "portrait", "landscapeLeft"]
        report.line("turned", "each turn of the screen is an orientation", None if found == wanted else f"{found}")
        builds = sum(d["kind"] == "rebuild" for d in watch.decisions())
        report.line("turned", "a turn alone rebuilds nothing", None if builds == 1 else f"{builds} rebuilds")


def xwayland(report, work, settle):
    """XWayland in a weston without a screen."""
    environment = {"XDG_RUNTIME_DIR": str(work), "WAYLAND_DISPLAY": "wayland-x11"}
    weston = subprocess.Popen(
        ["weston", "--backend=headless-backend.so", "--socket=wayland-x11", "--idle-time=0"],
        env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for((work / "wayland-x11").exists, "weston listens")
        with Desktop(work, None, ("Xwayland",), environment) as desktop:
            window = Window(desktop, "hidden")
            watch = Watch(settle, desktop)
            watch.wait_for_first(window.name)
            for is_pressed in (True, False):
                desktop.pointer.button(1, is_pressed)
            window.resize(500, 400)
            wait_for(lambda: len(watch.decisions()) == 2, "the new size is decided")
            watch.process.terminate()
            watch.status()
            kinds = [e.get("kind", "geometry") for e in watch.events()]
            right = kinds == ["geometry", "geometry"] and "XWayland" in watch.errors.read_text()
            report.line("xwayland", "it is said, and no button is reported", None if right else f"{kinds}, {watch.errors.read_text()}")
    finally:
        stop(weston)


def successor(report, work, settle):
    """openbox ends and twm, which has no list, follows: openbox' list stays on the root. SIGTERM lets openbox empty it,
    SIGKILL does not."""
    for name, number in (("SIGTERM", signal.SIGTERM), ("SIGKILL", signal.SIGKILL)):
        folder = work / name
        folder.mkdir(mode=0o700)
        with Desktop(folder, "openbox") as desktop:
            old = Window(desktop, "old")
            watch = Watch(settle, desktop)
            watch.wait_for_first(old.name)
            stop(desktop.processes[1], number)
            desktop.manager = "twm"
            desktop.start_manager()
            new = Window(desktop, "new")
            left = desktop.connection.core.GetProperty(False, desktop.root, desktop.atom("_NET_CLIENT_LIST"), 33, 0, 99).reply()
            report.line("successor", f"after {name}, the root still has a list, of {left.value_len} windows",
                        None if left.type == 33 and left.value_len == (number == signal.SIGKILL) else f"type {left.type}, {left.value_len} windows")
            watch.wait_for_first(new.name)
            late = Watch(settle, desktop, "late")
            for window in (old, new):
                late.wait_for_first(window.name)
            for step in range(1, 21):
                for window in (old, new):
                    window.resize(400 + step, 300 + step)
            for each in (watch, late):
                rebuilt = lambda: {d["scene"] for d in each.decisions() if (d.get("width"), d.get("height")) == (420, 320)} == {old.name, new.name}
                wait_for(rebuilt, "the last sizes are decided")
                each.process.terminate()
                each.status()
                for window in (old, new):
                    sizes = {e["width"] for e in each.events() if e.get("scene") == window.name and e.get("width", 0) > 400}
                    who = "a watch from before" if each is watch else "a fresh watch"
                    report.line("successor", f"after {name}, {who} sees {len(sizes)} of 20 sizes of the {window.name.split()[0]} window",
                                None if len(sizes) == 20 else "not all")


def silent(report, work, settle):
    """Servers that accept connections and answer none: one that is grabbed, and one that is stopped."""
    with Desktop(work) as desktop:
        without = {**os.environ, "DISPLAY": desktop.display}
        desktop.connection.core.GrabServer()
        desktop.connection.core.GetInputFocus().reply()
        expect(report, "a server that another client grabs", refused_by(settle, without), ["has not answered", "grabs it"], "silent")
        desktop.connection.core.UngrabServer()
        desktop.connection.core.GetInputFocus().reply()
        desktop.server.send_signal(signal.SIGSTOP)
        try:
            expect(report, "a server that is stopped", refused_by(settle, without), ["has not answered", "stopped"], "silent")
        finally:
            desktop.server.send_signal(signal.SIGCONT)
        window = Window(desktop, "after all")
        Watch(settle, desktop).wait_for_first(window.name)
        report.line("silent", "the same server is watched when it answers")


def screens(report, work, settle):
    """A display with two screens: the one of the display's name is watched, and the other is not."""
    two = ("Xvfb", "-screen", "0", "640x480x24", "-screen", "1", "640x480x24")
    with Desktop(work, None, two) as desktop:
        windows = []
        for screen in desktop.connection.get_setup().roots:
            desktop.root = screen.root
            windows.append(Window(desktop, f"on {len(windows)}"))
        for number, suffix in ((0, ""), (1, ".1")):
            watch = Watch(settle, desktop, f"screen{number}", desktop.display + suffix)
            watch.wait_for_first(windows[number].name)
            watch.process.terminate()
            watch.status()
            seen, said = {d["scene"] for d in watch.decisions()}, watch.errors.read_text()
            report.line("screens", f"of two screens, only {number} is watched", None if seen == {windows[number].name} else f"{seen}")
            report.line("screens", "it is said", None if f"only screen {number} of this display's 2" in said else said)


CASES = [
    ("successor", successor), ("silent", silent), ("screens", screens),
    ("many", many), ("coming", coming), ("killed", killed), ("refused", refused), ("held", held), ("turned", turned), ("xwayland", xwayland),
]
