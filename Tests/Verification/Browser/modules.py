"""What both ways into a browser share: pages, and copies of the module's sources with a fault."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sources"))
from support import ROOT  # noqa: E402

PAGES = pathlib.Path(__file__).resolve().parent / "pages"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript"}


class Problem(Exception):
    """What a check has found."""


def copy_sources(module, folder):
    """The module's sources in a copy that a page can import, as `scripts/build-browser --sources` has written them."""
    return pathlib.Path(shutil.copytree(module / "sources", folder / "Sources/Browser"))


def bundle(folder):
    """What the demo needs beside it, of copied sources."""
    (folder / "all.mjs").write_text('import * as all from "./settle.mjs"; globalThis.Settle = { ...all };')
    subprocess.run(["esbuild", folder / "all.mjs", "--bundle", "--format=iife", "--log-level=warning", f"--outfile={folder / 'settle.global.js'}"],
                   check=True)
    (folder / "demo.html").write_text((ROOT / "Sources/Browser/demo.html").read_text())
