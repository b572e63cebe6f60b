"""The Wayland proxy between real apps and weston, and between a compositor and clients of raw bytes."""
import os
import resource
import signal
import time

import pytest
from desktop import Watch, WestonDesktop, buttons_problem
from results import planted, report, verify
from support import (
    EVERY_CHANGE, PATIENCE, SETTLE, content, decisions_problem, end_problem, events_of, log_problem, processor_seconds, replayed, settle,
    sizes_of, wait_for)
from wayland_peers import END, SMALL, Compositor, configure, receive

pytestmark = pytest.mark.long
BULK = 1 << 30
# Each app, what is typed or clicked in it, and how far outside of its corner its border lies.
APPS = {
    "weston-terminal": (["weston-terminal", "--shell=/bin/sh"], "echo 1 2 3\n", -2),
    "foot": (["foot", "sh"], "echo 1 2 3\n", 4),
    "gtk3-demo": (["gtk3-demo"], None, 4),
}


# Apps in weston

def corner(desktop, image, border):
    """A window's lower right corner, where it can be dragged."""
    _, _, right, bottom = desktop.box(image)
    return right + border, bottom + border


def pictures(folder, name, prefix, like=(None, None, None)):
    """What the screen shows of an app: at first, after keys or a click, and after a resize."""
    command, text, border = APPS[name]
    with WestonDesktop(folder) as desktop:
        desktop.start([*prefix, *command])
        desktop.pointer.move(700, 10)
        shown = [desktop.settled(like=like[0])]
        left, top, _, _ = desktop.box(shown[0])
        x, y = corner(desktop, shown[0], border)
        if text:
            desktop.xdotool("type", "--delay", "30", text)
        else:
            desktop.pointer.click(left + 60, top + 180)
        shown.append(desktop.settled(other_than=shown[0], like=like[1]))
        desktop.pointer.drag((x, y), (x - 90, y - 70), seconds=0.4)
        shown.append(desktop.settled(other_than=shown[1], like=like[2]))
        return shown


def difference(alone, behind):
    """Why two rows of screens are not the same."""
    differing = [number for number, (a, b) in enumerate(zip(alone, behind), 1) if a != b]
    return f"the screens {differing} differ" if differing else None


def test_pixels(folder):
    for name in APPS:
        # An app alone may look otherwise when it runs again, as a click or a key may come too early for it.
        for attempt in range(2):
            alone = pictures(folder / f"{name}-alone-{attempt}", name, [])
            behind = pictures(folder / f"{name}-behind-{attempt}", name, [SETTLE, "watch", "--"], alone)
            if alone == behind:
                break
        verify(f"{name} shows the same with and without the proxy", difference(alone, behind), f"3 screens{', the second time' * attempt}")
    behind[2] = behind[2].copy()
    behind[2].putpixel((500, 400), (1, 2, 3))
    planted("one pixel", difference(alone, behind))


def drags_problem(decisions, rebuilds_per_drag):
    """Why decisions do not fit drags, of which each is said to have so many rebuilds."""
    drags, inside, in_drag = [], 0, False
    for decision in decisions:
        kind = decision["kind"]
        if kind == "interactionBegan":
            drags.append(0)
        if kind in ("interactionBegan", "interactionEnded"):
            in_drag = kind == "interactionBegan"
        elif kind == "rebuild" and drags:
            drags[-1] += 1
            inside += in_drag
    if inside:
        return f"{inside} rebuilds inside a drag"
    return None if drags == rebuilds_per_drag else f"rebuilds {drags}, expected {rebuilds_per_drag}"


def test_drags(folder):
    command, _, border = APPS["gtk3-demo"]
    with WestonDesktop(folder) as desktop:
        log = folder / "log.settle"
        watch = Watch(desktop, "watch", "--record", log, "--", *command)
        desktop.pointer.move(700, 10)
        image = desktop.settled()
        left, top, _, _ = desktop.box(image)
        x, y = corner(desktop, image, border)
        # A click inside, which the app sees whole.
        desktop.pointer.click(left + 60, top + 180)
        expected = []
        ended = lambda: sum(decision["kind"] == "interactionEnded" for decision in watch.decisions())
        for dx, dy, seconds, rate in ((-120, -90, 0.5, 60), (40, 30, 0.3, 1000), (-50, 20, 0.5, 60), (30, -40, 0.2, 1000)):
            desktop.pointer.drag((x, y), (x + dx, y + dy), seconds=seconds, rate=rate)
            x, y = x + dx, y + dy
            expected.append(1)
            wait_for("end of a drag", lambda: ended() == len(expected))
        # The hand pauses half-way: nothing is rebuilt then. It comes back: nothing is rebuilt at all.
        desktop.pointer.drag((x, y), (x - 60, y - 60), (x, y), seconds=0.5, hold=1.0)
        expected.append(0)
        wait_for("end of a drag", lambda: ended() == len(expected))
        watch.process.terminate()
        status = watch.process.wait(PATIENCE)
        decisions, events = watch.decisions(), events_of(log)
        # Linux counts buttons from 272; weston's grab for a drag takes a button from its app before it is released.
        injected = [(271 + button, is_pressed, 0) for button, is_pressed, *_ in desktop.pointer.injected]
        verify("each drag rebuilds once, none inside, none where the size came back", drags_problem(decisions, expected), f"{len(expected)} drags")
        verify("a stopped proxy has the status of its app", end_problem(status, 128 + signal.SIGTERM))
        report("the folder of the socket is gone", not list(folder.glob("settle-*")))
        verify("the recording replays to what was printed", decisions_problem(watch.printed(), replayed(log)), f"{len(decisions)} decisions")
        verify("each press and release once", buttons_problem(events, injected), f"{len(events)} events")
        sizes = sum(bool(event.get("resizing")) for event in events)
        report("sizes of the drags are in the log", sizes > 100, f"{sizes}")
        planted("a rebuild too few", drags_problem([d for d in decisions if d["kind"] != "rebuild"], expected))
        planted("a release that is lost", buttons_problem([e for e in events if e.get("pressed") is not False], injected))


