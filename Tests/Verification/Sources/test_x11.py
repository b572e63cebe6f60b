"""`settle watch` on X11 desktops: openbox, xfwm4, twm and no window manager, and servers that fail, refuse or lack
something."""
import signal
import time

import pytest
import xcffib.randr as randr
from desktop import Desktop, Observer, Relay, Watch, Window, buttons_problem, start_weston
from results import planted, report, verify
from support import (
    PATIENCE, Processes, decisions_problem, end_problem, events_of, log_problem, processor_seconds, replayed, settle, sizes_of,
    sizes_problem, status_figure, stop, wait_for)

pytestmark = pytest.mark.long
# Longer than any delay of the policy: quietDelay is 200 ms.
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
RATE_SHARE_MIN = 0.6
WINDOWS, RESIZED, LOAD_SECONDS, WARM_SECONDS = 200, 20, 12.0, 5.0
# By how often each of the 20 windows changes in a second: 1000 changes in all, and a flood of 20,000.
# At 20,000 changes a second, half of it is the kernel's, for packets of the server's.
PROCESSOR_SHARE_MAX = {50: 0.05, 1000: 0.15}
# Memory between the fifth second and the end: pages that a process touches late, not growth per event.
MEMORY_GROWTH_MAX = 1.05


# Drags

