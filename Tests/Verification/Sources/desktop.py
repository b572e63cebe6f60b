"""Desktops under Xvfb: servers, window managers, weston, windows, a pointer that is moved by XTEST, pictures of the
screen, an independent observer of sizes, `settle watch`, and a relay before a server."""
import contextlib
import os
import random
import socket
import struct
import subprocess
import threading
import time

import xcffib
import xcffib.xproto as xproto
import xcffib.xtest as xtest
from PIL import Image, ImageChops

from support import PATIENCE, SETTLE, Processes, end_problem, json_lines, steady, wait_for

MOTION, PRESS, RELEASE, KEY_PRESS, KEY_RELEASE = 6, 4, 5, 2, 3
ESCAPE_KEY = 9
OPENBOX_RC = """<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc"><placement><policy>Smart</policy>
</placement><mouse><dragThreshold>1</dragThreshold><context name="Frame"><mousebind button="Right" action="Drag">
<action name="Resize"/></mousebind></context></mouse></openbox_config>"""
# Its default font is not among those that every server has.
TWMRC = "".join(f'{name}Font "fixed"\n' for name in ("Title", "Resize", "Menu", "Icon", "IconManager"))
TWMRC += 'RandomPlacement\nAutoRelativeResize\nNoTitleFocus\nButton3 = : window|frame|title : f.resize\n'
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
GTK_INI = "[Settings]\ngtk-cursor-blink=false\ngtk-enable-animations=false\n"
WESTON_SCREEN, WESTON_WINDOW, WESTON_BACKGROUND = (1500, 900), (1400, 850), (0x20, 0x40, 0x60)


class Desktop(Processes):
    """A server with a window manager, or with none, and the script's own connection to it."""

    def __init__(self, folder, manager=None, server=("Xvfb", "-screen", "0", "1600x1200x24"), environment=None):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("WAYLAND_", "XDG_", "GDK_", "DISPLAY", "XAUTHORITY", "WINDOWID"))}
        super().__init__({**kept, **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), str(folder)),
                          **(environment or {})})
        self.folder, self.manager = folder, manager
        read, write = os.pipe()
        with open(folder / "servers.txt", "ab") as output:
            self.server = self.start([server[0], "-displayfd", write, "-nolisten", "tcp", "-noreset", *server[1:]],
                                     pass_fds=[write], stdout=output, stderr=output)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.display = ":" + pipe.readline().strip()
        if self.display == ":":
            raise RuntimeError(f"{server[0]} does not start: {(folder / 'servers.txt').read_text()[-500:]}")
        self.environment["DISPLAY"] = self.display
        self.connection = xcffib.connect(self.display)
        self.core, self.root = self.connection.core, self.connection.get_setup().roots[0].root
        self.pointer = Pointer(self)
        if manager:
            self.start_manager(manager)

    def start_manager(self, manager):
        self.manager = manager
        (self.folder / "rc.xml").write_text(OPENBOX_RC)
        (self.folder / "twmrc").write_text(TWMRC)
        begun = self.folder / "begun"
        # Without a session bus xfwm4 has no settings, and ends.
        command = {"openbox": ["openbox", "--config-file", self.folder / "rc.xml", "--startup", f"touch {begun}"],
                   "twm": ["twm", "-f", self.folder / "twmrc"],
                   "xfwm4": ["dbus-run-session", "--", "xfwm4", "--compositor=off"]}[manager]
        self.manager_process = self.start(command)
        wait_for(f"{manager} that manages windows", lambda: self.core.GetWindowAttributes(self.root).reply().all_event_masks
                 & xproto.EventMask.SubstructureRedirect)
        # Before its start has ended, openbox drops requests to show windows.
        if manager == "openbox":
            wait_for("openbox", begun.exists)

    def atom(self, name):
        return self.core.InternAtom(False, len(name), name).reply().atom

    def sync(self):
        """Waits until the server has handled what was requested."""
        self.core.GetInputFocus().reply()

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, capture_output=True, text=True).stdout

    def screen(self):
        """The screen's picture."""
        size = self.core.GetGeometry(self.root).reply()
        pixels = self.core.GetImage(xproto.ImageFormat.ZPixmap, self.root, 0, 0, size.width, size.height, 0xFFFFFFFF).reply().data
        return Image.frombuffer("RGB", (size.width, size.height), pixels.buf(), "raw", "BGRX", 0, 1)


def distance(image, color):
    """For each pixel how far it is from a color, as a picture."""
    red, green, blue = ImageChops.difference(image, Image.new("RGB", image.size, color)).split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def start_weston(processes, folder, *options):
    """A weston with the socket `wayland-test` in a folder."""
    (folder / "weston.ini").write_text(WESTON_INI)
    weston = processes.start(["weston", "--shell=desktop-shell.so", "--socket=wayland-test", f"--config={folder / 'weston.ini'}",
                              *options], env={**processes.environment, "XDG_RUNTIME_DIR": str(folder)})
    wait_for("weston's socket", (folder / "wayland-test").exists)
    processes.environment["WAYLAND_DISPLAY"] = "wayland-test"
    return weston


