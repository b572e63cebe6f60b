"""What happens to live sources when a disk is full, a reader stops, descriptors run out, or a library or its headers
are absent. Only root can mount a small disk and hide libraries: without it these are not tried, which is said."""
import contextlib
import os
import re
import signal
import subprocess

import pytest
from desktop import Desktop, Observer, Watch, Window, start_weston
from results import planted, report, verify
from support import (
    DEMO, EVERY_CHANGE, PATIENCE, RECORDING, ROOT, SETTLE, content, decisions_problem, end_problem, events_of, json_lines, log_problem,
    replayed, settle, sizes_of, sizes_problem, small_disk, until, wait_for, without)
from terminals import SLOW, Terminal, run
from wayland_peers import SCENE, Compositor, configure

DECISIONS_WAITING_MAX = 65_536
PACKAGES = {"libxcb.so.1": "libxcb1", "libxcb-xinput.so.0": "libxcb-xinput0", "libxcb-randr.so.0": "libxcb-randr0"}
needing_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount and hide files")
ALL_LIBRARIES = (*PACKAGES, "libncursesw.so.6", "libvterm.so.0", "libwayland-client.so.0")


# Full disks

def size_at(step):
    return 300 + step % 300, 200 + step % 170


def fill_while(change, log, fill, has_noticed):
    """Changes sizes until some are recorded, and then on a full disk until that is noticed."""
    wait_for("beginning of the recording", lambda: sizes_of(log))
    size = log.stat().st_size
    wait_for("recorded sizes", lambda: (change(), log.stat().st_size > size)[1])
    fill()
    wait_for("end of a recording on a full disk", lambda: (change(), has_noticed())[1])


def verify_full(name, log, scene, sizes, status, said):
    recorded = sizes_of(log, scene)
    verify(f"{name} on a full disk: status 3, and the cause is said",
           end_problem(status, 3, said, "cannot write", "No space left", str(log)))
    verify(f"{name} on a full disk: the log is whole up to there", log_problem(log) or sizes_problem(recorded, sizes[:len(recorded)]),
           f"{len(recorded)} of {len(sizes)} sizes")


def before_last_event(decisions, log):
    """The lines of the decisions before the log's last event."""
    last = events_of(log)[-1]["t_ns"]
    return "".join(line for line in decisions.splitlines(True) if json_lines(line)[0]["t_ns"] < last)


@needing_root
def test_desktops(folder):
    for name, words in (("watch --record", ["watch", *EVERY_CHANGE, "--record"]),
                        ("record --x11", ["record", "--flush-interval", "100ms", "--x11"])):
        log = folder / words[0] / "log.settle"
        with small_disk(log.parent) as fill, Desktop(folder) as desktop:
            window, step = Window(desktop, "resized"), 0
            observer = Observer(desktop.display, window)
            watch = Watch(desktop, *words, log)

            def change():
                nonlocal step
                for _ in range(100):
                    step += 1
                    window.resize(*size_at(step))
                window.size()
            fill_while(change, log, fill, lambda: watch.process.poll() is not None)
            observer.read()
            verify_full(name, log, window.name, observer.sizes, watch.process.wait(PATIENCE), watch.said())
            if words[0] == "watch":
                live, again = (before_last_event(text, log) for text in (watch.printed(), replayed(log, *EVERY_CHANGE)))
                verify("its replay gives what was printed until then", decisions_problem(live, again), f"{live.count(chr(10))} decisions")
                planted("a decision left out", decisions_problem(live[live.index("\n") + 1:], again))


@needing_root
def test_apps(folder):
    """An app goes on without its recording."""
    for name, words in (("watch --record -- APP", ["watch", "--record"]), ("record -- APP", ["record", "--flush-interval", "100ms"])):
        log = folder / words[0] / "log.settle"
        with small_disk(log.parent) as fill, Compositor(folder) as compositor:
            process, connection = compositor.run_window([*words, log])
            connection.sendall(configure(400, 300))
            sent = [(400, 300)]

            def change():
                for _ in range(100):
                    sent.append(size_at(len(sent)))
                    connection.sendall(configure(*sent[-1]))
            fill_while(change, log, fill, lambda: "; the app goes on" in compositor.said())
            # What the compositor sends afterwards reaches the app, which ends as it wishes.
            change()
            report(f"{name} on a full disk: the app goes on", process.poll() is None)
            connection.close()
            verify_full(name, log, SCENE, sent, process.wait(PATIENCE), compositor.said())
    drawn, log = folder / "drawn", folder / "run" / "log.settle"
    with small_disk(log.parent) as fill, Terminal(run(*SLOW, drawn, options=["--record", log])) as terminal:
        terminal.until(lambda: content(drawn))
        fill()
        # More than the last page of the recording has room for.
        for change in range(3000):
            terminal.resize(24, 80 + change % 7)
            terminal.look(0.001)
        # Until the recording has failed.
        terminal.look(2)
        terminal.resize(24, 120)
        report("run --record on a full disk: the program goes on", terminal.until(lambda: content(drawn).endswith(b"120 24\n")))
        terminal.type(b"q")
        verify("run --record on a full disk: settle says so in the end, and the log is whole",
               end_problem(terminal.end(), 3, terminal.shown, b"cannot write", b"came later, not recorded")
               or log_problem(log) or (None if terminal.is_restored() else "the modes are not restored"))


