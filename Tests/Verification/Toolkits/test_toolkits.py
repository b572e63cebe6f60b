"""The programs of Sources/Examples/Toolkits, built over settle.h and settle.c and dragged: twice each, once with the hand
held still for three seconds. With an end signal, nothing is built within a drag, and once at its end. Without the patches
of docs/guide/toolkits.md the viewers among them build at each size."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
import snippets
from desktop import KEY_PRESS, KEY_RELEASE, Desktop, WestonDesktop
from PIL import Image
from results import note, planted, report, verify
from support import ROOT, processor_seconds, stop, wait_for

EXAMPLES, ADAPTERS, GUIDE = ROOT / "Sources/Examples/Toolkits", ROOT / "CSources/Adapters", ROOT / "docs/guide/toolkits.md"
MCOMIX = pathlib.Path("/usr/lib/python3/dist-packages/mcomix")
SUPER_KEY, HELD_S, WAITED_S = 133, 3.0, 1.5
X11_ENVIRONMENT = {"SDL_VIDEODRIVER": "x11", "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb", "GSK_RENDERER": "cairo",
                   "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
WAYLAND_ENVIRONMENT = {**X11_ENVIRONMENT, "SDL_VIDEODRIVER": "wayland", "GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland"}
# Each program's libraries for pkg-config, and where it runs; the last is whether its toolkit reports the end of a drag
# under Wayland. Debian's GLFW 3.3 is one for X11 or one for Wayland.
PROGRAMS = {
    "x11": ("x11 xcb xcb-xinput", "x11", False),
    "prepared": ("xcb xcb-xinput", "x11", False),
    "sdl2": ("sdl2 xcb xcb-xinput", "x11 wayland", False),
    "glfw": ("glfw3 gl xcb xcb-xinput", "x11", False),
    "gtk3": ("gtk+-3.0 xcb xcb-xinput", "x11 wayland", False),
    "gtk4": ("gtk4 xcb xcb-xinput", "x11 wayland", False),
    "qt6": ("Qt6Widgets xcb xcb-xinput", "x11 wayland", False),
    "wayland": ("wayland-client", "wayland", True),
    "winit": ("", "x11", False),
}


def words_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def build_winit(folder, two):
    """The Rust program, with Debian's crates."""
    crates = 'source.crates-io.replace-with="debian"', 'source.debian.directory="/usr/share/cargo/registry"'
    shutil.copytree(EXAMPLES / "winit", folder / "source")
    main = folder / "source/main.rs"
    main.write_text(main.read_text().replace("../../../../CSources/Adapters", str(ADAPTERS)))
    environment = {**os.environ, "SETTLE": str(two), "CARGO_TARGET_DIR": str(folder / "target"), "RUSTFLAGS": "-Dwarnings"}
    built = subprocess.run(["cargo", "--config", crates[0], "--config", crates[1], "build", "--release", "--offline"], cwd=folder / "source",
                           env=environment, capture_output=True, text=True)
    if built.returncode != 0:
        raise RuntimeError(built.stderr[-2000:])
    return folder / "target/release/winit"


def make_protocols(folder):
    """What wayland-scanner makes: the objects' sources."""
    below = pathlib.Path(*words_of("pkg-config", "--variable=pkgdatadir", "wayland-protocols")) / "stable"
    for name in ("xdg-shell", "viewporter"):
        for kind, file in (("client-header", f"{name}-client-protocol.h"), ("private-code", f"{name}.c")):
            subprocess.run(["wayland-scanner", kind, below / name / f"{name}.xml", folder / file], check=True)
    return [folder / "xdg-shell.c", folder / "viewporter.c"]


def build(name, folder, adapters=ADAPTERS, source=None):
    """A program, built by its documentation's command; or another `source` in its place."""
    two = folder / "two"
    subprocess.run([ROOT / "scripts/amalgamate", two], check=True, capture_output=True)
    if name == "winit":
        return build_winit(folder, two)
    flags = words_of("pkg-config", "--cflags", "--libs", *PROGRAMS[name][0].split())
    source = source or next(EXAMPLES.glob(f"{name}.c*"))
    places = [f"-I{two}", f"-I{adapters}", f"-I{EXAMPLES}"]
    objects = [two / "settle.c"] + (make_protocols(two) if name == "wayland" else [])
    for each in objects:
        subprocess.run(["cc", "-c", each, "-o", each.with_suffix(".o")], check=True)
    compiler = ["cc", "-D_GNU_SOURCE"] if source.suffix == ".c" else ["c++", "-std=c++17", "-fPIC"]
    objects = [each.with_suffix(".o") for each in objects]
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", *places, source, *objects, *flags, "-o", folder / name], check=True)
    return folder / name


