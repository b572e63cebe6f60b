"""Assembles the report's page from its parts, for scripts/build-wasm.

usage: assemble.py WASM OUT_FOLDER

WASM.zlib is the same compressed. Writes the page's text before and after the data, OUT_FOLDER/head.html and tail.html. The output depends on nothing but the parts.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BYTES_MAX = 156_000


def minified(path, *options):
    """A module with all that it imports, or a style: without comments, spaces and long local names, by esbuild."""
    ran = subprocess.run(["esbuild", str(path), "--minify", "--charset=utf8", "--log-level=warning", *options], capture_output=True, text=True, encoding="utf-8")
    if ran.returncode != 0 or ran.stderr:
        sys.exit(f"assemble: esbuild: {ran.stderr.strip()}")
    return ran.stdout.strip()


def source_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(packed, folder=HERE):
    """The page of the parts in a folder, before and after the data, with the compressed WebAssembly."""
    code = minified(folder / "main.mjs", "--bundle", "--format=iife", "--target=es2022", "--banner:js=\"use strict\";")
    if code.count("{{wasm}}") != 1:
        sys.exit("assemble: the script has no place for the WebAssembly")
    code = code.replace("{{wasm}}", base64.b64encode(packed).decode())
    look = minified(folder / "page.css", "--target=chrome90,firefox90,safari15")
    if "</script" in code.lower() or "<!--" in code or "</style" in look.lower():
        sys.exit("assemble: the script or the style would end early")
    policy = "; ".join([
        "default-src 'none'", f"script-src {source_hash(code)} 'wasm-unsafe-eval'", f"style-src {source_hash(look)}",
        "base-uri 'none'", "form-action 'none'"])
    html = re.sub(r"\n\s+", "\n", (folder / "page.html").read_text())
    html = html.replace("{{policy}}", policy).replace("{{style}}", look)
    head, tail = html.split("{{data}}")
    return head, tail.replace("{{script}}", code)


def main():
    wasm, packed = (pathlib.Path(sys.argv[1] + ending).read_bytes() for ending in ("", ".zlib"))
    out = pathlib.Path(sys.argv[2])
    head, tail = page(packed)
    size = len((head + tail).encode())
    if size > BYTES_MAX:
        sys.exit(f"assemble: the page has {size} bytes without data; at most {BYTES_MAX} are allowed")
    out.mkdir(parents=True, exist_ok=True)
    (out / "head.html").write_bytes(head.encode())
    (out / "tail.html").write_bytes(tail.encode())
    print(f"the page has {size} bytes without data, {len(wasm)} of them WebAssembly before base64")


if __name__ == "__main__":
    main()
