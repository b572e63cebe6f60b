"""Browsers in windows, whose input is the X server's."""
import json
import socket
import time

from chromium import Chromium
from desktop import Desktop
from pages import BUILT, Problem, call
from support import Processes, wait_for

CHROMIUM = """no-first-run no-default-browser-check disable-background-networking disable-sync disable-component-update
    disable-features=Translate password-store=basic js-flags=--expose-gc enable-precise-memory-info window-position=60,60
    window-size=1100,820 app=about:blank""".split()
FIREFOX = {"browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False, "browser.preonboarding.enabled": False,
           "browser.startup.homepage_override.mstone": "ignore", "datareporting.policy.dataSubmissionEnabled": False,
           "datareporting.policy.dataSubmissionPolicyBypassNotification": True, "toolkit.telemetry.reportingpolicy.firstRun": False,
           "app.update.enabled": False, "browser.startup.firstrunSkipsHomepage": True, "network.captive-portal-service.enabled": False,
           "network.connectivity-service.enabled": False, "browser.sessionstore.resume_from_crash": False, "termsofuse.bypassNotification": True,
           "browser.translations.enable": False, "extensions.update.enabled": False, "browser.tabs.closeWindowWithLastTab": False,
           "marionette.port": 0}


class Firefox(Processes):
    """Firefox by its own protocol, Marionette, since Debian has no driver of it."""

    def __init__(self, folder, environment):
        super().__init__(environment)
        profile = folder / "profile"
        profile.mkdir()
        (profile / "user.js").write_text("".join(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in FIREFOX.items()))
        self.start(["firefox-esr", "--marionette", "--no-remote", "--profile", profile, "--width", "1100", "--height", "820", "about:blank"])
        port = profile / "MarionetteActivePort"
        wait_for("Firefox", lambda: port.exists() and port.read_text())
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())))
        self.stream = self.socket.makefile("rb")
        self.read()
        self.command("NewSession")
        self.command("SetTimeouts", script=120_000)

    def read(self):
        length = b""
        while (byte := self.stream.read(1)) != b":":
            length += byte
        return json.loads(self.stream.read(int(length)))

    def command(self, name, **words):
        text = json.dumps([0, 1, f"WebDriver:{name}", words]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error:
            raise Problem(f"{name}: {error['message']}")
        return result["value"] if result and "value" in result else result

    def open(self, address):
        self.command("Navigate", url=address)

    def run(self, script, *words):
        return self.command("ExecuteScript", script=script, args=words)

    def wait(self, script, *words):
        return self.command("ExecuteAsyncScript", script=script, args=words)


class Window:
    """A browser in a desktop of its own, with one page at a time. `name` is chromium or firefox."""

    def __init__(self, name, site, folder, words=CHROMIUM, screen="1600x1200x24"):
        self.name, self.site = name, site
        folder.mkdir(mode=0o700, exist_ok=True)
        self.desktop = Desktop(folder, "openbox", ("Xvfb", "-screen", "0", screen), environment={
            "GDK_BACKEND": "x11", "MOZ_ENABLE_WAYLAND": "0", "NO_AT_BRIDGE": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "MOZ_CRASHREPORTER_DISABLE": "1"})
        environment = self.desktop.environment
        self.driver = Chromium(*words, environment=environment) if name == "chromium" else Firefox(folder, environment)
        self.window = int(self.desktop.xdotool("search", "--sync", "--onlyvisible", "--class", name).split()[-1])
        self.call, self.offset = lambda *words: call(self.driver, *words), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.__exit__()
        self.desktop.__exit__()

    def open(self, path, module=BUILT):
        self.driver.open(self.site.address(path, module=module))
        self.call("isReady")

    def no_errors(self):
        if errors := self.call("errors"):
            raise Problem(f"{self.name}: {len(errors)} errors, first: {errors[0]}")

    # Places, in the screen's pixels

    def geometry(self):
        """The window's left, top, right and bottom edge."""
        core, window = self.desktop.core, self.window
        size, at = core.GetGeometry(window).reply(), core.TranslateCoordinates(window, self.desktop.root, 0, 0).reply()
        return at.dst_x, at.dst_y, at.dst_x + size.width, at.dst_y + size.height

    def origin(self):
        """Where the page's upper left corner is: found by the pointer."""
        if self.offset:
            return self.offset
        left, top, right, bottom = self.geometry()
        pointer, was = self.desktop.pointer, self.call("pointer").get("count", 0)
        for shift in range(8):
            pointer.move((left + right) // 2 + shift, (top * 3 + bottom) // 4)
            time.sleep(0.1)
        wait_for("pointer in the page", lambda: self.call("pointer").get("count", 0) > was)
        time.sleep(0.1)
        at = self.call("pointer")
        self.offset = pointer.at[0] - at["x"], pointer.at[1] - at["y"]
        return self.offset

    def box(self, selector):
        """A rectangle of the page on the screen; a selector, or the name of a command that gives one."""
        (x, y), box = self.origin(), self.call("frameBar") if selector == "frameBar" else self.call("box", selector)
        return x + box["left"], y + box["top"], x + box["right"], y + box["bottom"]

    def center(self, selector):
        left, top, right, bottom = self.box(selector)
        return (left + right) / 2, (top + bottom) / 2

    # Input

    def drag_edge(self, *by, **options):
        """Drags the window's lower right corner by openbox; the page sees no pointer. Holds still after each way."""
        _, _, right, bottom = self.geometry()
        self.dragged((right - 15, bottom - 15), by, 3, **options)

    def drag(self, selector, *by, **options):
        self.dragged(self.center(selector), by, 1, **options)

    def dragged(self, start, by, button, hold=0.0, seconds=1.0, meanwhile=lambda: None):
        stops = [start]
        for x, y in by:
            stops.append((stops[-1][0] + x, stops[-1][1] + y))
        self.desktop.pointer.drag(*stops, seconds=seconds, hold=hold, button=button, releases=False)
        meanwhile()
        self.desktop.pointer.button(button, False)
