#!/usr/bin/env python3
"""What settle-demo does before it has a window: usage, no display, servers that are silent or have other pixels,
libraries and headers that are absent.

usage: SETTLE=.build/debug/settle Tests/Verification/Sources/demo_start.py
Needs a C compiler (cc, or the one named by CC), readelf, and Debian's xvfb weston x11-utils.
"""
import glob
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile

from demo_display import DEMO, Display
from processes import PATIENCE, wait_for

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
INCLUDES = [f"-I{ROOT}/CSources/{target}/include" for target in ("CDemoWindow", "CWindowSystems")]
MAIN = """
#include "demo_window.h"
#include <stdio.h>
int main(void) {
    static const demo_window_options options = {"title", 800, 600, 400, 300};
    char message[DEMO_WINDOW_MESSAGE_MAX] = "opened";
    demo_window *window;
    for (int system = DEMO_WINDOW_WAYLAND; system <= DEMO_WINDOW_X11; system++) {
        int result = demo_window_open(system, &options, &window, message);
        printf("%d %s\\n", result, message);
    }
}
"""
passed, failed = 0, 0


def check(name, faults, figure):
    """Prints and counts one thing that was verified."""
    global passed, failed
    passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{'FAILED' if faults else 'ok    '} {name}: {'; '.join(faults) or figure}", flush=True)


def linked(dynamic_section):
    """The window systems' libraries among those that a program needs."""
    return [line.strip() for line in dynamic_section.splitlines()
            if "NEEDED" in line and any(name in line for name in ("libwayland", "libxcb", "libX11"))]


