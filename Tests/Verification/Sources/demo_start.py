#!/usr/bin/env python3
"""What settle-demo does before it has a window: usage, no display, libraries and headers that are absent.

usage: SETTLE=.build/debug/settle Tests/Verification/Sources/demo_start.py
Needs a C compiler (cc, or the one named by CC) and readelf.
"""
import glob
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
DEMO = os.path.join(os.path.dirname(os.path.abspath(os.environ.get("SETTLE", ".build/debug/settle"))), "settle-demo")
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


absent = ["-DDEMO_WINDOW_WITHOUT_WAYLAND", "-DDEMO_WINDOW_WITHOUT_XCB"]
packages = ["install Debian's libwayland-dev", "install Debian's libxcb1-dev and libxcb-xinput-dev"]
without_display()
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
run = subprocess.run([DEMO, "--seconds"], capture_output=True, text=True)
check("planted: another status and text are found", [] if len(status_faults(run, 3, "no such text")) == 2 else ["not found"],
      "2 faults")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