def drag(desktop, window, name, rate, comes_back, has_escape):
    """Drags the window's corner. Returns the truth of it."""
    before, pointer = window.size(), desktop.pointer
    x, y = window.corner()
    # Within the window where the manager resizes from there, else at the frame's corner.
    inset, button = (-2, 1) if desktop.manager == "xfwm4" else (12, 3)
    x, y = x - inset, y - inset

    def moved(to_x, to_y):
        # Without a window manager, the window follows the pointer by itself.
        if not desktop.manager:
            window.resize(before[0] + to_x - x, before[1] + to_y - y)
    pointer.move(x, y)
    desktop.sync()
    time.sleep(0.2)
    begun = time.monotonic_ns()
    pointer.button(button, True)
    pointer.path((x + TRAVEL[0] // 2, y + TRAVEL[1] // 2), 0.3, rate, moved)
    time.sleep(HELD_SECONDS)
    pointer.path((x + TRAVEL[0], y + TRAVEL[1]), 0.3, rate, moved)
    if comes_back:
        pointer.path((x, y), 0.3, rate, moved)
    if has_escape:
        pointer.escape()
        time.sleep(HELD_SECONDS)
    pointer.button(button, False)
    window.send_double()
    time.sleep(REST_SECONDS)
    (_, _, _, pressed), (_, _, released, _) = pointer.injected[-2:]
    return {"name": name, "before": before, "after": window.size(), "begun": begun, "pressed": pressed, "released": released,
            "ended": time.monotonic_ns()}


def rebuilds_problem(rebuilds, drags):
    """No rebuild within a held drag; one for each at the size that came of it, none if the size came back."""
    for each in drags:
        if any(each["pressed"] < build["t_ns"] < each["released"] for build in rebuilds):
            return f"a rebuild within the drag {each['name']}"
        found = [(build["width"], build["height"]) for build in rebuilds if each["begun"] < build["t_ns"] < each["ended"]]
        wanted = [] if each["after"] == each["before"] else [each["after"]]
        if found != wanted:
            return f"rebuilds of the drag {each['name']}: {found}, not {wanted}"
    return None


@pytest.mark.parametrize("manager", ["openbox", "xfwm4", "twm", None])
def test_drags(folder, manager):
    part = manager or "no window manager"
    with Desktop(folder, manager) as desktop:
        window, watch, drags = Window(desktop, "drägged"), Watch(desktop), []
        watch.sees(window)
        observer = Observer(desktop.display, window)
        for name, rate, comes_back, has_escape in DRAGS:
            if has_escape and manager not in HAS_ESCAPE:
                continue
            # A window that comes and goes meanwhile.
            other = Window(desktop, "other")
            watch.sees(other)
            other.destroy()
            drags.append(drag(desktop, window, name, rate, comes_back, has_escape))
        verify(f"{part}: SIGTERM ends it in order", watch.end())
        observer.read()
        rates = desktop.pointer.rates
        # A busy machine moves it slower now and then, which may change no decision.
        slow = [wished for wished in (60, 1000) if max(rate for other, rate in rates if other == wished) < RATE_SHARE_MIN * wished]
        report(f"{part}: the pointer moved as fast as it should", not slow, ", ".join(f"{rate:.0f} of {wished} Hz" for wished, rate in rates))
        changed = sum(each["before"] != each["after"] for each in drags)
        report(f"{part}: drags that changed the size", changed >= 2, f"{changed} of {len(drags)}")
        rebuilds, events, injected = watch.rebuilds(window.name), events_of(watch.log), desktop.pointer.injected
        verify(f"{part}: no rebuild in a held drag, one per drag, none where the size came back", rebuilds_problem(rebuilds, drags))
        verify(f"{part}: each press and release once", buttons_problem(events, injected), f"{len(injected)}")
        verify(f"{part}: the sizes are those that another client sees, without synthetic doubles",
               sizes_problem(sizes_of(watch.log, window.name), observer.sizes)
               or (None if observer.doubles >= len(drags) else "there were too few doubles"), f"{len(observer.sizes)}")
        verify(f"{part}: a replay gives the decisions that were printed", decisions_problem(watch.printed(), replayed(watch.log)))
        gone = [event["scene"] for event in events if event.get("kind") == "disconnect"]
        report(f"{part}: windows that came and went meanwhile", len(gone) == sum(name.startswith("other ") for name in gone) == len(drags),
               f"{len(gone)}")
        if manager == "openbox":
            held = {"t_ns": drags[0]["pressed"] + 1, "width": 1, "height": 1}
            planted("a rebuild within a drag", rebuilds_problem([*rebuilds, held], drags))
            planted("a rebuild left out", rebuilds_problem(rebuilds[:1], drags))
            planted("a release left out", buttons_problem([e for e in events if e.get("pressed") is not False], injected))


# Load

def load(watch, windows, per_second):
    """Resizes the windows in turn at a rate for all together. Returns the rate that was reached, the share of a
    core that watch took, and its memory early and late."""
    pid, early, sent = watch.process.pid, None, 0
    began, used = time.monotonic(), processor_seconds(pid)
    while (passed := time.monotonic() - began) < LOAD_SECONDS:
        while sent < int(passed * per_second):
            turn = sent // len(windows)
            windows[sent % len(windows)].resize(200 + turn % 400, 150 + turn % 300)
            sent += 1
        if early is None and passed > WARM_SECONDS:
            early = status_figure(pid, "VmRSS")
        time.sleep(0.001)
    seconds = time.monotonic() - began
    return sent / seconds, (processor_seconds(pid) - used) / seconds, early, status_figure(pid, "VmRSS")


def test_many(folder):
    with Desktop(folder) as desktop:
        windows = [Window(desktop, f"number {number}", 200, 150, waits=False) for number in range(WINDOWS)]
        watch = Watch(desktop)
        watch.sees(windows[-1])
        desktop.pointer.button(1, True)
        for each, share_max in PROCESSOR_SHARE_MAX.items():
            rate, share, early, late = load(watch, windows[:RESIZED], each * RESIZED)
            what = f"{WINDOWS} windows, {RESIZED} resized {each} times a second each"
            report(f"{what}: at most {share_max:.0%} of a core", share < share_max, f"{share:.1%} at {rate:.0f} events/s")
            report(f"{what}: memory does not grow", late <= early * MEMORY_GROWTH_MAX, f"{early} KB, then {late} KB")
        time.sleep(0.5)
        rebuilds = lambda: [d for d in watch.decisions() if d["kind"] == "rebuild" and d["reason"] != "first"]
        report("many: no rebuild while the button is held", not rebuilds())
        desktop.pointer.button(1, False)
        wait_for("rebuild of each", lambda: len({d["scene"] for d in rebuilds() if d["reason"] == "interactionEnded"}) == RESIZED)
        verify("many: each is rebuilt after the release", watch.end(), f"{RESIZED}")
        verify("many: a replay gives what was printed", decisions_problem(watch.printed(), replayed(watch.log)))


# Servers

def test_killed(folder):
    with Desktop(folder) as desktop:
        window, watch = Window(desktop, "doomed"), Watch(desktop)
        watch.sees(window)
        desktop.pointer.button(1, True)
        for width in range(401, 500):
            window.resize(width, 300)
        wait_for("drag", lambda: any(d["kind"] == "interactionBegan" for d in watch.decisions()))
        stop(desktop.server, signal.SIGKILL)
        verify("killed: a server that is killed ends it with status 3 and a message",
               end_problem(watch.process.wait(PATIENCE), 3, watch.said(), "the X server closed the connection"))
        sizes = sizes_of(watch.log)
        verify("killed: the log is whole", log_problem(watch.log) or (None if len(sizes) > 1 else "it is empty"), f"{len(sizes)} sizes")
        verify("killed: a replay gives what was printed", decisions_problem(watch.printed(), replayed(watch.log)))


def test_refused(folder):
    with Desktop(folder) as desktop:
        for what, words, change in (
                ("no XInput", ["no XInput 2.1", "XInputExtension"], lambda data: data.replace(b"XInputExtension", b"XOutputExtensio")),
                ("a server that ends when it is asked for XInput", ["closed the connection while it was opened"],
                 lambda data: None if b"XInputExtension" in data else data)):
            with Relay(desktop.display, change) as relay:
                run = settle("watch", "--display", relay.display, timeout=PATIENCE)
                verify(f"refused: {what}: status 3, and the cause is said", end_problem(run.returncode, 3, run.stderr, *words))


def test_held(folder):
    """Buttons that are held when watching begins, on a pointer for the left hand, while another client grabs the
    server: its answers wait, its events do not."""
    with Desktop(folder) as desktop:
        mapping = list(desktop.core.GetPointerMapping().reply().map)
        mapping[:3] = [3, 2, 1]
        desktop.core.SetPointerMapping(len(mapping), mapping).reply()
        window = Window(desktop, "held")
        desktop.pointer.button(1, True)
        watch = Watch(desktop)
        watch.sees(window)
        desktop.core.GrabServer()
        late = Window(desktop, "late", waits=False)
        window.resize(500, 400)
        desktop.pointer.button(1, False)
        time.sleep(1.0)
        ungrabbed = time.monotonic_ns()
        desktop.core.UngrabServer()
        desktop.connection.flush()
        watch.sees(late)
        watch.end()
        events = events_of(watch.log)
        buttons = [(e["button"], e["pressed"]) for e in events if e.get("kind") == "pointer"]
        report("held: a button held before is pressed first and released once",
               buttons == [(1, True), (1, False)] and events[0].get("kind") == "pointer", f"{buttons}")
        in_time = [e["t_ns"] < ungrabbed for e in events if e.get("pressed") is False or e.get("width") == 500]
        report("held: another client's grab of the server delays no event", in_time == [True, True])
        decided = [d["reason"] for d in watch.rebuilds(window.name)]
        report("held: the release is the drag's end", decided == ["first", "interactionEnded"], f"{decided}")


def test_turned(folder):
    """A screen that is turned by quarters, in Xephyr within Xvfb."""
    with Desktop(folder) as outer, Desktop(folder, None, ("Xephyr", "-screen", "640x480"), {"DISPLAY": outer.display}) as desktop:
        window, extension = Window(desktop, "turned"), desktop.connection(randr.key)
        # Xephyr has no screen before this question, which X servers for real screens answer for themselves.
        extension.GetScreenResources(desktop.root).reply()
        watch = Watch(desktop)
        watch.sees(window)
        for rotation in (2, 4, 8, 1):
            screens = extension.GetScreenResources(desktop.root).reply()
            screen = extension.GetCrtcInfo(screens.crtcs[0], 0).reply()
            extension.SetCrtcConfig(screens.crtcs[0], 0, screens.config_timestamp, screen.x, screen.y, screen.mode,
                                    rotation, len(screen.outputs), list(screen.outputs)).reply()
            time.sleep(0.5)
        watch.end()
        found = [event["orientation"] for event in events_of(watch.log) if "orientation" in event]
        wanted = ["landscapeLeft", "portraitUpsideDown", "landscapeRight", "portrait", "landscapeLeft"]
        report("turned: each turn of the screen is an orientation, and rebuilds nothing",
               found == wanted and len(watch.rebuilds(window.name)) == 1, f"{found}")


def test_xwayland(folder):
    """XWayland in a weston without a screen."""
    environment = {"XDG_RUNTIME_DIR": str(folder), "WAYLAND_DISPLAY": "wayland-test"}
    with Processes({**environment}) as processes:
        start_weston(processes, folder, "--backend=headless-backend.so")
        with Desktop(folder, None, ("Xwayland",), environment) as desktop:
            window, watch = Window(desktop, "hidden"), Watch(desktop)
            watch.sees(window)
            for is_pressed in (True, False):
                desktop.pointer.button(1, is_pressed)
            window.resize(500, 400)
            wait_for("rebuild", lambda: len(watch.decisions()) == 2)
            watch.end()
            kinds = [event.get("kind", "geometry") for event in events_of(watch.log)]
            report("xwayland: it is said, and no button is reported", kinds == ["geometry"] * 2 and "XWayland" in watch.said(), f"{kinds}")


def test_successor(folder):
    """openbox ends and twm, which has no list, follows: openbox' list stays on the root. SIGTERM lets openbox empty it,
    SIGKILL does not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with Desktop(folder, "openbox") as desktop:
            old, watch = Window(desktop, "old"), Watch(desktop)
            watch.sees(old)
            stop(desktop.manager_process, number)
            desktop.start_manager("twm")
            new = Window(desktop, "new")
            left = desktop.core.GetProperty(False, desktop.root, desktop.atom("_NET_CLIENT_LIST"), 33, 0, 99).reply()
            report(f"successor: after {number.name}, the root still has a list", left.type == 33 and left.value_len == (number == signal.SIGKILL),
                   f"of {left.value_len} windows")
            watch.sees(new)
            late = Watch(desktop, name="late")
            late.sees(old, new)
            for step in range(1, 21):
                for window in (old, new):
                    window.resize(400 + step, 300 + step)
            for who, each in (("a watch from before", watch), ("a fresh watch", late)):
                wait_for("last sizes", lambda: all(each.rebuilds(window.name)[-1]["width"] == 420 for window in (old, new)))
                each.end()
                seen = [len({size for size in sizes_of(each.log, window.name) if size[0] > 400}) for window in (old, new)]
                report(f"successor: after {number.name}, {who} sees all sizes", seen == [20, 20], f"{seen}")


def test_screens(folder):
    """A display with two screens: the one of the display's name is watched, and the other is not."""
    with Desktop(folder, None, ("Xvfb", "-screen", "0", "640x480x24", "-screen", "1", "640x480x24")) as desktop:
        windows, display = [], desktop.display
        for screen in desktop.connection.get_setup().roots:
            desktop.root = screen.root
            windows.append(Window(desktop, f"on {len(windows)}"))
        for number, suffix in enumerate(("", ".1")):
            desktop.environment["DISPLAY"] = display + suffix
            watch = Watch(desktop)
            watch.sees(windows[number])
            watch.end()
            report(f"screens: of two screens, only {number} is watched, which is said",
                   {d["scene"] for d in watch.decisions()} == {windows[number].name} and f"only screen {number} of this display's 2" in watch.said())