class Program:
    """A program that runs, with what it prints in a file."""

    def __init__(self, desktop, path):
        self.out = desktop.folder / f"{path.name}.txt"
        with open(self.out, "wb") as out, open(desktop.folder / "errors.txt", "wb") as errors:
            self.process = desktop.start([path], stdout=out, stderr=errors)
        try:
            wait_for(f"first build of {path.name}", lambda: self.builds() or self.process.poll() is not None)
            assert self.process.poll() is None
        except (TimeoutError, AssertionError):
            raise RuntimeError(f"{path.name} does not run: {(desktop.folder / 'errors.txt').read_text()[-500:]}") from None

        self.busy_s = 0.0  # processor time within drags

    def builds(self):
        return re.findall(r"^build (\d+)x(\d+) at", self.out.read_text(), re.M)

    def end(self):
        """The naive count, a build for each size, and the number of builds."""
        status = stop(self.process)
        totals = re.search(r"^(\d+) sizes, (\d+) builds$", self.out.read_text(), re.M)
        if status != 0 or not totals or int(totals.group(2)) != len(self.builds()):
            raise RuntimeError(f"it ended with status {status}, and printed {self.out.read_text()!r}")
        return int(totals.group(1)), int(totals.group(2))


def drag(desktop, program, corner, by, hold, key=None):
    """One drag of a corner, with a pause in its middle. How many builds came within it, and after its end."""
    pointer, (x, y) = desktop.pointer, corner
    before = len(program.builds())
    if key:
        pointer.move(x, y)
        time.sleep(0.3)
        pointer.fake(KEY_PRESS, key)
        time.sleep(0.2)
    busy_s = processor_seconds(program.process.pid)
    pointer.drag((x, y), (x + by[0] // 2, y + by[1] // 2), (x + by[0], y + by[1]), hold=hold / 2, button=3, releases=False)
    within = len(program.builds())
    program.busy_s += processor_seconds(program.process.pid) - busy_s
    pointer.button(3, False)
    if key:
        pointer.fake(KEY_RELEASE, key)
    time.sleep(WAITED_S)
    return within - before, len(program.builds()) - within


def drag_once(desktop, program, corner_of, key=None):
    return [drag(desktop, program, corner_of(), (120, 90), 0, key)]


def drag_twice(desktop, program, corner_of, key=None):
    """The builds within and after each of two drags; the second one's hand is held still for HELD_S twice."""
    return drag_once(desktop, program, corner_of, key) + [drag(desktop, program, corner_of(), (-100, -60), 2 * HELD_S, key)]


def on_x11(folder, path, end=Program.end, title=None, drags_of=drag_twice):
    """The builds of each drag under openbox, the totals, and whether the last build has the window's size."""
    with Desktop(folder, "openbox", environment=X11_ENVIRONMENT) as desktop:
        program = Program(desktop, path)
        window = int(desktop.xdotool("search", "--sync", "--onlyvisible", "--name", title or f"^{path.name}$").split()[-1])

        def corner():
            size, at = desktop.core.GetGeometry(window).reply(), desktop.core.TranslateCoordinates(window, desktop.root, 0, 0).reply()
            return at.dst_x + size.width - 12, at.dst_y + size.height - 12
        time.sleep(WAITED_S)
        drags = drags_of(desktop, program, corner)
        size = desktop.core.GetGeometry(window).reply()
        return drags, end(program), (str(size.width), str(size.height)) == program.builds()[-1]


def on_wayland(folder, path, end=Program.end, drags_of=drag_twice):
    """The same under weston, whose own binding resizes any window: Super and the right button."""
    with WestonDesktop(folder) as desktop:
        desktop.environment.update(WAYLAND_ENVIRONMENT)
        program = Program(desktop, path)

        def corner():
            right, bottom = desktop.box(desktop.settled())[2:]
            return right - 40, bottom - 40
        drags = drags_of(desktop, program, corner, SUPER_KEY)
        return drags, end(program), None


def builds_unpatched(folder, name, run):
    """How often a viewer without the guide's patch builds within a drag."""
    source = next(EXAMPLES.glob(f"{name}.c*"))
    (folder / "source").mkdir()
    unpatched = folder / "source" / source.name
    unpatched.write_text(snippets.unpatched(source.read_text(), snippets.patches(GUIDE.read_text())[source.name]))
    drags, _, _ = run(folder, build(name, folder, source=unpatched), lambda program: stop(program.process, signal.SIGKILL), drags_of=drag_once)
    return drags[0][0]


def problem_of(drags):
    """Why drags were not built at their ends alone."""
    return None if drags == [(0, 1), (0, 1)] else f"builds within and after each drag: {drags}"


@pytest.mark.parametrize("system, name", [(system, name) for name, row in PROGRAMS.items() for system in row[1].split()])
def test_drags(folder, system, name):
    reports_end = system == "x11" or PROGRAMS[name][2]
    drags, (sizes, builds), is_last = (on_x11 if system == "x11" else on_wayland)(folder, build(name, folder))
    # Viewers count builds alone.
    if not sizes:
        below = folder / "unpatched"
        below.mkdir(mode=0o700)
        sizes = builds_unpatched(below, name, on_x11 if system == "x11" else on_wayland)
    figure = f"{sizes} sizes, {builds} builds"
    if reports_end:
        problem = problem_of(drags)
        report(f"{system} {name}: no build within a drag, one at its end", problem is None and sizes > 20, problem or figure)
    else:
        # Nobody reports the end: a pause of the hand is one, and the last size is built.
        report(f"{system} {name}: built after quiet alone", all(0 < sum(each) < 6 for each in drags) and sizes > 20, f"{figure}, {drags}")
    if is_last is not None:
        report(f"{system} {name}: the last build has the window's size", is_last)


def test_mcomix(folder):
    """MComix, a viewer of GTK 3 that nobody wrote for this, as it is and with docs/guide/mcomix.patch. A copy of each prints
    what it draws; the picture has the size of a photograph."""
    Image.effect_noise((4000, 3000), 90).save(folder / "picture.png")
    two, figures = folder / "two", {}
    subprocess.run([ROOT / "scripts/amalgamate", two], check=True, capture_output=True)
    for name in ("original", "patched"):
        source = folder / name / "mcomix"
        shutil.copytree(MCOMIX, source)
        (folder / name).chmod(0o700)
        if name == "patched":
            subprocess.run(["patch", "-s", "-p1", "-i", ROOT / "docs/guide/mcomix.patch"], cwd=source, check=True)
            subprocess.run(["cc", "-shared", "-fPIC", f"-I{two}", f"-I{ADAPTERS}", source / "settled.c", two / "settle.c", "-o", source / "settled.so",
                            *words_of("pkg-config", "--cflags", "--libs", "glib-2.0", "xcb", "xcb-xinput")], check=True)
        text, drawing = (source / "main.py").read_text(), "    def _draw_image(self, scroll_to):\n"
        assert text.count(drawing) == 1
        (source / "main.py").write_text(text.replace(drawing, drawing + "        print('build %dx%d at 0' % self.get_size(), flush=True)\n"))
        (source.parent / "picture").write_text(f"#!/bin/sh\ncd '{source.parent}'\nexec /usr/bin/python3 -c '"
                                               f"from mcomix import run; run.run()' '{folder}/picture.png'\n")
        (source.parent / "picture").chmod(0o700)
        drags, totals, is_last = on_x11(folder / name, source.parent / "picture", lambda program: program.busy_s, "picture.png")
        figures[name] = drags, totals, is_last
        note(f"mcomix, {name}: draws within and after each drag {drags}, {totals:.2f} s of processor time within them")
    (before, before_s, _), (after, after_s, is_last) = figures["original"], figures["patched"]
    verify("mcomix: with the patch, no draw within a drag, and one at its end", problem_of(after) if is_last else "the last draw has another size")
    report("mcomix: without it, many", sum(within for within, _ in before) > 20)
    report("mcomix: the patch leaves less than a third of the processor time within drags", after_s < before_s / 3, f"{after_s:.2f} of {before_s:.2f} s")


def test_planted(folder):
    """An adapter that watches no buttons, or knows no `resizing`, builds while the hand is held still."""
    buttons = "XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_RELEASE"
    for name, run, header, line, fault in (
            ("sdl2", on_x11, "settle_x11.h", buttons, "XCB_INPUT_XI_EVENT_MASK_HIERARCHY"),
            ("wayland", on_wayland, "settle_wayland.h", "configure->is_resizing = true", "configure->is_resizing = false")):
        below = folder / name
        shutil.copytree(ADAPTERS, below / "adapters")
        text = (below / "adapters" / header).read_text()
        assert text.count(line) == 1, header
        (below / "adapters" / header).write_text(text.replace(line, fault))
        below.chmod(0o700)
        drags, _, _ = run(below, build(name, below, below / "adapters"))
        planted(f"{header} with {fault}", problem_of(drags))