# Raw bytes

def echo(folder, size, flips=0):
    """Sends everything back to a client that sends so much, at first with bits flipped; its exit status."""
    with Compositor(folder) as compositor:
        process, connection = compositor.run(["watch"], "echo", size)
        while data := connection.recv(1 << 18):
            connection.sendall(bytes([data[0] ^ flips]) + data[1:] if flips else data)
            flips = 0
        return process.wait(PATIENCE)


def test_bulk(folder):
    start = time.monotonic()
    problem = end_problem(echo(folder, BULK), 0)
    verify("random messages pass unchanged, both ways", problem, f"2 × {BULK >> 20} MiB, {2 * BULK / (time.monotonic() - start) / 1e6:.0f} MB/s")
    planted("a bit in a mebibyte", end_problem(echo(folder, 1 << 20, flips=1), 0))


def test_speed(folder):
    def small(connection, count=200_000):
        receive(connection, len(SMALL) * count)
        return count

    def turns(connection, count=50_000):
        # The last answer is for the end, when the figure has been taken.
        for _ in range(count - 1):
            connection.sendall(receive(connection, len(SMALL)))
        return 2 * count - 2

    def drag(connection, seconds=4):
        start, sent = time.monotonic(), 0
        while (now := time.monotonic() - start) < seconds:
            while sent < now * 1000:
                connection.sendall(configure(400 + sent % 300, 300, [3, 4]))
                sent += 1
            time.sleep(0.0005)
        return seconds
    # Most of a message that comes alone is what the system needs to wake a process up; its limit allows for machines
    # where that takes long.
    for what, limit, unit, mode, count, exchange, end in (
            ("µs of processor time for a message", 10, 1e6, "small", 200_000, small, END),
            ("µs of processor time for a message that comes alone", 50, 1e6, "turns", 50_000, turns, SMALL),
            ("percent of a core while a window is dragged at 1000 Hz and recorded", 5, 100, "follow", 1, drag, b"")):
        with Compositor(folder) as compositor:
            process, connection = compositor.run(["watch", "--record", compositor.log], mode, count)
            before = processor_seconds(process.pid)
            done = exchange(connection)
            figure = (processor_seconds(process.pid) - before) / done * unit
            connection.sendall(end)
            if not end:
                connection.close()
            verify(what, end_problem(process.wait(PATIENCE), 0) or (None if figure <= limit else f"{figure:.2f}, more than {limit}"), f"{figure:.2f}")


def run_deaf(compositor, verb, ignores_signals):
    """A proxy, the connection of an app that does not heed its compositor, and a reader of its first line of output."""
    read, write = os.pipe()
    process, connection = compositor.run_window(verb, "deaf", ignores_signals, stdout=write)
    os.close(write)
    connection.sendall(configure(400, 300))
    reader = os.fdopen(read)
    if not reader.readline():
        raise RuntimeError(f"nothing is printed: {compositor.said()}")
    return process, connection, reader


def end_deaf(process, compositor):
    """Sends a first SIGTERM, and a second one once the app has it and would not take it for the same. The status."""
    process.send_signal(signal.SIGTERM)
    wait_for("signal at the app", (compositor.folder / "heard").exists)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    return process.wait(PATIENCE)


def test_readers(folder):
    """A reader of decisions or acknowledgements that leaves, and a log that cannot be begun."""
    acknowledged = ["record", "--acknowledge", "--sync", "flush", "--flush-interval", "0"]
    for what, verb, said in (("decisions", ["watch", *EVERY_CHANGE, "--record"], "Broken pipe"),
                             ("acknowledgements", acknowledged, "log.settle: 4 events")):
        with Compositor(folder) as compositor:
            process, connection, reader = run_deaf(compositor, [*verb, compositor.log], 1)
            reader.close()
            connection.sendall(configure(600, 300))
            wait_for("message", lambda: "the app goes on" in compositor.said())
            connection.sendall(configure(700, 300))
            wait_for("third size", lambda: what == "decisions" or (700, 300) in sizes_of(compositor.log))
            report(f"a reader of {what} that leaves is named, and the app goes on", process.poll() is None)
            verify("the recording goes on, and the failure is the status in the end",
                   end_problem(end_deaf(process, compositor), 3, compositor.said(), said) or log_problem(compositor.log))
    seconds = f"600.{os.getpid()}"
    with Compositor(folder) as compositor:
        done = settle("record", compositor.log, "--", "sleep", seconds, env=compositor.environment, timeout=PATIENCE,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and seconds.encode() in content(f"/proc/{pid}/cmdline")]
    verify("if the log cannot be begun, the app is ended",
           end_problem(done.returncode, 3, done.stderr, "cannot write") or (f"{left} run on" if left else None), done.stderr.strip())
