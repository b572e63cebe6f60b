#!/usr/bin/env python3
"""The Wayland proxy between real apps and weston, and between a compositor and clients of raw bytes.

usage: SETTLE=PATH wayland.py [--long] [CHECK...]
  --long   a gigabyte through the proxy instead of a quarter of one

Prints a line for each thing that is verified, with its figure. The exit status is 1 if one failed.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time

import wayland_checks as checks
import wayland_ends as ends
import wayland_peers as peers
from processes import stop, wait_for
from wayland_checks import (
    buttons_problem, decisions_problem, differing, left_folders, read_json_lines, speed_problem, status_problem, verify,
    verify_planted)
from wayland_desktop import Desktop, box, minimum_jerk

SETTLE = os.environ.get("SETTLE", "settle")
# Each app, what is typed or clicked in it, and how far outside of its corner its border lies.
APPS = {
    "weston-terminal": (["weston-terminal", "--shell=/bin/sh"], "echo 1 2 3\n", -2),
    "foot": (["foot", "sh"], "echo 1 2 3\n", 4),
    "gtk3-demo": (["gtk3-demo"], None, 4),
}


# Apps in weston.

def pictures(name, prefix, like=(None, None, None)):
    """What the screen shows of an app: at first, after keys or a click, and after a resize."""
    command, text, border = APPS[name]
    with Desktop() as desktop:
        process = desktop.run_in_background([*prefix, *command])
        desktop.xdotool("mousemove", 500, 10)
        shown = [desktop.settled(like=like[0])]
        left, top, right, bottom = box(shown[0])
        if text:
            desktop.xdotool("type", "--delay", "30", text)
        else:
            desktop.xdotool("mousemove", left + 60, top + 180, "click", 1)
        shown.append(desktop.settled(other_than=shown[0], like=like[1]))
        corner = (right + border, bottom + border)
        desktop.drag([corner, *minimum_jerk(corner, (corner[0] - 90, corner[1] - 70), 25)])
        shown.append(desktop.settled(other_than=shown[1], like=like[2]))
        stop(process)
        return shown


def check_pixels():
    for name in APPS:
        # An app alone may look otherwise when it runs again, as a click or a key may come too early for it.
        for attempt in range(2):
            alone = pictures(name, [])
            behind = pictures(name, [SETTLE, "watch", "--"], alone)
            found = next((problem for a, b in zip(alone, behind) if (problem := differing(a, b))), None)
            if not found:
                break
        verify(f"{name} shows the same with and without the proxy", found,
               f"3 screens of 1024 × 768{', the second time' if attempt else ''}")
    planted = bytearray(behind[2])
    planted[3 * (400 * 1024 + 500)] ^= 1
    verify_planted("one pixel", differing(alone[2], bytes(planted)))


def check_drags():
    command, _, border = APPS["gtk3-demo"]
    with Desktop() as desktop:
        output, log = (os.path.join(desktop.folder, name) for name in ["decisions", "log.settle"])
        with open(output, "w") as file:
            process = desktop.run_in_background([SETTLE, "watch", "--record", log, "--", *command], stdout=file)
        desktop.xdotool("mousemove", 500, 10)
        left, top, right, bottom = box(desktop.settled())
        corner = (right + border, bottom + border)
        # A click inside, which the app sees whole.
        desktop.xdotool("mousemove", left + 60, top + 180, "click", 1)
        expected = []
        moves = [((-120, -90), 30, 0.016), ((40, 30), 300, 0.001), ((-50, 20), 30, 0.016), ((30, -40), 200, 0.001)]
        for (x, y), steps, seconds in moves:
            end = (corner[0] + x, corner[1] + y)
            desktop.drag([corner, *minimum_jerk(corner, end, steps)], seconds)
            corner = end
            expected.append(1)
            wait_for("end of a drag", lambda: ended(output) == len(expected))
        # The hand pauses half-way: nothing is rebuilt then. It comes back: nothing is rebuilt at all.
        half = (corner[0] - 60, corner[1] - 60)
        words = ["mousemove", *corner, "sleep", 0.2, "mousedown", 1]
        for there, pause in [(half, 1.0), (corner, 0.2)]:
            here = corner if there == half else half
            for x, y in minimum_jerk(here, there, 30):
                words += ["mousemove", x, y, "sleep", 0.016]
            words += ["sleep", pause]
        desktop.xdotool(*words, "mouseup", 1)
        expected.append(0)
        wait_for("end of a drag", lambda: ended(output) == len(expected))
        process.send_signal(signal.SIGTERM)
        status = process.wait(30)
        decisions = read_json_lines(output)
        verify("each drag rebuilds once, none inside, none where the size came back",
               decisions_problem(decisions, expected), f"{len(expected)} drags, {sum(expected)} rebuilds")
        verify("a stopped proxy has the status of its app", status_problem(status, 128 + signal.SIGTERM), str(status))
        verify("the folder of the socket is gone", None if not left_folders(desktop.runtime) else "it is there")
        replayed = subprocess.run([SETTLE, "replay", log, "--decisions", "-"], stdout=subprocess.PIPE, check=True)
        with open(output, "rb") as file:
            verify("the recording replays to what was printed",
                   None if file.read() == replayed.stdout else "they differ", f"{len(decisions)} decisions")
        events = os.path.join(desktop.folder, "log.jsonl")
        subprocess.run([SETTLE, "convert", log, events], check=True, stderr=subprocess.DEVNULL)
        events = read_json_lines(events)
        sizes = [event for event in events if event.get("resizing")]
        verify("buttons are pressed and released in turns", buttons_problem(events), f"{len(events)} events")
        verify("sizes of the drags are in the log", None if len(sizes) > 100 else "too few", f"{len(sizes)}")
        inside = next(i for i, decision in enumerate(decisions) if decision["kind"] == "interactionEnded")
        verify_planted("a rebuild inside a drag",
                       decisions_problem([*decisions[:inside], {"kind": "rebuild"}, *decisions[inside:]], expected))
        verify_planted("a rebuild too few", decisions_problem(
            [decision for decision in decisions if decision["kind"] != "rebuild"], expected))
        releases = [event for event in events if event.get("pressed") is not False]
        verify_planted("a release that is lost", buttons_problem(releases))


def ended(output):
    return sum(decision["kind"] == "interactionEnded" for decision in read_json_lines(output))


def is_alive(pid):
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def check_kills():
    with Desktop() as desktop:
        def start(name):
            log = os.path.join(desktop.folder, name)
            messages = os.path.join(desktop.folder, name + ".messages")
            with open(messages, "w") as file:
                process = desktop.run_in_background(
                    [SETTLE, "record", log, "--", "foot", "sh"], stderr=file)
            desktop.settled()
            child = int(open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()[0])
            return process, child, log, messages

        def log_problem(log, of="validate"):
            done = subprocess.run([SETTLE, of, log], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return None if done.returncode == 0 else done.stdout

        process, child, log, _ = start("app.settle")
        os.kill(child, signal.SIGKILL)
        status = process.wait(30)
        verify("the app killed: the status says so", status_problem(status, 137), str(status))
        verify("the app killed: the log is whole", log_problem(log))
        verify("the app killed: no folder is left", None if not left_folders(desktop.runtime) else "one is")

        process, child, log, _ = start("settle.settle")
        process.kill()
        process.wait()
        wait_for("end of the app", lambda: not is_alive(child))
        verify("settle killed: the app loses its display and ends", None)
        saved = os.path.join(desktop.folder, "saved.settle")
        done = subprocess.run(
            [SETTLE, "recover", log, saved], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = re.search(r"(\d+) events recovered", done.stdout)
        verify("settle killed: the log can be recovered", None if found else done.stdout,
               found and f"{found.group(1)} events")
        left = left_folders(desktop.runtime)
        verify("settle killed: only its folder is left", None if len(left) == 1 else str(left))

        process, child, log, messages = start("compositor.settle")
        desktop.weston.kill()
        status = process.wait(60)
        text = open(messages).read()
        verify("the compositor killed: settle ends with the app",
               None if not is_alive(child) and status not in (0, 3) else f"status {status}: {text}", f"status {status}")
        verify("the compositor killed: it is named", None if "wayland-test is gone" in text else text)
        verify("the compositor killed: the log is whole", log_problem(log))


# Raw bytes.

def check_descriptors():
    for count in [28, 253]:
        with peers.Compositor() as compositor:
            process = compositor.run(SETTLE, ["watch"], "descriptors", count)
            connection = compositor.accept()
            data, found = peers.receive_with_descriptors(connection, 8)
            found = peers.numbers(found)
            socket.send_fds(connection, [peers.message(99, 2)], peers.numbered_pipes(count))
            status = process.wait(60)
            problem = None if data == peers.message(99, 1) and found == list(range(count)) else f"got {found}"
            verify(f"{count} descriptors in a message arrive in their order, both ways",
                   problem or status_problem(status, 0))
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "descriptors", 28)
        connection = compositor.accept()
        peers.receive_with_descriptors(connection, 8)
        socket.send_fds(connection, [peers.message(99, 2)], peers.numbered_pipes(28)[::-1])
        verify_planted("descriptors in another order", status_problem(process.wait(60), 0))


def echo(size, falsify=False):
    """Sends everything back to a client that sends so much; its exit status."""
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "echo", size)
        connection = compositor.accept()
        start = time.monotonic()
        while data := connection.recv(1 << 18):
            if falsify:
                data = bytes([data[0] ^ 1]) + data[1:]
                falsify = False
            connection.sendall(data)
        status = process.wait(60)
        return status, time.monotonic() - start


def check_bulk(size):
    status, seconds = echo(size)
    verify("random messages pass unchanged, both ways", status_problem(status, 0),
           f"2 × {size >> 20} MiB, {2 * size / seconds / 1e6:.0f} MB/s")
    verify_planted("a bit in a mebibyte", status_problem(echo(1 << 20, falsify=True)[0], 0))


def check_speed():
    count = 200_000
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "small", count)
        connection = compositor.accept()
        before = peers.processor_time(process)
        peers.receive(connection, 12 * count)
        each = (peers.processor_time(process) - before) / count * 1e6
        connection.sendall(peers.message(99, 4))
        problem = status_problem(process.wait(60), 0)
        verify("µs of processor time for a message", problem or speed_problem(each, 10),
               f"{each:.2f} over {count} messages of 12 bytes")
        verify_planted("a limit below the figure", speed_problem(each, each / 2))
    count = 50_000
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "turns", count)
        connection = compositor.accept()
        before = peers.processor_time(process)
        for _ in range(count - 1):
            connection.sendall(peers.receive(connection, 12))
        each = (peers.processor_time(process) - before) / (2 * count - 2) * 1e6
        connection.sendall(peers.receive(connection, 12))
        # Most of it is what the system needs to wake a process up; the limit allows for machines where
        # that takes long.
        problem = status_problem(process.wait(60), 0)
        verify("µs of processor time for a message that comes alone",
               problem or speed_problem(each, 50), f"{each:.2f}")
    seconds = 4
    with peers.Compositor() as compositor:
        log = os.path.join(compositor.folder, "log.settle")
        process = compositor.run(SETTLE, ["watch", "--record", log], "follow", 1)
        connection = compositor.accept()
        peers.receive(connection, len(peers.HELLO))
        connection.sendall(peers.configure(400, 300))
        start, before = time.monotonic(), peers.processor_time(process)
        sent = 0
        while (now := time.monotonic()) < start + seconds:
            while sent < (now - start) * 1000:
                connection.sendall(peers.configure(400 + sent % 300, 300, [3, 4]))
                sent += 1
            time.sleep(0.0005)
        share = (peers.processor_time(process) - before) / (time.monotonic() - start) * 100
        connection.close()
        problem = status_problem(process.wait(60), 0)
        verify("percent of a core while a window is dragged at 1000 Hz and recorded",
               problem or speed_problem(share, 5), f"{share:.2f} over {sent} events")


def check_clients():
    count = 60
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "follow", count)
        connections = [compositor.accept() for _ in range(count)]
        for number, connection in enumerate(connections):
            peers.receive(connection, len(peers.HELLO))
            connection.sendall(peers.configure(100 + number, 100))
        wait_for("windows", lambda: len(read_json_lines(compositor.output)) >= count)
        for connection in connections:
            connection.close()
        problem = status_problem(process.wait(60), 0)
        decisions = read_json_lines(compositor.output)
        scenes = {decision["scene"] for decision in decisions}
        widths = sorted(decision["width"] for decision in decisions)
        if len(scenes) != count or widths != list(range(100, 100 + count)):
            problem = f"{len(scenes)} windows of widths {widths}"
        verify("clients of one app are apart", problem, f"{len(scenes)} windows")


def main():
    words = sys.argv[1:]
    size = 1 << 30 if "--long" in words else 1 << 28
    parts = {
        "descriptors": check_descriptors, "bulk": lambda: check_bulk(size), "speed": check_speed,
        "clients": check_clients, "launchers": ends.check_launchers, "stops": ends.check_stops,
        "readers": ends.check_readers, "hostile": ends.check_hostile, "pixels": check_pixels, "drags": check_drags, "kills": check_kills}
    chosen = [word for word in words if word != "--long"] or list(parts)
    for name in chosen:
        if name not in parts:
            sys.exit(f"wayland.py: there is no check '{name}'; there are {', '.join(parts)}")
    for name in chosen:
        try:
            parts[name]()
        except Exception as error:
            verify(name, f"{type(error).__name__}: {error}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
