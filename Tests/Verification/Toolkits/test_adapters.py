"""The adapters, compiled and run: builds that close their window or end what watches it, under the address sanitizer; the
order of sizes and builds; previews and live builds; preparations by cases and random drags; settle.rs; the guide's snippets,
word by word."""
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import snippets
from desktop import Desktop
from results import planted, report, verify
from support import PATIENCE, ROOT
from test_toolkits import ADAPTERS, EXAMPLES, GUIDE, PROGRAMS, X11_ENVIRONMENT, make_protocols, words_of

HERE = pathlib.Path(__file__).resolve().parent
# Each program's source, libraries for pkg-config, and definitions.
WATCHED = {
    "gtk3": ("watched_gtk.c", "gtk+-3.0", ()),
    "gtk4": ("watched_gtk.c", "gtk4", ()),
    "qt6-widget": ("watched_qt6.cpp", "Qt6Widgets", ()),
    "qt6-window": ("watched_qt6.cpp", "Qt6Gui", ("-DWINDOW",)),
    "sdl2": ("watched_loop.c", "sdl2", ()),
    "glfw": ("watched_loop.c", "glfw3", ("-DGLFW",)),
    "x11": ("watched_loop.c", "", ("-DX11",)),
}
# What the build of a number destroys, and the rest of watched.h's words.
CASES = ["window 1", "window 3", "adapter 1", "adapter 3", "both 1", "both 3", "order 0", "shown 0", "drag 0"]
WORK_SEEDS = range(1, 11)
STRICT = ["-Wall", "-Wextra", "-Werror"]


def flags_of(libraries):
    return words_of("pkg-config", "--cflags", "--libs", *libraries.split(), "xcb", "xcb-xinput")


def compile_with(*command):
    """Why a command does not compile; None if it does."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr[:1500] or f"status {done.returncode}"


@pytest.fixture(scope="session")
def two(work):
    """settle.h and settle.c, with an object of each kind and the header that Wayland's programs generate."""
    two = work / "two"
    subprocess.run([ROOT / "scripts/amalgamate", two], check=True, capture_output=True)
    make_protocols(two)
    for name, options in (("settle.o", []), ("sanitized.o", ["-fsanitize=address"])):
        subprocess.run(["cc", "-g", "-O1", *options, "-c", two / "settle.c", "-o", two / name], check=True)
    return two


def compile_watched(name, two, to, adapters=ADAPTERS):
    """Why a program does not compile under the sanitizer; None if it does."""
    source, libraries, definitions = WATCHED[name]
    compiler = ["cc", "-D_GNU_SOURCE"] if source.endswith(".c") else ["c++", "-std=c++17", "-fPIC"]
    return compile_with(*compiler, "-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address", *STRICT, *definitions, f"-I{two}", f"-I{adapters}",
                        f"-I{HERE}", HERE / source, two / "sanitized.o", *flags_of(libraries), "-o", to)


