"""Pages of the module on a server, their commands, and copies of the module's sources with a fault."""
import base64
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What scripts/build-browser --sources wrote.
MODULE = pathlib.Path(os.environ.get("MODULE", "")).resolve()
PAGES = pathlib.Path(__file__).resolve().parent / "pages"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript"}
BUILT = "/module/settle.js"
# A module that awaits adds its commands after the page's load.
CALL = """const [name, words, done] = arguments;
const called = async () => {
    for (let i = 0; i < 200 && !globalThis.commands?.[name]; i++) await new Promise((resolve) => setTimeout(resolve, 25));
    return commands[name](...words);
};
called().then((value) => done([value]), (error) => done(`${name}: ${error}`));"""


class Problem(Exception):
    """What a check has found."""


def hashes(text, tag):
    parts = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'" for part in parts)


class Site:
    """Gives out the pages and folders. They are under the policy that their address names, and may be kept when they are
    left; or isolated, whose clock is fine enough to measure µs, and under a strict policy unless told otherwise."""

    def __init__(self, is_isolated=False, is_strict=True, **folders):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path, _, query = self.path.partition("?")
                _, folder, *names = path.split("/")
                file = folders.get(folder, PAGES).joinpath(*names)
                is_there = names and ".." not in names and file.is_file()
                text = file.read_text() if is_there else ""
                if file.name == "demo.html":
                    script = '<script src="settle.global.js"></script>'
                    text = text.replace(script, script + '<script src="/pages/client.js"></script>')
                headers = {"Content-Type": KINDS.get(file.suffix, "text/plain"), "Content-Length": len(text.encode())}
                policy = urllib.parse.parse_qs(query).get("policy", [None])[0]
                if is_isolated:
                    headers |= {"Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
                    if is_strict:
                        policy = (f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {hashes(text, 'script')}; style-src 'self' "
                                  f"{hashes(text, 'style')}; connect-src 'self'; worker-src 'self'; frame-src 'self'; img-src 'self'")
                if policy:
                    headers["Content-Security-Policy"] = policy
                self.send_response(200 if is_there else 404)
                for name, value in headers.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A page that goes away closes its connections.
        server.handle_error = lambda *_: None
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{server.server_port}"

    def address(self, path, **words):
        return f"{self.base}/{path}?{urllib.parse.urlencode(words)}"


def call(driver, name, *words):
    """What a command of the page that is open gives."""
    answer = driver.wait(CALL, name, words)
    if isinstance(answer, str):
        raise Problem(answer)
    return answer[0]


def wait_builds(browser, count, seconds=3.0):
    """The builds, once there are so many, or the time is over."""
    end = time.monotonic() + seconds
    while len(builds := browser.call("builds")) < count and time.monotonic() < end:
        time.sleep(0.05)
    return builds


def faults():
    """The faults of the module: name, check and sentence."""
    listed = subprocess.run([ROOT / "scripts/plant", "--list", "browser"], capture_output=True, text=True, check=True).stdout
    return [line.split("\t")[1:] for line in listed.splitlines()]


def planted_sources(folder, fault):
    """A copy of the module's sources with a fault."""
    sources = shutil.copytree(MODULE / "sources", folder / fault / "Sources/Browser")
    subprocess.run([ROOT / "scripts/plant", folder / fault, fault], check=True)
    return sources


def planted_module(folder, fault):
    """The address of sources with a fault, with what the demo needs beside it."""
    sources = planted_sources(folder, fault)
    (sources / "all.mjs").write_text('import * as all from "./settle.mjs"; globalThis.Settle = { ...all };')
    subprocess.run(["esbuild", sources / "all.mjs", "--bundle", "--format=iife", "--log-level=warning", f"--outfile={sources / 'settle.global.js'}"],
                   check=True)
    shutil.copy(ROOT / "Sources/Browser/demo.html", sources)
    return f"/faulty/{fault}/Sources/Browser/settle.mjs"
