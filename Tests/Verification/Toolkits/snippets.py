"""The snippets of docs/guide/toolkits*.md and of the adapters' first comments, compiled word by word. A frame declares what
the program around one has; a snippet without a frame is a failure. The patches there are of programs in
Sources/Examples/Toolkits, and are taken back here."""
import re
import textwrap
from dataclasses import dataclass

THREAD = (" struct settle_worker; void *draw(struct settle_worker *, settle_window_size); void present(void *, double, double); ")
LOOP = THREAD + "bool running; int width, height; uint64_t now_ns; void rebuild(int, int); void draw_roughly(int, int); settle_policy policy;"
FREE_FUNCTIONS = THREAD + "void rebuild(int, int); void draw_roughly(int, int);"
# By the snippet's own header, or a word in it: libraries, includes, and what is declared around it.
FRAMES = {
    "settle_sdl2.h": ("sdl2", LOOP + " SDL_Window *sdl_window; SDL_Event event; settle_sdl2 settle;"),
    "settle_glfw.h": ("glfw3", LOOP + " GLFWwindow *window;"),
    "settle_gtk3.h": ("gtk+-3.0", FREE_FUNCTIONS + " GtkWidget *widget; void *data;"),
    "settle_gtk4.h": ("gtk4", FREE_FUNCTIONS + " GtkWidget *window; void *data;"),
    "settle_qt6.h": ("Qt6Widgets", THREAD + "extern QWidget widget; void rebuild(QSize); void draw_roughly(QSize);"),
    "settle_x11.h": ("", LOOP + " settle_window window; settle_window_size size;"),
    "settle_worker.h": ("", LOOP + " settle_window window; settle_window_size size; void free(void *); void wake(void *);"),
    "settle_wayland.h": ("wayland-client", LOOP + " settle_window window; settle_wayland configure; struct wl_array *states;"
                         " int own_width, own_height;"),
    "settle_window.h": ("", "bool pressed; uint32_t button; int width, height; uint64_t now_ns; settle_window_size size;"
                        " void rebuild(double, double);"),
    "settle.hpp": ("c++", "double width, height; uint32_t button; bool is_pressed; void rebuild(double, double);"),
    "WM_EXITSIZEMOVE": ("windows", "bool is_dragged; settle_window window; uint64_t now_ns(void); LPARAM lparam; UINT message;"),
    "settle.rs": ("rust", "use std::time::Instant;\nfn rebuild(_: f64, _: f64) {}\nfn draw_roughly(_: f64, _: f64) {}\nfn wake() {}\n"
                  "fn draw(_: f64, _: f64, _: &settle_worker::Cancelled) -> Option<u32> { None }\nfn present(_: u32, _: f64, _: f64) {}\n"),
}


@dataclass
class Snippet:
    name: str  # where it stands
    frame: str  # a key of FRAMES
    text: str


def frame_of(text, language):
    """Which frame a snippet of the guide has."""
    if language == "rust":
        return "settle.rs"
    header = re.search(r'#include "(settle_\w+\.h)"', text)
    return header.group(1) if header else "WM_EXITSIZEMOVE" if "WM_EXITSIZEMOVE" in text else None


def guide_snippets(guide, name="toolkits.md"):
    """Those of a guide that are neither commands nor patches."""
    for match in re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```$", guide, re.M | re.S):
        if match.group(1) not in ("sh", "cmake", "diff"):
            line = guide[:match.start()].count("\n") + 1
            yield Snippet(f"{name}:{line}", frame_of(match.group(2), match.group(1)), match.group(2))


def patches(guide):
    """The guide's patches, by the name of the program that has them."""
    return dict(re.findall(r"^```diff (\S+)\n(.*?)^```$", guide, re.M | re.S))


def unpatched(text, patch):
    """A program without a patch. Each hunk must be in it once."""
    for hunk in re.split(r"^@@\n", patch, flags=re.M):
        lines = hunk.splitlines(True)
        after, before = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" +", " -"))
        if not all(line[0] in " +-" for line in lines) or text.count(after) != 1:
            raise ValueError(f"not in the program once:\n{after}")
        text = text.replace(after, before)
    return text


def comment_snippet(path):
    """The example in an adapter's first comment."""
    text = path.read_text()
    if path.suffix == ".rs":
        body = re.search(r"^//! ```ignore\n(.*?)^//! ```", text, re.M | re.S).group(1)
        return Snippet(path.name, "settle.rs", re.sub(r"^//! ?", "", body, flags=re.M))
    lines = re.findall(r"^ \*     (.*)$", text[:text.index("*/")], re.M)
    return Snippet(path.name, path.name, "\n".join(lines) + "\n")


def program(snippet):
    """A snippet within its frame, as a source file."""
    libraries, declared = FRAMES[snippet.frame]
    if libraries == "rust":
        body = snippet.text
        if "let (start" not in body:
            body = "let start = Instant::now();\nlet (now, width, height) = (start.elapsed(), 800.0, 600.0);\n" + body
        return declared + "fn main() -> Result<(), settle::Invalid> {\n" + textwrap.indent(body, "    ") + "    Ok(())\n}\n"
    includes = "#include <windows.h>\n#include \"settle.h\"\n" if libraries == "windows" else f'#include "{snippet.frame}"\n'
    if libraries == "Qt6Widgets":
        includes = "#include <QWidget>\n" + includes
    # Functions and what comes with them, and classes, stand before the statements.
    outer = re.findall(r"^(?:#include [^\n]*\n|static \w+ \*?\w+;\n|static [^\n]*\}\n|(?:static|class) .*?^\};?\n)", snippet.text, re.M | re.S)
    inner = snippet.text
    for part in outer:
        inner = inner.replace(part, "")
    if libraries == "windows":
        inner = "switch (message) {\n" + inner + "}\n"
    return f"{includes}{declared}\n{''.join(outer)}\nvoid snippet(void);\nvoid snippet(void) {{\n{inner}}}\n"
