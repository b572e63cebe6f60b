"""What both ways into a browser share: pages, and copies of the module's sources with a fault."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sources"))
from support import ROOT  # noqa: E402

PAGES = pathlib.Path(__file__).resolve().parent / "pages"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript"}


class Problem(Exception):
    """What a check has found."""


def packed_core(module):
    """The packed core in the built module, so that faulty sources can be served as they stand."""
    return max(re.findall(r'"([^"\\]+)"', (module / "settle.js").read_text()), key=len)


def copy_sources(module, folder):
    """Sources/Browser in a copy that a page can import."""
    target = folder / "Sources/Browser"
    target.mkdir(parents=True)
    for source in (ROOT / "Sources/Browser").glob("*.mjs"):
        (target / source.name).write_text(source.read_text())
    core = target / "core.mjs"
    core.write_text(core.read_text().replace('"WASM"', f'"{packed_core(module)}"'))
    return target


def bundle(folder):
    """What the demo needs beside it, of copied sources."""
    (folder / "all.mjs").write_text('import * as all from "./settle.mjs"; globalThis.Settle = { ...all };')
    subprocess.run(["esbuild", folder / "all.mjs", "--bundle", "--format=iife", "--log-level=warning", f"--outfile={folder / 'settle.global.js'}"],
                   check=True)
    (folder / "demo.html").write_text((ROOT / "Sources/Browser/demo.html").read_text())