def problem_of_run(desktop, path, case):
    """What a program did wrong, memory that its adapter did not free included; None for nothing."""
    environment = {**desktop.environment, "ASAN_OPTIONS": "detect_leaks=1:exitcode=3:fast_unwind_on_malloc=0"}
    done = subprocess.run([path, *case.split()], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    wrong = re.findall(r"^wrong: .*|ERROR: AddressSanitizer: \S+", done.stdout + done.stderr, re.M)
    # Toolkits leave memory of their own.
    leaks = [each for each in done.stderr.split("\n\n") if " leak of " in each and re.search(r"settle_|SettleWatch", each)]
    # The sanitizer's status 3 for a toolkit's leaks takes the place of 0; what ended the program before prints no sum.
    if not wrong and not leaks and re.search(r"^\d+ builds, \d+ previews, 0 wrong$", done.stdout, re.M):
        return None
    return "; ".join(wrong) or "".join(leaks)[:500] or f"status {done.returncode}: {(done.stdout + done.stderr)[-500:]}"


def problems_of(desktop, path, cases=None):
    """The cases that went wrong, and why. They wait for most of their time."""
    with ThreadPoolExecutor(5) as pool:
        found = pool.map(lambda case: (case, problem_of_run(desktop, path, case)), cases or CASES)
        return {case: problem for case, problem in found if problem}


@pytest.mark.parametrize("name", WATCHED)
def test_watched(folder, two, name):
    problem = compile_watched(name, two, folder / name)
    if problem:
        return verify(f"{name} compiles", problem)
    with Desktop(folder, environment=X11_ENVIRONMENT) as desktop:
        found = problems_of(desktop, folder / name)
    verify(f"{name}: builds that close the window, the adapter or both; sizes before builds; previews and live builds",
           "; ".join(f"{case}: {problem}" for case, problem in found.items()) or None, f"{len(CASES)} runs")


def test_wayland(folder, two):
    problem = compile_with("cc", "-g", "-fsanitize=address", *STRICT, f"-I{two}", f"-I{ADAPTERS}", HERE / "watched_wayland.c", two / "sanitized.o",
                           two / "xdg-shell.c", *flags_of("wayland-client"), "-o", folder / "wayland")
    if not problem:
        done = subprocess.run([folder / "wayland"], capture_output=True, text=True)
        problem = None if done.returncode == 0 else done.stderr[-500:] or "other decisions"
    verify("wayland: a drag is what has the state resizing", problem)


def test_played(folder, two):
    """Buttons of two pointers, other servers and their ends, waits, policies, and the worker's thread, with a libxcb that the program plays."""
    problem = compile_with("cc", "-D_GNU_SOURCE", "-g", "-O1", "-fsanitize=address", *STRICT, f"-I{two}", f"-I{ADAPTERS}", f"-I{HERE}", HERE / "played.c",
                           two / "sanitized.o", *words_of("pkg-config", "--cflags", "--libs", "glib-2.0", "xcb", "xcb-xinput"), "-lpthread", "-o", folder / "played")
    if not problem:
        done = subprocess.run([folder / "played"], capture_output=True, text=True, timeout=PATIENCE)
        problem = None if done.returncode == 0 else (done.stdout + done.stderr)[-800:] or f"status {done.returncode}"
    verify("an X server that is played, the timer of GLib, and the worker's thread", problem)


def problem_of_cases(worker, folder, two, adapters=ADAPTERS):
    """What a worker, worker.c or worker.rs, does otherwise than Tests/Cases/preparations draw it."""
    source, to = ROOT / "Tests/CaseRunner/preparations" / worker, folder / "worker"
    if worker.endswith(".rs"):
        problem = rust(source.read_text().replace("ADAPTERS", str(adapters)), to, two)
    else:
        problem = compile_with("cc", "-std=gnu11", "-g", "-O1", "-fsanitize=address,undefined", *STRICT, f"-I{two}", f"-I{adapters}", source,
                               two / "sanitized.o", "-o", to)
    assert not problem, problem
    done = subprocess.run([sys.executable, source.with_name("run.py"), "worker", to], capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout if done.returncode else None


def problem_of_random_drags(folder, two, adapters=ADAPTERS):
    """What settle_worker.h's machine did wrong in random drags, and what they reached."""
    problem, figure = compile_with("cc", "-std=gnu11", "-g", "-O1", "-fsanitize=address,undefined", *STRICT, f"-I{two}", f"-I{adapters}",
                                   f"-I{ROOT / 'Tests/CaseRunner'}", HERE / "work.c", two / "sanitized.o", "-o", folder / "work"), ""
    for seed in WORK_SEEDS:
        if problem:
            break
        done = subprocess.run([folder / "work", "10000", str(seed)], capture_output=True, text=True, timeout=PATIENCE)
        problem, figure = (done.stdout + done.stderr).strip()[-500:] if done.returncode else None, done.stdout.strip()
    return problem, figure


def test_random_drags(folder, two):
    """No picture is shown for another size, none of cancelled work, and none is built twice, beyond what cases draw."""
    verify(f"{len(WORK_SEEDS)} times 10,000 random drags through settle_worker.h's machine", *problem_of_random_drags(folder, two))


def test_planted_random_drags(folder, two):
    fault = faulty(folder, "settle_worker.h", "settle_work_has(work->size, size) && !work->is_cancelled", "settle_work_has(work->size, size)")
    planted("a rebuild that takes over what is cancelled, in random drags", problem_of_random_drags(folder, two, fault)[0])


@pytest.mark.parametrize("worker", ["worker.c", "worker.rs"])
def test_cases(folder, two, worker):
    verify(f"the cases of preparations by {worker}", problem_of_cases(worker, folder, two))


def rust(source, to, two, *options):
    """Why a program over settle.rs does not compile; None if it does."""
    path = to.with_suffix(".rs")
    path.write_text(source)
    return compile_with("rustc", "-g", "--edition", "2024", "-Dwarnings", *options, path, "-C", f"link-arg={two / 'settle.o'}", "-o", to)


def missing_in_rust(text):
    """Functions of settle_window.h and fields of settle_policy that settle.rs lacks, or has in another order."""
    include = ROOT / "CSources/CSettle/include"
    functions = set(re.findall(r"^(?:int|uint64_t|enum \w+) (settle_window_\w+)\(", (include / "settle_window.h").read_text(), re.M))
    assert len(functions) > 7, functions
    fields = re.findall(r"^    uint64_t (\w+);", re.search(r"typedef struct settle_policy \{(.*?)\}", (include / "settle.h").read_text(), re.S).group(1), re.M)
    has = re.findall(r"pub (\w+): u64", re.search(r"pub struct Policy \{(.*?)\n\}", text, re.S).group(1))
    # Declared, and called.
    lacks = [name for name in sorted(functions) if len(re.findall(rf"\b{name}\(", text)) < 2]
    return ", ".join(lacks + ([] if has == fields else [f"the fields {has}"])) or None


def problem_of_rust(folder, two, adapters=ADAPTERS):
    """What the program over settle.rs and settle_worker.rs did wrong; None for nothing."""
    problem = rust((HERE / "window.rs").read_text().replace("ADAPTERS", str(adapters)), folder / "window", two, "-O")
    if problem:
        return problem
    # The library keeps a thread's handle to the end, by a pointer into it.
    done = subprocess.run(["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", folder / "window"],
                          capture_output=True, text=True, timeout=PATIENCE)
    return None if done.returncode == 0 else done.stderr[:600]


def test_rust(folder, two):
    verify("rust: all functions of settle_window.h, and all fields of a policy", missing_in_rust((ADAPTERS / "settle.rs").read_text()))
    verify("rust: previews, live builds, a worker's builds, failures, sizes of the program's own, invalid events",
           problem_of_rust(folder, two))


DIALECTS = {"c": ("c99", "c11", "c2x"), "c++": ("c++11", "c++17", "c++20", "c++23")}
PEDANTIC = [*STRICT, "-pedantic", "-Wshadow", "-Wconversion"]


def problem_of_dialect(header, language, dialect, two):
    """Why a program of a dialect cannot include a header without a warning; None if it can."""
    libraries = PROGRAMS.get(header.stem.removeprefix("settle_"), PROGRAMS["gtk3"])[0]
    # Of the toolkits' own headers nothing is asked.
    flags = [re.sub("^-I", "-isystem", flag) for flag in flags_of(libraries)]
    more = ["-Wdeclaration-after-statement"] if language == "c" else ["-fPIC"]
    program = two / f"include.{language}"
    program.write_text(f'#include "{header}"\n')
    return compile_with("cc" if language == "c" else "c++", f"-std={dialect}", "-fsyntax-only", *PEDANTIC, *more, f"-I{two}", *flags, "-x", language, program)


def test_without_x11(two, folder):
    """A program links without libxcb; not so with X11's buttons."""
    def problem(*options):
        return compile_with("cc", "-D_GNU_SOURCE", *options, f"-I{two}", f"-I{ADAPTERS}", ROOT / "Sources/Examples/Toolkits/sdl2.c",
                            two / "settle.o", *words_of("pkg-config", "--cflags", "--libs", "sdl2"), "-o", folder / "sdl2")
    assert problem("-DSETTLE_NO_X11") is None
    assert "xcb" in problem()


def test_dialects(two):
    """The adapters in each dialect of C, by its strict name, and of C++."""
    for header in sorted(ADAPTERS.glob("*.h")):
        # Qt is C++17.
        dialects = {"c++": ("c++17", "c++20", "c++23")} if "qt6" in header.name else DIALECTS
        found = [f"{each}: {problem}" for language, names in dialects.items() for each in names
                 if (problem := problem_of_dialect(header, language, each, two))]
        verify(f"{header.name} is {', '.join(each for names in dialects.values() for each in names)}", "\n".join(found) or None)
    late = two / "planted.h"
    late.write_text('#include "settle.h"\nstatic inline int planted(void) { f: ; if (0) goto f; int late = 1; return late; }\n')
    planted("a declaration after a statement", problem_of_dialect(late, "c", "c99", two))


def problem_of_snippet(snippet, folder, two, adapters=ADAPTERS):
    """Why a snippet does not compile; None if it does."""
    if snippet.frame not in snippets.FRAMES:
        return "snippets.py has no frame for it"
    libraries, text = snippets.FRAMES[snippet.frame][0], snippets.program(snippet)
    # The snippet uses a part of the library, and its frame more than some snippets.
    if libraries == "rust":
        path = folder / f"snippet_{snippet.name.replace(':', '_').replace('.', '_')}"
        modules = "".join(f'#[path = "{adapters}/{each}.rs"]\nmod {each};\n' for each in ("settle", "settle_worker"))
        return rust(modules + text, path, two, "-Adead_code", "-Aunreachable_code", "-Aunused_variables")
    is_cplusplus = libraries in ("c++", "Qt6Widgets")
    path = (folder / "snippet").with_suffix(".cpp" if is_cplusplus else ".c")
    path.write_text(text)
    compiler = ["c++", "-std=c++17", "-fPIC"] if is_cplusplus else ["cc", "-D_GNU_SOURCE"]
    flags = flags_of(libraries) if libraries not in ("c++", "windows") else []
    if libraries == "windows":
        compiler = ["clang", "--target=x86_64-w64-mingw32", "-isystem", "/usr/x86_64-w64-mingw32/include"]
    return compile_with(*compiler, "-fsyntax-only", *STRICT, "-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
                        f"-I{two}", f"-I{adapters}", *flags, path)


def test_snippets(folder, two):
    (two / "settle_window.h").write_text('#include "settle.h"\n')
    guide = [each for path in sorted((ROOT / "docs/guide").glob("toolkits*.md")) for each in snippets.guide_snippets(path.read_text(), path.name)]
    # What two adapters share has no example.
    headers = [path for path in sorted(ADAPTERS.iterdir()) if path.name != "settle_glib.h"] + [ROOT / "CSources/CSettle/include/settle_window.h"]
    report("the guide has snippets", len(guide) >= 7, len(guide))
    for snippet in guide + [snippets.comment_snippet(path) for path in headers]:
        verify(f"the snippet of {snippet.name} compiles", problem_of_snippet(snippet, folder, two))


def problem_of_patch(name, patch, folder, two):
    """Why an example, or the example without the guide's patch, does not compile; None if both do."""
    source = EXAMPLES / name
    try:
        texts = {"with": source.read_text(), "without": snippets.unpatched(source.read_text(), patch)}
    except ValueError as error:
        return str(error)
    for how, text in texts.items():
        path = folder / f"{how}-{name}"
        path.write_text(text)
        compiler = ["c++", "-std=c++17", "-fPIC"] if path.suffix == ".cpp" else ["cc", "-D_GNU_SOURCE"]
        problem = compile_with(*compiler, "-fsyntax-only", *STRICT, "-Wno-unused-parameter", f"-I{two}", f"-I{ADAPTERS}", f"-I{EXAMPLES}", path,
                               *flags_of(PROGRAMS[source.stem][0]))
        if problem:
            return f"{how} the patch: {problem}"
    return None


def test_patches(folder, two):
    """The guide's patches are what the examples have, and without them there are programs."""
    found = snippets.patches(GUIDE.read_text())
    assert sorted(found) == ["gtk3.c", "qt6.cpp", "sdl2.c", "wayland.c", "x11.c"], found
    for name, patch in found.items():
        verify(f"{name} compiles with the guide's patch, and without it", problem_of_patch(name, patch, folder, two))
    planted("a patch whose line is not in its program", problem_of_patch("gtk3.c", found["gtk3.c"].replace("+#include", "+#includes"), folder, two))


def test_cmake(folder, two):
    """The guide's lines for CMake build a program in C++; with C++ alone, as the guide says, they do not."""
    lines = re.search(r"^```cmake\n(.*?)^```$", GUIDE.read_text(), re.M | re.S).group(1)
    program = '#include "settle_x11.h"\nint main() { settle_window window; settle_x11 x11; return settle_x11_open(&x11, nullptr) < settle_window_init(&window, nullptr); }\n'
    for languages, is_right in (("C CXX", True), ("CXX", False)):
        below = folder / languages.replace(" ", "-")
        below.mkdir()
        for path in (two / "settle.h", two / "settle.c", ADAPTERS / "settle_x11.h"):
            shutil.copy(path, below)
        (below / "viewer.cpp").write_text(program)
        (below / "CMakeLists.txt").write_text(lines.replace("LANGUAGES C CXX", f"LANGUAGES {languages}"))
        assert compile_with("cmake", "-S", below, "-B", below / "build") is None
        problem = compile_with("cmake", "--build", below / "build")
        report(f"cmake builds it with LANGUAGES {languages}: {is_right}", (problem is None) == is_right, problem)


# Faults of the workers, which the cases of preparations find.
WORK_FAULTS = {
    "a rebuild takes over what is cancelled": ("worker.c", "settle_work_has(work->size, size) && !work->is_cancelled", "settle_work_has(work->size, size)"),
    "a preview takes the last one's report": ("worker.c", "        work->phase = SETTLE_WORK_BUILDING;\n        work->is_cancelled = true;\n        return;", "        return;"),
    "what a cancelled build made stays": ("worker.c", "if (worker->work.phase == SETTLE_WORK_IDLE) settle_worker_free_kept(worker);", ""),
    "a change of size cancels nothing in Rust": ("worker.rs", "self.is_cancelled |= self.phase == Phase::Preparing && self.size != size;", ""),
    "a cancelled build is kept in Rust": ("worker.rs", "match is_done && !is_cancelled {", "match is_done {"),
}

# Faults of adapters: what finds each, the file, its lines and what stands in their place.
FAULTS = {
    "a build that is freed is updated": ("gtk3", "adapter 1", "settle_glib.h", "if (!settle->is_freed) settle", "settle"),
    "a build frees what runs it": ("gtk3", "window 1", "settle_glib.h", "(settle_glib *)g_rc_box_acquire(pointer)", "(settle_glib *)pointer"),
    "what is freed in a build stays": ("gtk4", "both 1", "settle_glib.h", "    g_rc_box_release(settle);\n    return G_SOURCE_REMOVE", "    return G_SOURCE_REMOVE"),
    "GTK builds within the size event": ("gtk3", "order 0", "settle_glib.h", "&settle->window, width, height);\n    settle_glib_update(settle)",
                                         "&settle->window, width, height);\n    settle_glib_turn(settle)"),
    "previews of GTK are dropped": ("gtk4", "drag 0", "settle_glib.h", "? settle->preview", "? NULL"),
    "Qt's watch is used once it is deleted": ("qt6-window", "adapter 1", "settle_qt6.h", "if (alive) update()", "update()"),
    "Qt builds within the size event": ("qt6-window", "order 0", "settle_qt6.h", "size.height());\n        update();", "size.height());\n        turn();"),
    "Qt's window is private": ("qt6-window", None, "settle_qt6.h", "    settle_window window;", "  private:\n    settle_window window;\n\n  public:"),
}


def faulty(folder, file, line, fault):
    """A copy of the adapters with a fault."""
    below = folder / "adapters"
    shutil.copytree(ADAPTERS, below)
    text = (below / file).read_text()
    assert text.count(line) == 1, (file, line)
    (below / file).write_text(text.replace(line, fault))
    return below


@pytest.mark.parametrize("name", FAULTS)
def test_planted(folder, two, name):
    program, case, *fault = FAULTS[name]
    problem = compile_watched(program, two, folder / program, faulty(folder, *fault))
    if case:
        assert not problem, problem
        with Desktop(folder, environment=X11_ENVIRONMENT) as desktop:
            problem = problem_of_run(desktop, folder / program, case)
    planted(name, problem)


@pytest.mark.parametrize("name", WORK_FAULTS)
def test_planted_work(folder, two, name):
    worker, *fault = WORK_FAULTS[name]
    planted(name, problem_of_cases(worker, folder, two, faulty(folder, f"settle_{worker}".replace(".c", ".h"), *fault)))


def test_planted_lines(folder, two):
    planted("a function of settle_window.h that settle.rs lacks", missing_in_rust((ADAPTERS / "settle.rs").read_text().replace("settle_window_flush", "flush")))
    wrong = snippets.Snippet("planted", "settle_sdl2.h", "settle_sdl2 settle;\nsettle_window_finished(&settle.hidden, 1, 1);\n")
    planted("a snippet that does not compile", problem_of_snippet(wrong, folder, two))
    planted("a snippet that has no frame", problem_of_snippet(next(snippets.guide_snippets("```c\nint x;\n```\n")), folder, two))
