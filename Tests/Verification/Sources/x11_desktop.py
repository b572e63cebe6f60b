"""Desktops under Xvfb for the checks of the X11 source: servers, window managers, windows, a pointer
that is moved by XTEST or xdotool, an independent observer of sizes, and `settle watch`."""
import json
import os
import struct
import subprocess
import threading
import time

import xcffib
import xcffib.xproto as xproto
import xcffib.xtest as xtest

from processes import stop

LIMIT_SECONDS = 30.0
MOTION, PRESS, RELEASE, KEY_PRESS, KEY_RELEASE = 6, 4, 5, 2, 3
ESCAPE_KEY = 9
REDIRECT = xproto.EventMask.SubstructureRedirect

OPENBOX_RC = """<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc"><placement><policy>Smart</policy>
</placement><mouse><dragThreshold>1</dragThreshold><context name="Frame"><mousebind button="Right" action="Drag">
<action name="Resize"/></mousebind></context></mouse></openbox_config>"""
# Its default font is not among those that every server has.
TWMRC = "".join(f'{name}Font "fixed"\n' for name in ("Title", "Resize", "Menu", "Icon", "IconManager"))
TWMRC += 'RandomPlacement\nAutoRelativeResize\nNoTitleFocus\nButton3 = : window|frame|title : f.resize\n'


class Failure(Exception):
    """What a check found to be wrong."""


def wait_for(condition, what, seconds=LIMIT_SECONDS):
    """Waits until the condition returns something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.01)


def start_server(command, work, *arguments, environment=None):
    """A server that chooses a free display, and the display's name."""
    read, write = os.pipe()
    with open(work / "servers.txt", "ab") as output:
        process = subprocess.Popen(
            [*command, "-displayfd", str(write), "-nolisten", "tcp", "-noreset", *arguments], pass_fds=[write],
            stdout=output, stderr=output, env={**os.environ, **(environment or {})})
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        process.wait()
        raise Failure(f"{command[0]} does not start: see its output: {(work / 'servers.txt').read_text()[-500:]}")
    return process, f":{number}"


class Desktop:
    """A server with a window manager, or with none, and the script's own connection to it."""

    def __init__(self, work, manager=None, server=("Xvfb", "-screen", "0", "1600x1200x24"), environment=None):
        self.work, self.manager, self.processes = work, manager, []
        server, self.display = start_server(server[:1], work, *server[1:], environment=environment)
        self.server = server
        self.processes.append(server)
        self.environment = {**os.environ, "DISPLAY": self.display, "HOME": str(work), "XDG_CONFIG_HOME": str(work),
                            "XDG_RUNTIME_DIR": str(work), "XDG_CACHE_HOME": str(work)}
        self.connection = xcffib.connect(self.display)
        self.root = self.connection.get_setup().roots[0].root
        self.pointer = Pointer(self)
        if manager:
            self.start_manager()

    def start_manager(self):
        (self.work / "rc.xml").write_text(OPENBOX_RC)
        (self.work / "twmrc").write_text(TWMRC)
        # Without a session bus xfwm4 has no settings, and ends.
        command = {"openbox": ["openbox", "--config-file", self.work / "rc.xml"],
                   "twm": ["twm", "-f", self.work / "twmrc"],
                   "xfwm4": ["dbus-run-session", "--", "xfwm4", "--compositor=off"]}[self.manager]
        with open(self.work / "managers.txt", "ab") as output:
            self.processes.append(subprocess.Popen(command, env=self.environment, stdout=output, stderr=output))
        core = self.connection.core
        wait_for(lambda: core.GetWindowAttributes(self.root).reply().all_event_masks & REDIRECT,
                 f"{self.manager} manages windows")

    def close(self):
        """Ends everything that runs there; twice does nothing."""
        for process in reversed(self.processes):
            stop(process)
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def atom(self, name):
        return self.connection.core.InternAtom(False, len(name), name).reply().atom


class Window:
    """A window of this script. It draws nothing."""

    def __init__(self, desktop, title, width=400, height=300, waits=True):
        self.desktop, self.core = desktop, desktop.connection.core
        self.id = desktop.connection.generate_id()
        self.name = f"{title} 0x{self.id:x}"
        self.core.CreateWindow(24, self.id, desktop.root, 100, 100, width, height, 0, 1, 0, xproto.CW.BackPixel, [0x336699])
        utf8, name = desktop.atom("UTF8_STRING"), desktop.atom("_NET_WM_NAME")
        self.core.ChangeProperty(xproto.PropMode.Replace, self.id, name, utf8, 8, len(title.encode()), title.encode())
        self.core.MapWindow(self.id)
        desktop.connection.flush()
        if waits:
            wait_for(self.is_visible, f"{title} is visible")

    def is_visible(self):
        if self.core.GetWindowAttributes(self.id).reply().map_state == 2:
            return True
        # A window manager that is starting may have missed the first request.
        self.core.MapWindow(self.id)
        return False

    def size(self):
        geometry = self.core.GetGeometry(self.id).reply()
        return geometry.width, geometry.height

    def corner(self):
        """The root's coordinates of the lower right corner."""
        geometry = self.core.GetGeometry(self.id).reply()
        at = self.core.TranslateCoordinates(self.id, self.desktop.root, 0, 0).reply()
        return at.dst_x + geometry.width, at.dst_y + geometry.height

    def resize(self, width, height):
        mask = xproto.ConfigWindow.Width | xproto.ConfigWindow.Height
        self.core.ConfigureWindow(self.id, mask, [max(1, width), max(1, height)])
        self.desktop.connection.flush()

    def send_double(self):
        """Repeats the size with a synthetic event, as window managers do."""
        width, height = self.size()
        event = struct.pack("<BxHIIIhhHHHB5x", 22, 0, self.id, self.id, 0, 100, 100, width, height, 0, 0)
        self.core.SendEvent(False, self.id, xproto.EventMask.StructureNotify, event)
        self.desktop.connection.flush()

    def destroy(self):
        self.core.DestroyWindow(self.id)
        self.desktop.connection.flush()