# Readers that stop

def flood(compositor, count, *words):
    """An app's window changes so often, with the flag on, then off, while nobody reads the decisions: three for each
    two. The process, the connection, and where the decisions can be read."""
    reading, writing = os.pipe()
    process, connection = compositor.run_window(["watch", *words], stdout=writing)
    os.close(writing)
    # This returns only if the proxy takes it all.
    connection.sendall(b"".join(configure(400 + number % 500, 300, [] if number % 2 else [3]) for number in range(count)))
    return process, connection, reading


def test_stalled(folder):
    count = 200_000
    with Compositor(folder) as compositor:
        process, connection, reading = flood(compositor, count, "--record", compositor.log)
        # Until the proxy has taken the last message, which the recording shows.
        wait_for("whole recording", lambda: len(sizes_of(compositor.log)) == count)
        with open(folder / "decisions", "wb") as file:
            reader = compositor.start(["cat"], stdin=reading, stdout=file)
        os.close(reading)
        report("a reader that let decisions wait: the app goes on, which is said",
               until(lambda: "; the app goes on" in compositor.said()) and process.poll() is None)
        connection.sendall(configure(10, 10))
        connection.close()
        status = process.wait(PATIENCE)
        reader.wait(PATIENCE)
        printed, every = (folder / "decisions").read_text(), replayed(compositor.log)
        lines = printed.count("\n")
        verify("it gets the first decisions and no more, status 3",
               end_problem(status, 3, compositor.said(), f"let {DECISIONS_WAITING_MAX:,} decisions wait")
               or (None if every.startswith(printed) and DECISIONS_WAITING_MAX <= lines < every.count("\n") else "other decisions"),
               f"{lines} of {every.count(chr(10))} decisions")
        recorded = len(sizes_of(compositor.log))
        report("the recording has all sizes all the same", recorded == count + 1, f"{recorded}")
    with Compositor(folder) as compositor:
        process, connection, reading = flood(compositor, 5000)
        process.send_signal(signal.SIGTERM)
        verify("nobody reads: a signal ends it with status 3, and says that decisions are lost",
               end_problem(process.wait(PATIENCE), 3, compositor.said(), "standard output was not read in time"))
        os.close(reading)


# Limits on descriptors

def limits_problem(ends, left):
    """Why runs under limits from the lowest to the highest, each a status and a message, did not end in order."""
    for limit, (status, said) in ends.items():
        if status not in (0, 3) or status == 3 and "oo many open files" not in said:
            return f"{limit} descriptors: status {status}, {said!r}"
    if [ends[limit][0] for limit in (min(ends), max(ends))] != [3, 0]:
        return "the lowest limit suffices, or the highest one does not"
    return f"{left} are left behind" if left else None


