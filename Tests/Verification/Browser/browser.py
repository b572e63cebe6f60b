"""Pages in Chromium and Firefox without a driver of theirs: a server gives out pages, which ask it for commands and post
the answers. Input is the X server's."""
import base64
import hashlib
import http.server
import json
import pathlib
import queue
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sources"))
from desktop import Desktop  # noqa: E402
from support import stop, wait_for  # noqa: E402
from modules import KINDS, PAGES, Problem  # noqa: E402

PATIENCE_S = 15
CHROMIUM = """--no-sandbox --no-first-run --no-default-browser-check --disable-gpu --disable-background-networking --disable-sync
    --disable-component-update --disable-features=Translate --password-store=basic --js-flags=--expose-gc --enable-precise-memory-info
    --window-position=60,60 --window-size=1100,820""".split()
FIREFOX = {"browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False, "browser.preonboarding.enabled": False,
           "browser.startup.homepage_override.mstone": "ignore", "datareporting.policy.dataSubmissionEnabled": False,
           "datareporting.policy.dataSubmissionPolicyBypassNotification": True, "toolkit.telemetry.reportingpolicy.firstRun": False,
           "app.update.enabled": False, "browser.startup.firstrunSkipsHomepage": True, "network.captive-portal-service.enabled": False,
           "network.connectivity-service.enabled": False, "browser.sessionstore.resume_from_crash": False, "termsofuse.bypassNotification": True,
           "browser.translations.enable": False, "extensions.update.enabled": False, "browser.tabs.closeWindowWithLastTab": False}


def inline_hashes(text, tag):
    parts = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
    return [f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'" for part in parts]


class Server:
    """Pages under a strict Content-Security-Policy, unless told otherwise, and for each page a queue of commands and one of answers."""

    def __init__(self, module, faulty, is_strict=True):
        self.folders = {"pages": PAGES, "module": module, "faulty": faulty}
        self.commands, self.answers = {}, {}
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def send(self, body, kind="application/json", status=200, policy=None):
                self.send_response(status)
                headers = {"Content-Type": kind, "Content-Length": len(body), "Cache-Control": "no-store",
                           # The clock of such pages is fine enough to measure µs.
                           "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
                for name, value in {**headers, **({"Content-Security-Policy": policy} if policy else {})}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                path = self.path.partition("?")[0]
                if found := re.fullmatch(r"/page/(\d+)/next", path):
                    self.send(json.dumps(server.commands[found[1]].get()).encode())
                    return
                _, folder, *names = path.split("/")
                file = server.folders.get(folder, PAGES).joinpath(*names)
                if ".." in names or not names or not file.is_file():
                    self.send(b"", status=404)
                    return
                text = file.read_text()
                script, style = inline_hashes(text, "script"), inline_hashes(text, "style")
                if file.name == "demo.html":
                    text = text.replace('<script src="settle.global.js"></script>',
                                        '<script src="settle.global.js"></script><script src="/pages/client.js"></script>')
                policy = (f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {' '.join(script)}; style-src 'self' {' '.join(style)}; "
                          "connect-src 'self'; worker-src 'self'; frame-src 'self'; img-src 'self'")
                self.send(text.encode(), KINDS.get(file.suffix, "text/plain"), policy=policy if is_strict else None)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.answers[re.fullmatch(r"/page/(\d+)/done", self.path)[1]].put(json.loads(body))
                self.send(b"{}")

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A page that goes away closes its connections.
        self.http.handle_error = lambda *_: None
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def page(self, path, **words):
        """A new page's number and address."""
        number = str(len(self.commands) + 1)
        self.commands[number], self.answers[number] = queue.Queue(), queue.Queue()
        words = "&".join(f"{name}={value}" for name, value in {"page": number, **words}.items())
        return number, f"http://127.0.0.1:{self.http.server_port}/{path}?{words}"


def command_of(name, profile, address, *options):
    """What opens an address in a browser with a new profile."""
    profile.mkdir()
    if name == "chromium":
        return ["chromium", *CHROMIUM, f"--user-data-dir={profile}", *options, f"--app={address}"]
    prefs = (f'user_pref("{key}", {json.dumps(value)});\n' for key, value in FIREFOX.items())
    (profile / "user.js").write_text("".join(prefs))
    return ["firefox-esr", "--no-remote", "--profile", profile, "--width", "1100", "--height", "820", *options, address]


class Browser:
    """A browser in a desktop of its own, with one page at a time. `name` is chromium or firefox."""

    def __init__(self, name, server, folder, options=(), screen="1600x1200x24"):
        self.name, self.server = name, server
        folder.mkdir(exist_ok=True)
        self.desktop = Desktop(folder, "openbox", ("Xvfb", "-screen", "0", screen), environment={
            "GDK_BACKEND": "x11", "MOZ_ENABLE_WAYLAND": "0", "NO_AT_BRIDGE": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "MOZ_CRASHREPORTER_DISABLE": "1"})
        self.number, address = server.page("pages/cases.html", module="/module/settle.js")
        command = command_of(name, folder / "profile", address, *options)
        with open(folder / "browser.txt", "wb") as said:
            self.process = self.desktop.start(command, stdout=said, stderr=said)
        self.call("isReady")
        self.window = int(self.desktop.xdotool("search", "--sync", "--onlyvisible", "--name", "settle").split()[-1])
        self.offset = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.desktop.__exit__()

    def call(self, name, *words, patience=PATIENCE_S):
        self.server.commands[self.number].put({"name": name, "words": words})
        try:
            answer = self.server.answers[self.number].get(timeout=patience)
        except queue.Empty:
            raise Problem(f"{self.name}: the page does not answer to {name}") from None
        if "error" in answer:
            raise Problem(f"{self.name}: {answer['error']}")
        return answer.get("value")

    def open(self, path, module="/module/settle.js"):
        number, address = self.server.page(path, module=module)
        self.call("go", address)
        self.number = number
        self.call("isReady")

    def no_errors(self, errors=None):
        errors = self.call("errors") if errors is None else errors
        if errors:
            raise Problem(f"{self.name}: {len(errors)} errors, first: {errors[0]}")

    # --- Places, in the screen's pixels ---

    def geometry(self):
        """The window's left, top, right and bottom edge."""
        core = self.desktop.core
        size, at = core.GetGeometry(self.window).reply(), core.TranslateCoordinates(self.window, self.desktop.root, 0, 0).reply()
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

    # --- Input ---

    def drag_edge(self, *by, hold=0.0, seconds=1.0, meanwhile=None):
        """Drags the window's lower right corner by openbox; the page sees no pointer. Holds still after each way."""
        _, _, right, bottom = self.geometry()
        stops = [(right - 15, bottom - 15)]
        for x, y in by:
            stops.append((stops[-1][0] + x, stops[-1][1] + y))
        self.dragged(stops, 3, hold, seconds, meanwhile)

    def drag(self, selector, *by, hold=0.0, seconds=1.0, meanwhile=None):
        stops = [self.center(selector)]
        for x, y in by:
            stops.append((stops[-1][0] + x, stops[-1][1] + y))
        self.dragged(stops, 1, hold, seconds, meanwhile)

    def dragged(self, stops, button, hold, seconds, meanwhile):
        self.desktop.pointer.drag(*stops, seconds=seconds, hold=hold, button=button, releases=False)
        if meanwhile:
            meanwhile()
        self.desktop.pointer.button(button, False)