class Observer:
    """A connection of its own that writes down a window's ConfigureNotify events."""

    def __init__(self, display, window):
        self.events = []        # (is synthetic, width, height)
        self.connection = xcffib.connect(display)
        self.connection.core.ChangeWindowAttributes(
            window.id, xproto.CW.EventMask, [xproto.EventMask.StructureNotify])
        geometry = self.connection.core.GetGeometry(window.id).reply()
        self.first = geometry.width, geometry.height
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            while True:
                event = self.connection.wait_for_event()
                if isinstance(event, xproto.ConfigureNotifyEvent):
                    self.events.append((bool(event.response_type & 0x80), event.width, event.height))
        except xcffib.ConnectionException:
            return

    def sizes(self):
        """The sizes as a source should report them, and how many synthetic doubles were left out."""
        sizes, doubles = [self.first], 0
        for is_synthetic, *size in self.events:
            if is_synthetic and tuple(size) == sizes[-1]:
                doubles += 1
            else:
                sizes.append(tuple(size))
        return sizes, doubles


class Pointer:
    """The pointer, and the truth of what was injected."""

    def __init__(self, desktop):
        self.desktop = desktop
        self.connection = desktop.connection
        self.xtest = self.connection(xtest.key)
        # twm grabs the server during a drag, and would wait for a release that never comes.
        self.xtest.GrabControl(True)
        self.injected = []      # (button, is pressed, monotonic ns before, and after the server had it)
        self.rates = []         # (wished, reached)
        self.at = (0, 0)

    def fake(self, kind, detail, x=0, y=0):
        self.xtest.FakeInput(kind, detail, 0, self.desktop.root, x, y, 0)
        self.connection.flush()

    def sync(self):
        self.connection.core.GetInputFocus().reply()

    def move(self, x, y):
        self.fake(MOTION, 0, int(x), int(y))
        self.at = (int(x), int(y))

    def button(self, button, is_pressed):
        before = time.monotonic_ns()
        self.fake(PRESS if is_pressed else RELEASE, button)
        if self.desktop.manager == "twm":
            # A request that the server has read, but not handled, when twm grabs it waits for the grab's end.
            time.sleep(0.2)
        else:
            self.sync()
        self.injected.append((button, is_pressed, before, time.monotonic_ns()))

    def escape(self):
        for kind in (KEY_PRESS, KEY_RELEASE):
            self.fake(kind, ESCAPE_KEY)
        self.sync()

    def path(self, to, seconds, rate, moved=None):
        """Moves by a minimum-jerk path; xdotool does at 60 Hz."""
        (x0, y0), count = self.at, max(2, round(seconds * rate))
        points = [(round(x0 + (to[0] - x0) * s), round(y0 + (to[1] - y0) * s)) for s in map(jerk, range(1, count + 1), [count] * count)]
        began = time.monotonic()
        # xdotool respects grabs of the server.
        if rate <= 60 and moved is None and self.desktop.manager != "twm":
            script = "".join(f"mousemove {x} {y}\nsleep {1 / rate:.4f}\n" for x, y in points)
            subprocess.run(["xdotool", "-"], input=script.encode(), env=self.desktop.environment, check=True,
                           timeout=LIMIT_SECONDS)
        else:
            for number, (x, y) in enumerate(points, 1):
                self.fake(MOTION, 0, x, y)
                if moved:
                    moved(x, y)
                rest = began + number / rate - time.monotonic()
                if rest > 0:
                    time.sleep(rest)
        self.at = points[-1]
        self.rates.append((rate, count / (time.monotonic() - began)))


def jerk(step, count):
    u = step / count
    return u ** 3 * (10 - 15 * u + 6 * u * u)


class Watch:
    """`settle watch` with its standard output in a file."""

    def __init__(self, settle, desktop, name="watch", display=None):
        self.settle = settle
        self.log, self.out, self.errors = (desktop.work / f"{name}{suffix}" for suffix in (".settle", ".jsonl", ".txt"))
        command = [settle, "watch", "--display", display or desktop.display, "--record", self.log, "--force"]
        with open(self.out, "wb") as out, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(command, stdout=out, stderr=errors, env=desktop.environment)
        desktop.processes.append(self.process)

    def decisions(self):
        # The last line may not be whole as yet.
        return [json.loads(line) for line in self.out.read_text().splitlines(True) if line.endswith("\n")]

    def wait_for_first(self, scene):
        wait_for(lambda: any(d["scene"] == scene for d in self.decisions()), f"watch sees {scene}")

    def events(self):
        cat = subprocess.run([self.settle, "cat", self.log], capture_output=True, text=True, check=True)
        return [json.loads(line) for line in cat.stdout.splitlines()[1:]]

    def replayed(self):
        return subprocess.run(
            [self.settle, "replay", self.log, "--decisions", "-"], capture_output=True, text=True, check=True).stdout

    def status(self):
        return wait_for(lambda: (self.process.poll(), True) if self.process.poll() is not None else None, "watch ends")[0]


def authority(path, display):
    """Writes an Xauthority file with a key that nobody has."""
    fields = [b"local", display.lstrip(":").encode(), b"MIT-MAGIC-COOKIE-1", os.urandom(16)]
    path.write_bytes(struct.pack(">H", 256) + b"".join(struct.pack(">H", len(field)) + field for field in fields))