class WestonDesktop(Desktop):
    """weston in a window of Xvfb. The pointer begins outside of it, because weston takes the place at which a pointer
    comes in, and otherwise only differences."""

    def __init__(self, folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "gtk-3.0").mkdir()
        (folder / "gtk-3.0" / "settings.ini").write_text(GTK_INI)
        super().__init__(folder, None, ("Xvfb", "-screen", "0", "{}x{}x24".format(*WESTON_SCREEN)), {
            "PS1": "$ ", "ENV": "", "SHELL": "/bin/sh", "GDK_BACKEND": "wayland", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory"})
        self.pointer.move(WESTON_SCREEN[0] - 10, WESTON_SCREEN[1] - 10)
        width, height = WESTON_WINDOW
        self.weston = start_weston(self, folder, "--backend=x11-backend.so", "--use-pixman", f"--width={width}", f"--height={height}")
        wait_for("background of weston", lambda: self.screen().getpixel((0, 0)) == WESTON_BACKGROUND)
        # Without a window manager, nobody else gives the window the keys.
        window = next(each for each in self.core.QueryTree(self.root).reply().children
                      if self.core.GetWindowAttributes(each).reply().map_state == 2)
        self.core.SetInputFocus(xproto.InputFocus.PointerRoot, window, 0)
        self.sync()

    def box(self, image):
        """The smallest rectangle (left, top, right, bottom) of all but the background and the pointer; None if there is
        nothing else. Faint shadows count as background."""
        x, y = self.pointer.at
        shown = distance(image.crop((0, 0, *WESTON_WINDOW)), WESTON_BACKGROUND)
        shown.paste(0, (x - 30, y - 30, x + 30, y + 30))
        return shown.point(lambda value: 255 * (value > 60)).getbbox()

    def settled(self, other_than=None, like=None):
        """The screen, once it has shown a window and no change for a while; sooner if it looks as another one does."""
        # A picture that looks otherwise may only be late.
        return steady(self.screen, 6 if like is None else 60, 0.1, lambda shown: shown == like,
                      lambda shown: shown != other_than and self.box(shown))


class Window:
    """A window of this script. It draws nothing."""

    def __init__(self, desktop, title, width=400, height=300, waits=True, old=None):
        """Has the title as _NET_WM_NAME or, with bytes `old`, as WM_NAME of the type STRING."""
        self.desktop, self.core = desktop, desktop.core
        self.id = desktop.connection.generate_id()
        self.name = f"{title} 0x{self.id:x}"
        self.core.CreateWindow(24, self.id, desktop.root, 100, 100, width, height, 0, 1, 0, xproto.CW.BackPixel, [0x336699])
        utf8, name = desktop.atom("UTF8_STRING"), desktop.atom("_NET_WM_NAME")
        kind, key, text = (xproto.Atom.STRING, xproto.Atom.WM_NAME, old) if old else (utf8, name, title.encode())
        self.core.ChangeProperty(xproto.PropMode.Replace, self.id, key, kind, 8, len(text), text)
        self.core.MapWindow(self.id)
        desktop.connection.flush()
        if waits:
            wait_for(f"window {title}", self.is_visible)

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
        at = self.core.TranslateCoordinates(self.id, self.desktop.root, 0, 0).reply()
        return at.dst_x + self.size()[0], at.dst_y + self.size()[1]

    def resize(self, width, height):
        mask = xproto.ConfigWindow.Width | xproto.ConfigWindow.Height
        self.core.ConfigureWindow(self.id, mask, [max(1, width), max(1, height)])
        self.desktop.connection.flush()

    def send_double(self):
        """Repeats the size with a synthetic event, as window managers do."""
        event = struct.pack("<BxHIIIhhHHHB5x", 22, 0, self.id, self.id, 0, 100, 100, *self.size(), 0, 0)
        self.core.SendEvent(False, self.id, xproto.EventMask.StructureNotify, event)
        self.desktop.connection.flush()

    def destroy(self):
        self.core.DestroyWindow(self.id)
        self.desktop.connection.flush()


class Observer:
    """A connection of its own that sees a window's ConfigureNotify events: the sizes as a source should report them, and
    the number of synthetic doubles that it leaves out."""

    def __init__(self, display, window):
        self.sizes, self.doubles = [window.size()], 0
        self.connection = xcffib.connect(display)
        self.connection.core.ChangeWindowAttributes(window.id, xproto.CW.EventMask, [xproto.EventMask.StructureNotify])
        self.read()

    def read(self):
        """What has come until now."""
        self.connection.core.GetInputFocus().reply()
        while event := self.connection.poll_for_event():
            if isinstance(event, xproto.ConfigureNotifyEvent):
                size = event.width, event.height
                if event.response_type & 0x80 and size == self.sizes[-1]:
                    self.doubles += 1
                else:
                    self.sizes.append(size)


class Pointer:
    """The pointer, and the truth of what was injected."""

    def __init__(self, desktop):
        self.desktop, self.xtest = desktop, desktop.connection(xtest.key)
        # twm grabs the server during a drag, and would wait for a release that never comes.
        self.xtest.GrabControl(True)
        self.injected = []      # (button, is pressed, monotonic ns before, and after the server had it)
        self.rates = []         # (wished, reached)
        self.at = (0, 0)

    def fake(self, kind, detail, x=0, y=0):
        self.xtest.FakeInput(kind, detail, 0, self.desktop.root, x, y, 0)
        self.desktop.connection.flush()

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
            self.desktop.sync()
        self.injected.append((button, is_pressed, before, time.monotonic_ns()))

    def click(self, x, y):
        self.move(x, y)
        time.sleep(0.1)
        self.button(1, True)
        self.button(1, False)

    def escape(self):
        for kind in (KEY_PRESS, KEY_RELEASE):
            self.fake(kind, ESCAPE_KEY)
        self.desktop.sync()

    def path(self, to, seconds, rate, moved=lambda x, y: None):
        """Moves by a minimum-jerk path, a hand's (Flash and Hogan, 1985)."""
        (x, y), count = self.at, max(2, round(seconds * rate))
        began = time.monotonic()
        for step in range(1, count + 1):
            part = step / count
            share = part ** 3 * (10 - 15 * part + 6 * part * part)
            self.move(round(x + (to[0] - x) * share), round(y + (to[1] - y) * share))
            moved(*self.at)
            time.sleep(max(0, began + step / rate - time.monotonic()))
        self.rates.append((rate, count / (time.monotonic() - began)))

    def drag(self, *stops, seconds=1.0, rate=60, hold=0.0, button=1, releases=True):
        """Presses a button at the first place, moves to each other in turn, holds still there, and releases it."""
        self.move(*stops[0])
        time.sleep(0.2)
        self.button(button, True)
        time.sleep(0.05)
        for stop in stops[1:]:
            self.path(stop, seconds, rate)
            time.sleep(hold)
        if releases:
            self.button(button, False)


def buttons_problem(events, injected):
    """Each press and release that was injected is in the log once, in order, and not before it was injected."""
    found = [(e["button"], e["pressed"], e["t_ns"]) for e in events if e.get("kind") == "pointer"]
    if [f[:2] for f in found] != [i[:2] for i in injected]:
        return f"the buttons {[f[:2] for f in found]}, not {[i[:2] for i in injected]}"
    early = next((f for f, i in zip(found, injected) if f[2] < i[2]), None)
    return early and f"the button {early} has a time before it was injected"


class Watch:
    """`settle watch` with its standard output in a file."""

    def __init__(self, desktop, *words, name="watch"):
        self.log, self.out, self.errors = (desktop.folder / f"{name}{suffix}" for suffix in (".settle", ".jsonl", ".txt"))
        words = words or ["watch", "--record", self.log, "--force"]
        with open(self.out, "wb") as out, open(self.errors, "wb") as errors:
            self.process = desktop.start([SETTLE, *words], stdout=out, stderr=errors)

    def printed(self):
        return self.out.read_text()

    def said(self):
        return self.errors.read_text()

    def decisions(self):
        return json_lines(self.printed())

    def rebuilds(self, scene):
        return [d for d in self.decisions() if d["scene"] == scene and d["kind"] == "rebuild"]

    def sees(self, *windows):
        for window in windows:
            wait_for(f"decision for {window.name}", lambda: self.rebuilds(window.name))

    def end(self):
        """Why it does not end in order at a SIGTERM."""
        self.process.terminate()
        return end_problem(self.process.wait(PATIENCE), 0, self.said())


class Relay:
    """A display between a client and an X server, which can change, end or hold back what the client sends."""

    def __init__(self, real, from_client=lambda data: data):
        """Stands before the display `real`. `from_client` gives what is handed on; None closes the connection."""
        self.real, self.from_client, self.socket = real, from_client, socket.socket(socket.AF_UNIX)
        # Beyond the numbers that servers choose by themselves.
        self.display = f":{random.randrange(20_000, 60_000)}"
        self.path = f"/tmp/.X11-unix/X{self.display[1:]}"
        self.socket.bind(self.path)
        self.socket.listen(8)
        self.clients, self.is_deaf = [], False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.socket.accept()[0]
                server = socket.socket(socket.AF_UNIX)
                server.connect(f"/tmp/.X11-unix/X{self.real.lstrip(':')}")
                self.clients.append(client)
                for source, target, change in ((client, server, self.from_client), (server, client, lambda data: data)):
                    threading.Thread(target=self.copy, args=(source, target, change), daemon=True).start()

    def copy(self, source, target, change):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                data = change(data)
                if data is None:
                    # Both at once, as when a server ends.
                    return [each.shutdown(socket.SHUT_RDWR) for each in (source, target)]
                target.sendall(data)
            if not self.is_deaf:
                target.shutdown(socket.SHUT_WR)

    def be_deaf(self):
        """Takes nothing more: a client that writes gets EPIPE, while events still come."""
        self.is_deaf = True
        for client in self.clients:
            client.shutdown(socket.SHUT_RD)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        os.unlink(self.path)