def test_descriptors(folder):
    """The other verbs are in DescriptorLimitTests, which needs no display."""
    temporary = folder / "temporary"
    temporary.mkdir(mode=0o700)
    with Desktop(folder) as desktop:
        start_weston(desktop, folder, "--backend=headless-backend.so")
        environment = desktop.environment | {"TMPDIR": str(temporary)}
        # They run until they are stopped; they may not have begun by then, which then is no fault.
        brief = ["timeout", "--preserve-status", "-s", "TERM", "0.4", SETTLE]
        log = temporary / "log.settle"
        for name, words in (("watch", [*brief, "watch"]), ("record --x11", [*brief, "record", "--force", "--x11", log]),
                            ("settle-demo --x11", [DEMO, "--x11", "--seconds", "0.3"]),
                            ("settle-demo --wayland", [DEMO, "--wayland", "--seconds", "0.3"])):
            ends = {}
            # Three are the standard streams, and the system's loader needs one.
            for limit in range(4, 33):
                done = subprocess.run(["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(limit), *map(str, words)], env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
                ends[limit] = done.returncode, done.stderr
            log.unlink(missing_ok=True)
            verify(f"{name} ends in order under every limit on descriptors", limits_problem(ends, os.listdir(temporary)),
                   f"from {next((limit for limit, (status, _) in ends.items() if status == 0), None)} on it runs")
        planted("a crash", limits_problem(ends | {18: (132, "")}, []))


# Libraries that are absent

@needing_root
def test_libraries(folder):
    with Desktop(folder) as desktop, contextlib.ExitStack() as ends:
        log = folder / "missing.settle"

        def tried(name, libraries, words, status, package):
            done = subprocess.run([*without(*libraries), *map(str, words)], capture_output=True, text=True, env=desktop.environment,
                                  timeout=PATIENCE)
            problem = end_problem(done.returncode, status, done.stdout + done.stderr, f"install {package}")
            verify(name, problem, package)
        for library, package in PACKAGES.items():
            for words, status in ((["watch"], 3), (["record", "--x11", log], 3), (["sources"], 0)):
                tried(f"{words[0]} without {library} names its package", [library], [SETTLE, *words], status, package)
            report("and leaves no log", not log.exists())
        for option, package in (("--x11", "Debian's libxcb1"), ("--wayland", "Debian's libwayland-client0")):
            tried(f"settle-demo {option} without its library names its package", ALL_LIBRARIES, [DEMO, option, "--seconds", "1"], 3, package)
        planted("a library that is there", end_problem(0, 0, settle("sources", env=desktop.environment).stdout, "install libxcb1"))
        hidden = subprocess.run([*without(*ALL_LIBRARIES), SETTLE, "replay", RECORDING, "--decisions", "-"], capture_output=True, text=True)
        verify("replay needs none of them", decisions_problem(hidden.stdout, replayed(RECORDING)))
        command = [*without(*ALL_LIBRARIES), *run("sh", "-c", "stty size; exit 5")]
        terminal = ends.enter_context(Terminal(command, environment={"DISPLAY": desktop.display, "WINDOWID": "1"}))
        verify("settle run needs none of them", end_problem(terminal.end(), 5, terminal.shown, b"24 80"))
        compositor = ends.enter_context(Compositor(folder))
        process, connection = compositor.run_window(["watch"], prefix=without(*ALL_LIBRARIES))
        connection.sendall(configure(400, 300))
        wait_for("window", compositor.decisions)
        connection.close()
        verify("watch -- APP needs none of them", end_problem(process.wait(PATIENCE), 0))


# Headers that are absent

TARGETS = ("CDemoWindow", "CTerminal", "CTableScreen", "CWindowSystems")
FUNCTIONS = re.compile(r" (xcb_|wl_|vterm_|wget|newterm|newwin)")
WINDOW_LIBRARIES = re.compile(r"NEEDED.*\[(libxcb|libX11|libwayland|libncurses|libtinfo|libvterm)")
# The changes of an overlay cannot lie on another overlay, which the root of a container is.
HIDE = """
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o "lowerdir=/usr/include,upperdir=$1/upper,workdir=$1/work" /usr/include
rm -rf /usr/include/xcb /usr/include/curses.h /usr/include/ncurses.h /usr/include/wayland-*.h /usr/include/vterm*.h
shift
exec "$@"
"""
OPEN_WINDOWS = """
#include "demo_window.h"
#include <stdio.h>
int main(void) {
    static const demo_window_options options = {"title", 800, 600, 400, 300};
    char message[DEMO_WINDOW_MESSAGE_MAX] = "opened";
    demo_window *window;
    for (int system = DEMO_WINDOW_WAYLAND; system <= DEMO_WINDOW_X11; system++)
        printf("%d %s\\n", demo_window_open(system, &options, &window, message), message);
}
"""


@needing_root
def test_headers(folder):
    """The C sources without the headers of window systems and ncurses, and what the programs link."""
    (folder / "hidden").mkdir()
    (folder / "windows.c").write_text(OPEN_WINDOWS)
    (folder / "needy.c").write_text("#include <xcb/xcb.h>\nvoid *connection;\n")
    hide = ["unshare", "--mount", "bash", "-euo", "pipefail", "-c", HIDE, "bash", folder / "hidden"]
    includes = [f"-I{ROOT}/CSources/{target}/include" for target in TARGETS]

    def command(*words):
        return subprocess.run([*map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={"PATH": os.environ["PATH"]})
    compiler = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", *includes]
    sources = [source for target in TARGETS for source in ROOT.glob(f"CSources/{target}/*.c")]
    done = command(*hide, *compiler, "-c", *sources, "windows.c")
    verify("without headers the C sources compile", end_problem(done.returncode, 0, done.stdout), f"{len(sources)} sources")
    objects = [path.name for path in folder.glob("*.o")]
    done = command("nm", "-u", *objects)
    verify("and refer to no function of the libraries", end_problem(done.returncode, 0, done.stdout)
           or next((line for line in done.stdout.splitlines() if FUNCTIONS.search(line)), None), f"{len(objects)} objects")
    done = command("cc", *objects, "-o", "windows", "-ldl")
    done = done if done.returncode else command("./windows")
    verify("and name the packages with them", end_problem(
        done.returncode, 0, done.stdout, "install Debian's libwayland-dev", "install Debian's libxcb1-dev and libxcb-xinput-dev"))
    planted("a source that needs a header", end_problem(command(*hide, *compiler, "-c", "needy.c").returncode, 0))
    verify("which compiles with headers", end_problem(command(*compiler, "-c", "needy.c").returncode, 0))


def test_links():
    for program in (SETTLE, DEMO):
        done = subprocess.run(["readelf", "-d", program], capture_output=True, text=True)
        found = WINDOW_LIBRARIES.search(done.stdout)
        verify(f"{os.path.basename(program)} links no window system and no ncurses", end_problem(done.returncode, 0, done.stdout, "NEEDED")
               or found and found.group())
