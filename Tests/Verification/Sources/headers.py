#!/usr/bin/env python3
"""The C sources without the headers of window systems and ncurses, and the programs without their libraries.

usage: SETTLE=PATH headers.py
Needs a C compiler (cc), nm and readelf. Only root can hide headers: without it that is not tried, which is said.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
SETTLE = os.path.abspath(os.environ.get("SETTLE", ".build/debug/settle"))
TARGETS = ("CDemoWindow", "CTerminal", "CTerminalScreen", "CWindowSystems")
HEADERS = ("xcb/xcb.h", "xcb/randr.h", "xcb/xinput.h", "curses.h", "ncurses.h", "wayland-client-core.h", "wayland-cursor.h")
FUNCTIONS = re.compile(r" (xcb_|wl_|wget|newterm|newwin)")
LIBRARIES = ("libxcb", "libX11", "libwayland", "libncurses", "libtinfo")
# In a mount namespace of the command's own. An overlay's changes cannot lie on another overlay, which the root of a
# container is.
HIDE = """
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o "lowerdir=/usr/include,upperdir=$1/upper,workdir=$1/work" /usr/include
rm -rf /usr/include/xcb /usr/include/curses.h /usr/include/ncurses.h /usr/include/wayland-*.h
shift
exec "$@"
"""
passed, failed = 0, 0


def check(name, problem, figure=""):
    """Prints and counts one thing that was verified."""
    global passed, failed
    passed, failed = passed + (problem is None), failed + (problem is not None)
    print(f"{'ok    ' if problem is None else 'FAILED'} {name}: {figure if problem is None else problem}", flush=True)


def planted(name, problem):
    check(f"planted: {name}", None if problem else "it was not found", "found")


def run(command, hidden_in=None):
    """What a command prints, and its status; with the headers hidden if a folder for that is given."""
    if hidden_in:
        command = ["unshare", "--mount", "bash", "-euo", "pipefail", "-c", HIDE, "bash", hidden_in, *command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def headers_that_are_there(hidden_in=None):
    """A text about a header that the compiler finds, or None. The compiler itself must work."""
    status, said = run(["cc", "-E", "-include", "stdio.h", "-x", "c", "/dev/null"], hidden_in)
    if status != 0:
        return f"cc does not work: {said}"
    found = [header for header in HEADERS if run(["cc", "-E", "-include", header, "-x", "c", "/dev/null"], hidden_in)[0] == 0]
    return f"{', '.join(found)} can be included" if found else None


def compile_problem(source, target, hidden_in=None):
    includes = [f"-I{ROOT}/CSources/{folder}/include" for folder in TARGETS]
    status, said = run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", *includes, "-c", source, "-o", target], hidden_in)
    return f"{source}: {said}" if status != 0 else None


def reference_problem(objects):
    """A text about a function of the libraries that objects refer to, or None."""
    status, said = run(["nm", "-u", *objects])
    if status != 0 or not objects:
        return f"nm does not read {len(objects)} objects: {said}"
    found = [line.strip() for line in said.splitlines() if FUNCTIONS.search(line)]
    return f"{', '.join(found)} are referred to" if found else None


def link_problem(program):
    """A text about a library of window systems that a program links, or None."""
    status, said = run(["readelf", "-d", program])
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
    if status != 0 or not needed:
        return f"readelf finds no libraries of {program}: {said}"
    found = [library for library in needed if library.startswith(LIBRARIES)]
    return f"{os.path.basename(program)} links {', '.join(found)}" if found else None


def check_headers(work):
    hidden = os.path.join(work, "hidden")
    os.mkdir(hidden)
    check("the headers are hidden", headers_that_are_there(hidden), f"{len(HEADERS)} headers")
    planted("headers that are not hidden", headers_that_are_there())
    sources = sorted(source for target in TARGETS for source in glob.glob(f"{ROOT}/CSources/{target}/*.c"))
    objects = [os.path.join(work, f"{number}.o") for number in range(len(sources))]
    problems = [compile_problem(source, target, hidden) for source, target in zip(sources, objects)]
    check("without headers the C sources compile", next((problem for problem in problems if problem), None), f"{len(sources)} sources")
    check("and refer to no function of the libraries", reference_problem([o for o in objects if os.path.exists(o)]), f"{len(objects)} objects")
    needy = os.path.join(work, "needy.c")
    with open(needy, "w") as file:
        file.write("#include <xcb/xcb.h>\nvoid *connect_to_x(void) { return xcb_connect(0, 0); }\n")
    planted("a source that needs a header", compile_problem(needy, needy + ".o", hidden))
    check("with headers it compiles", compile_problem(needy, needy + ".o"), "a source")
    planted("a reference to libxcb", reference_problem([needy + ".o"]))
    planted("nm that fails", reference_problem([needy]))


def check_programs(work):
    for name in ("settle", "settle-demo"):
        check(f"{name} links no window system and no ncurses", link_problem(os.path.join(os.path.dirname(SETTLE), name)), "by readelf")
    source, program = os.path.join(work, "linked.c"), os.path.join(work, "linked")
    with open(source, "w") as file:
        file.write("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-Wl,--no-as-needed", source, "-lxcb", "-o", program], check=True)
    planted("a program that links libxcb", link_problem(program))
    planted("a file that is no program", link_problem(source))


def main():
    with tempfile.TemporaryDirectory(prefix="settle-headers-") as work:
        if os.geteuid() == 0:
            check_headers(work)
        else:
            print("       only root can hide headers: not tried without them")
        check_programs(work)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
