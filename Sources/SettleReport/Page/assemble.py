"""Assembles the report's page from its parts, for scripts/build-wasm.

usage: assemble.py WASM OUT_FOLDER

WASM.zlib is the same compressed. Writes the page's text before and after the data, OUT_FOLDER/head.html and tail.html. The output depends on nothing but the parts.
"""
import base64
import hashlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Each after those that it needs when it is evaluated.
MODULES = ["format", "sliders", "policy", "engine", "dom", "data", "lane", "explain", "totals", "builds", "front", "front_view", "answer", "fragment", "logs",
           "timeline", "panel", "tables", "fleet", "fleet_view", "main"]
BYTES_MAX = 180_000


def script(packed):
    """All modules in one scope, without comments and indentation, and the compressed WebAssembly."""
    parts, names = [], {}
    for module in MODULES:
        text = (HERE / f"{module}.mjs").read_text()
        for name in re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", text, re.M):
            if names.setdefault(name, module) != module:
                sys.exit(f"assemble: '{name}' is in {names[name]}.mjs and in {module}.mjs; all modules share one scope")
        for needed in re.findall(r'^import [^;]* from "\./(\w+)\.mjs";', text, re.M):
            if needed not in MODULES:
                sys.exit(f"assemble: {module}.mjs imports {needed}.mjs, which is no module of the page")
        text = re.sub(r"^import [^;]*;\n", "", text, flags=re.M)
        text = re.sub(r"^export ", "", text, flags=re.M)
        parts.append(compact(text))
    joined = '"use strict";{\n' + "\n".join(parts) + "\n}"
    return joined.replace("{{wasm}}", base64.b64encode(packed).decode())


# Strings, templates, regular expressions where one can begin, comments, spaces, words, the rest.
PATTERN = r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"
TOKENS = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=\()""" + PATTERN + r"|(?<== )" + PATTERN + r"|(?<=&& )" + PATTERN
    + r")|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)|(?P<word>[\w$#]+)|(?P<mark>.)", re.S)


def compact(text):
    """JavaScript without comments, and with the spaces and line ends that it needs. A template must
    not have a template within it."""
    out, space = "", ""
    for token in TOKENS.finditer(text):
        kind, piece = token.lastgroup, token[0]
        if kind == "comment":
            continue
        if kind == "space":
            space = "\n" if "\n" in piece or space == "\n" else " "
            continue
        if space == "\n" and out:
            out += "\n"
        elif space and out and (is_word(out[-1]) and is_word(piece[0]) or out[-1] in "+-" and piece[0] in "+-"):
            out += " "
        space = ""
        out += piece
    return out


def is_word(character):
    return character.isalnum() or character in "_$#"


def style():
    text = (HERE / "page.css").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\s*([{};,])\s*|(?<=:)\s+", r"\1", text).strip()


def source_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(packed):
    """The page before and after the data."""
    code, look = script(packed), style()
    if "</script" in code.lower() or "<!--" in code or "</style" in look.lower():
        sys.exit("assemble: the script or the style would end early")
    policy = "; ".join([
        "default-src 'none'", f"script-src {source_hash(code)} 'wasm-unsafe-eval'", f"style-src {source_hash(look)}",
        "base-uri 'none'", "form-action 'none'"])
    html = re.sub(r"\n\s+", "\n", (HERE / "page.html").read_text())
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
