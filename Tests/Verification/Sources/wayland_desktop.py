"""A weston of its own inside an Xvfb, and a hand that moves its pointer, for wayland.py."""
import os
import re
import shutil
import subprocess
import tempfile
import time

from processes import stop, wait_for

# Xvfb's screen, and weston's window at its top left. The pointer waits outside of the window, because
# weston's x11 backend takes the place at which a pointer comes in, and otherwise only differences.
SCREEN = (1024, 768)
WINDOW = (1000, 700)
OUTSIDE = (1015, 755)
BACKGROUND = bytes([0x20, 0x40, 0x60])

WESTON_INI = """[core]
idle-time=0
[shell]
panel-position=none
animation=none
startup-animation=none
close-animation=none
locking=false
background-color=0xff204060
"""
GTK_INI = """[Settings]
gtk-cursor-blink=false
gtk-enable-animations=false
"""


class Desktop:
    """Use it in `with`: everything that it started is ended, and its folder removed."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="settle-wayland-")
        self.started = []
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self):
        self.runtime = os.path.join(self.folder, "runtime")
        os.mkdir(self.runtime, 0o700)
        home = os.path.join(self.folder, "home")
        os.makedirs(os.path.join(home, ".config", "gtk-3.0"))
        with open(os.path.join(home, ".config", "gtk-3.0", "settings.ini"), "w") as file:
            file.write(GTK_INI)
        with open(os.path.join(self.folder, "weston.ini"), "w") as file:
            file.write(WESTON_INI)
        self.environment = {
            key: value for key, value in os.environ.items()
            if not key.startswith(("WAYLAND_", "XDG_", "GDK_", "DISPLAY", "BASH_ENV", "PROMPT_COMMAND"))}
        self.environment |= {
            "XDG_RUNTIME_DIR": self.runtime, "HOME": home, "XDG_CONFIG_HOME": os.path.join(home, ".config"),
            "PS1": "$ ", "ENV": "", "SHELL": "/bin/sh", "GDK_BACKEND": "wayland", "NO_AT_BRIDGE": "1",
            "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8"}
        ours, theirs = os.pipe()
        self.run_in_background(
            ["Xvfb", "-displayfd", str(theirs), "-nolisten", "tcp", "-noreset",
             "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24"], pass_fds=[theirs])
        os.close(theirs)
        number = b""
        while not number.endswith(b"\n"):
            more = os.read(ours, 16)
            if not more:
                raise RuntimeError("Xvfb does not start")
            number += more
        os.close(ours)
        self.environment["DISPLAY"] = ":" + number.decode().strip()
        self.xdotool("mousemove", *OUTSIDE)
        log = os.path.join(self.folder, "weston.log")
        self.weston = self.run_in_background(
            ["weston", "--backend=x11-backend.so", "--use-pixman", "--shell=desktop-shell.so", "--socket=wayland-test",
             f"--width={WINDOW[0]}", f"--height={WINDOW[1]}", "--log=" + log,
             "--config=" + os.path.join(self.folder, "weston.ini")])
        self.environment["WAYLAND_DISPLAY"] = "wayland-test"

        def window():
            try:
                with open(log) as file:
                    return re.search(r"window id (\d+)", file.read())
            except FileNotFoundError:
                return None
        self.window = wait_for("window of weston", window).group(1)
        wait_for("background of weston", lambda: self.pixels()[:3] == BACKGROUND)
        # Without a window manager, nobody else gives the window the keys.
        self.xdotool("windowfocus", self.window)

    def run_in_background(self, command, **options):
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options})
        self.started.append(process)
        return process

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, stderr=subprocess.DEVNULL)

    def pixels(self):
        """The screen, three bytes for each pixel."""
        return subprocess.run(
            ["import", "-window", "root", "-depth", "8", "rgb:-"], env=self.environment, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def settled(self, other_than=None, like=None):
        """The screen, once it has shown a window and no change for a while; sooner if it looks as
        another one does."""
        last = [None, 0]

        def same():
            now = self.pixels()
            last[1] = last[1] + 1 if now == last[0] and now != other_than and box(now) else 0
            last[0] = now
            if now == like:
                return True
            time.sleep(0.1)
            # A picture that looks otherwise may only be late.
            return last[1] >= (6 if like is None else 60)
        wait_for("picture that stays", same)
        return last[0]

    def drag(self, path, seconds=0.016):
        """Presses the left button at the path's beginning, moves along it, and releases."""
        (x, y), *rest = path
        words = ["mousemove", x, y, "sleep", 0.2, "mousedown", 1, "sleep", 0.05]
        for x, y in rest:
            words += ["mousemove", x, y, "sleep", seconds]
        self.xdotool(*words, "mouseup", 1)


def box(pixels):
    """The smallest rectangle (left, top, right, bottom) of weston's window with all that is not its
    background; None if there is nothing else. Faint shadows count as background."""
    row = SCREEN[0] * 3

    def is_shown(x, y):
        place = y * row + x * 3
        return max(abs(a - b) for a, b in zip(pixels[place:place + 3], BACKGROUND)) > 60
    columns = range(2, WINDOW[0] - 2, 1)
    empty = BACKGROUND * WINDOW[0]
    lines = [y for y in range(WINDOW[1]) if pixels[y * row:y * row + WINDOW[0] * 3] != empty]
    shown = [y for y in lines if sum(is_shown(x, y) for x in columns[::16]) >= 3]
    if not shown:
        return None
    middle = shown[len(shown) // 2]
    across = [x for x in columns if is_shown(x, middle)]
    return (across[0], shown[0], across[-1], shown[-1])


def minimum_jerk(start, end, steps):
    """The points of a hand's movement from one place to another (Flash and Hogan, 1985)."""
    for step in range(1, steps + 1):
        t = step / steps
        s = t ** 3 * (10 - 15 * t + 6 * t ** 2)
        yield tuple(round(a + (b - a) * s) for a, b in zip(start, end))