def messages(folder, *flags):
    """What the sources print when a window is opened, built with these flags, without warnings."""
    main, program = os.path.join(folder, "main.c"), os.path.join(folder, "window")
    with open(main, "w") as file:
        file.write(MAIN)
    sources = glob.glob(f"{ROOT}/CSources/CDemoWindow/*.c") + [f"{ROOT}/CSources/CWindowSystems/loaded_library.c", main]
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, *INCLUDES, *sources,
                    "-o", program, "-ldl"], check=True)
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([program], env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


def faults(lines, *wanted):
    return [f"'{line}' lacks '{text}'" for line, text in zip(lines, wanted, strict=True) if text not in line]


def status_faults(run, status, text):
    """What is wrong with a program that has ended."""
    found = [] if run.returncode == status else [f"status {run.returncode}"]
    return found + ([] if text in (run.stdout or "") + run.stderr else [f"'{text}' is not printed"])


def without_display():
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    for words, status, text in (
            ([], 3, "DISPLAY is not set"), (["--x11"], 3, "DISPLAY is not set"), (["--help"], 0, "usage: settle-demo"),
            (["--sceenshot", "x.png"], 2, "did you mean '--screenshot'"), (["--size", "1x1"], 2, "--size is '1x1'"),
            (["--x11", "--wayland"], 2, "exclude each other"), (["--seconds", "soon"], 2, "--seconds is 'soon'"),
            (["--screenshot", __file__], 3, "--force replaces it"), (["--cost", "1h"], 2, "--cost is '1h'")):
        run = subprocess.run([DEMO, *words], env=environment, capture_output=True, text=True)
        check(f"settle-demo {' '.join(map(os.path.basename, words))}".strip(), status_faults(run, status, text),
              f"status {run.returncode}")
    with open("/dev/full", "w") as full:
        run = subprocess.run([DEMO, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    check("settle-demo --help on a full disk", status_faults(run, 3, "No space left"), run.stderr.strip())


def faults_of_silence(process, is_waiting, patience=PATIENCE):
    """What is wrong with a program that waits for a server which answers nothing, when somebody presses Ctrl-C once."""
    wait_for("program that waits", lambda: is_waiting(process) or process.poll() is not None)
    if process.poll() is not None:
        return [f"it ended with status {process.returncode} before"]
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(patience)
    except subprocess.TimeoutExpired:
        return [f"it did not end within {patience} s"]
    return [] if status == -signal.SIGINT else [f"it ended with status {status}"]


def has_connected(process):
    """Whether a program has caught SIGINT, and then opened a socket: it waits for the server."""
    folder = f"/proc/{process.pid}"
    try:
        caught = next(int(line.split()[1], 16) for line in open(f"{folder}/status") if line.startswith("SigCgt:"))
        targets = [os.readlink(link) for link in glob.glob(f"{folder}/fd/*")]
    except OSError:  # A descriptor, or the program, has gone meanwhile.
        return False
    return caught >> (signal.SIGINT - 1) & 1 and any(target.startswith("socket:") for target in targets)


def silent():
    """Servers that accept connections and answer none, as they are stopped."""
    with Display() as display:
        compositor = display.start(["weston", "--backend=headless-backend.so", "--socket=silent", "--no-config", "--idle-time=0"])
        wait_for("compositor", lambda: os.path.exists(os.path.join(display.folder, "silent")))
        display.environment["WAYLAND_DISPLAY"] = "silent"
        for option, server in (("--x11", display.server), ("--wayland", compositor)):
            server.send_signal(signal.SIGSTOP)
            process = display.start([DEMO, option])
            check(f"{option} with a server that is stopped: the first SIGINT ends it",
                  faults_of_silence(process, has_connected), f"status {process.poll()}")
        deaf = display.start([sys.executable, "-c", "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); "
                              "print(flush=True); time.sleep(600)"], stdout=subprocess.PIPE)
        found = faults_of_silence(deaf, lambda process: process.stdout.readline(), 1)
        check("planted: a program that swallows the first SIGINT is found", [] if found else ["not found"], "; ".join(found))


def screens():
    """The screen of DISPLAY is where the window opens."""
    def finds_window(display):
        run = subprocess.run(["xwininfo", "-display", display, "-name", "Settle: a resize demo"], capture_output=True)
        return run.returncode == 0

    with Display("1200x800x24", "1100x700x24", "640x480x16") as display:
        name = display.environment["DISPLAY"]
        for number in (0, 1):
            display.environment["DISPLAY"] = f"{name}.{number}"
            process = display.start([DEMO, "--x11"])
            wait_for("window", lambda: finds_window(f"{name}.0") or finds_window(f"{name}.1"))
            found = [screen for screen in (0, 1) if finds_window(f"{name}.{screen}")]
            check(f"a window for screen {number}", [] if found == [number] else [f"it is on {found}"], f"it is on {found}")
            process.terminate()
            process.wait(PATIENCE)
        for number, text in ((2, "of depth 16, lacks pixels of depth 24"), (7, "has no screen 7")):
            run = subprocess.run([DEMO, "--x11"], env=display.environment | {"DISPLAY": f"{name}.{number}"},
                                 capture_output=True, text=True, timeout=PATIENCE)
            check(f"screen {number} is refused", status_faults(run, 3, text), run.stderr.strip())


def setup(depth=24, bits=32, order=sys.byteorder, visual_class=4, masks=(0xFF0000, 0xFF00, 0xFF), requests=65535):
    """What an X server with one screen, of one visual, answers to a connection."""
    visual = struct.pack("=IBBHIII4x", 33, visual_class, 8, 256, *masks)
    depths = struct.pack("=BxH4x", depth, 1) + visual
    screen = struct.pack("=5I6HI4B", 256, 32, 0, 0, 0, 800, 600, 200, 150, 1, 1, 33, 0, 0, depth, 1)
    head = struct.pack("=4I2H8B4x", 0, 0x200000, 0x1FFFFF, 0, 0, requests, 1, 1, order == "big", 0, 32, 32, 8, 255)
    body = head + struct.pack("=BBB5x", depth, bits, 32) + screen + depths
    return struct.pack("=BxHHH", 1, 11, 0, len(body) // 4) + body


def answered_by(answer):
    """The program after an X server's first answer, and what it requested then."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        # X servers listen at port 6000 plus the display's number.
        display = f"127.0.0.1:{listener.getsockname()[1] - 6000}"
        process = subprocess.Popen([DEMO, "--x11"], env=os.environ | {"DISPLAY": display}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(PATIENCE)
                connection.recv(4096)
                connection.sendall(answer)
                requests = connection.recv(4096)
            out, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
    return subprocess.CompletedProcess([], process.returncode, out, errors), requests


def pixels():
    """A screen whose pixels are others is refused, and what it lacks is named."""
    other = "little" if sys.byteorder == "big" else "big"
    for name, answer, text in (
            ("of depth 30", setup(depth=30), "of depth 30, lacks pixels of depth 24"),
            ("of 24 bits", setup(bits=24), "pixels of 32 bits"),
            (f"in {other} endian order", setup(order=other), "this machine's byte order"),
            ("of DirectColor", setup(visual_class=5), "a TrueColor visual"),
            ("of blue, green, red", setup(masks=(0xFF, 0xFF00, 0xFF0000)), "red, green and blue in the bits"),
            ("and requests of 16 KiB", setup(requests=4096), "requests that hold a row")):
        run, requests = answered_by(answer)
        check(f"a server with pixels {name}", status_faults(run, 3, text) + (["it sent requests"] if requests else []),
              run.stderr.strip())
    run, requests = answered_by(setup())
    # The first request makes a window in the screen's root.
    made = struct.unpack_from("=BxHII", requests) if len(requests) >= 12 else ()
    check("a server with its pixels", ([] if made[:1] == (1,) and made[3] == 256 else [f"it requested {made}"])
          + status_faults(run, 3, "closed the connection"), "a window is made")


def libraries():
    """What is linked, and what the sources state that are built without headers."""
    absent = ["-DDEMO_WINDOW_WITHOUT_WAYLAND", "-DDEMO_WINDOW_WITHOUT_XCB"]
    packages = ["install Debian's libwayland-dev", "install Debian's libxcb1-dev and libxcb-xinput-dev"]
    with tempfile.TemporaryDirectory() as folder:
        section = subprocess.run(["readelf", "-d", DEMO], capture_output=True, text=True, check=True).stdout
        check("settle-demo needs no window system's library", linked(section), f"{section.count('NEEDED')} others")
        check("without headers both systems name their packages", faults(messages(folder, *absent), *packages), "2 messages")
        with_headers = messages(folder)
        check("with headers neither does", faults(with_headers, "no compositor answers", "DISPLAY is not set"), "2 messages")
        check("planted: a library that is linked is found",
              [] if linked(section + "\n (NEEDED) Shared library: [libxcb.so.1]") else ["not found"], "libxcb.so.1")
        check("planted: a message without its package is found", [] if len(faults(with_headers, *packages)) == 2 else ["not found"],
              "2 messages")


# A check that is ended from outside leaves no server behind either.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
try:
    without_display()
    silent()
    screens()
    pixels()
    libraries()
except (TimeoutError, subprocess.TimeoutExpired, OSError, subprocess.CalledProcessError) as error:
    check("the check itself", [f"{error} {getattr(error, 'stderr', None) or ''}"], "")
run = subprocess.run([DEMO, "--seconds"], capture_output=True, text=True)
check("planted: another status and text are found", [] if len(status_faults(run, 3, "no such text")) == 2 else ["not found"],
      "2 faults")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
