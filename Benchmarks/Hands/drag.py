#!/usr/bin/env python3
"""scripts/bench-drags says what this does, and how it is called."""
import argparse
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Verification/Sources"))
import desktop  # noqa: E402
from support import PATIENCE, ROOT, wait_for  # noqa: E402

WAYS = ["naive", "debounce", "end", "prepared"]
# The window has 700 × 620 pixels at first, so the longest drags of people have room.
SCREEN, WINDOW, START, LEAST = (1500, 1300), (1400, 1250), (700, 620), 140
SUPER_KEY, BUTTON = 133, 3


@dataclass
class Drag:
    moves: list  # (seconds since the press, x, y) from where it began
    released_s: float


def hands(folder):
    """The drags of logs: each from the flag's first event to the one that ends it."""
    paths = sorted(path for path in folder.rglob("*") if path.name.endswith((".jsonl", ".jsonl.gz")))
    found = []
    for path in paths:
        moves, number = [], 0
        try:
            with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
                for event in map(json.loads, lines):
                    number += 1
                    if event.get("resizing"):
                        moves.append((event["t_ns"], event["width"], event["height"]))
                    elif moves and event.get("resizing") is False:
                        t, x, y = moves[0]
                        found.append(Drag([((e[0] - t) / 1e9, e[1] - x, e[2] - y) for e in moves[1:]], (event["t_ns"] - t) / 1e9))
                        moves = []
        except (OSError, EOFError, ValueError, KeyError, AttributeError, TypeError) as error:
            sys.exit(f"bench-drags: {path}, after line {number}: no log of drags in JSON Lines ({error})")
    if not found:
        sys.exit(f"bench-drags: there is no drag with `resizing` in {folder}")
    return found


def generated(count):
    """Drags of the project's own hand."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "scripts/generate-hands", "--own", "--drags", str(count), folder], stdout=subprocess.DEVNULL, check=True)
        return hands(pathlib.Path(folder) / "flag")


def compiled(folder, name="dragged", options=("-O2",)):
    """The program."""
    sources = ROOT / "CSources"
    paths = [ROOT / "Benchmarks/Hands/dragged.c", *(sources / "CDemoWindow").glob("*.c"), *(sources / "CWindowSystems").glob("*.c"),
             *(path for part in ("core", "log", "sweep") for path in (sources / "CSettle" / part).glob("*.c"))]
    includes = [f"-I{sources / each}" for each in ("CSettle/include", "Adapters", "CDemoWindow/include", "CWindowSystems/include")]
    subprocess.run(["cc", "-std=gnu11", *options, "-Wall", "-Wextra", "-Werror", *includes, *paths, "-o", folder / name], check=True)
    return folder / name


class Window:
    """The program in a desktop of its own."""

    def __init__(self, screen, program, system, build_ms):
        self.screen, self.is_wayland = screen, system == "wayland"
        self.process = screen.start([program, system, build_ms], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.size = tuple(map(float, self.line().split()))
        time.sleep(0.5)
        self.corner = self.find_corner()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"dragged ended with status {self.process.wait(PATIENCE)}")
        return line

    def end(self):
        self.process.stdin.close()
        if self.process.wait(PATIENCE) != 0:
            raise RuntimeError(f"dragged ended with status {self.process.returncode}")

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def find_corner(self):
        """The window's upper left corner on the screen; under weston the window is first moved there."""
        if not self.is_wayland:
            window = int(self.screen.xdotool("search", "--onlyvisible", "--name", "^dragged$").split()[-1])
            at = self.screen.core.TranslateCoordinates(window, self.screen.root, 0, 0).reply()
            return at.dst_x, at.dst_y
        box = self.box()
        middle = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2
        self.hold(middle, 1, [(0, -box[0], -box[1])], 0.2)
        return self.box()[:2]

    def box(self):
        """Where the window is on weston's screen."""
        def found():
            picture = self.screen.screen().crop((0, 0, *WINDOW))
            return desktop.distance(picture, desktop.WESTON_BACKGROUND).point(lambda value: 255 * (value > 60)).getbbox()
        self.screen.pointer.move(SCREEN[0] - 5, SCREEN[1] - 5)
        time.sleep(0.3)
        wait_for("a window on weston", found)
        return found()

    def hold(self, at, button, moves, released_s):
        """Presses a button at a place, moves at its times, and releases it."""
        pointer = self.screen.pointer
        pointer.move(*at)
        if self.is_wayland:
            pointer.fake(desktop.KEY_PRESS, SUPER_KEY)
        time.sleep(0.06)
        pointer.button(button, True)
        began = time.monotonic()
        for seconds, x, y in moves:
            time.sleep(max(0, began + seconds - time.monotonic()))
            pointer.move(at[0] + x, at[1] + y)
        time.sleep(max(0, began + released_s - time.monotonic()))
        pointer.button(button, False)
        if self.is_wayland:
            pointer.fake(desktop.KEY_RELEASE, SUPER_KEY)
            self.screen.sync()

    def drag(self, way, drag):
        """Drags the lower right corner, and what the program says of it."""
        width, height = self.size
        at = int(self.corner[0] + width - 20), int(self.corner[1] + height - 20)

        def within(x, y):
            return (max(LEAST - width, min(x, WINDOW[0] - 30 - at[0])), max(LEAST - height, min(y, WINDOW[1] - 30 - at[1])))
        self.say(way)
        time.sleep(0.05)
        self.hold(at, BUTTON, [(t, *map(int, within(x, y))) for t, x, y in drag.moves], drag.released_s)
        self.say("done")
        said = json.loads(self.line())
        self.size = said["width"], said["height"]
        return said

    def measure(self, way, drag):
        said = self.drag(way, drag)
        for _ in range(3):
            back = START[0] - self.size[0], START[1] - self.size[1]
            if back == (0, 0):
                break
            self.drag("rest", Drag([(0.02, *back), (0.04, *back)], 0.08))
        return said


class Weston(desktop.Desktop):
    """weston in a window that fills Xvfb, which is large enough for long drags."""

    def __init__(self, folder):
        super().__init__(folder, None, ("Xvfb", "-screen", "0", "{}x{}x24".format(*SCREEN)))
        self.pointer.move(SCREEN[0] - 5, SCREEN[1] - 5)
        desktop.start_weston(self, folder, "--backend=x11-backend.so", "--use-pixman", f"--width={WINDOW[0]}", f"--height={WINDOW[1]}")
        wait_for("background of weston", lambda: self.screen().getpixel((0, 0)) == desktop.WESTON_BACKGROUND)
        window = next(each for each in self.core.QueryTree(self.root).reply().children
                      if self.core.GetWindowAttributes(each).reply().map_state == 2)
        self.core.SetInputFocus(desktop.xproto.InputFocus.PointerRoot, window, 0)
        self.sync()


def run(folder, program, system, build_ms, ways, drags, tell=lambda text: None):
    """What the program says of each drag in each way."""
    folder.mkdir(mode=0o700)
    start = (lambda: Weston(folder)) if system == "wayland" else (
        lambda: desktop.Desktop(folder, "openbox", ("Xvfb", "-screen", "0", "{}x{}x24".format(*SCREEN))))
    said = {way: [] for way in ways}
    with start() as screen:
        window = Window(screen, program, system, build_ms)
        for number, drag in enumerate(drags):
            # By turns, and each way first as often as the others.
            for way in ways[number % len(ways):] + ways[:number % len(ways)]:
                said[way].append(window.measure(way, drag))
            tell(f"{number + 1} of {len(drags)}")
        window.end()
    return said


def figures(rows):
    """What is printed of one way."""
    after, expected = [row["right_after_ms"] for row in rows], [row["predicted_ms"] for row in rows]
    mean = statistics.mean
    return {"mean": mean(after), "median": statistics.median(after), "predicted": mean(expected),
            "ratio": mean(after) / mean(expected) if mean(expected) > 0 else float("nan"),
            "at_once": mean(value < 1 for value in after), "builds": mean(row["builds"] for row in rows),
            "predicted_builds": mean(row["predicted_builds"] for row in rows), "work_ms": mean(row["work_ms"] for row in rows),
            "cost_ms": mean(row["cost_ms"] for row in rows)}


def problem_of(said):
    """Why a run is not as it must be."""
    faults = []
    for way, rows in said.items():
        right = sum(row["right"] and row["drags"] == 1 for row in rows)
        if right < len(rows):
            faults.append(f"{way}: the last size is shown after {right} of {len(rows)} drags")
        if way in ("end", "prepared") and any(row["wrong"] for row in rows):
            faults.append(f"{way}: a picture is shown for another size than the window's")
        measured, expected = (sum(row[key] for row in rows) for key in ("right_after_ms", "predicted_ms"))
        # Timers and threads wait for the processors.
        if abs(measured - expected) > max(expected / 5, 10 * len(rows)):
            faults.append(f"{way}: right after {measured:.0f} ms, the closed loop says {expected:.0f}")
    total = {way: {key: sum(row[key] for row in rows) for key in ("alike_ms", "builds")} for way, rows in said.items()}
    drags = len(said["end"])
    if total["end"]["builds"] != drags:
        faults.append(f"end: {total['end']['builds']} builds for {drags} drags")
    if not total["naive"]["builds"] > total["debounce"]["builds"] >= drags:
        faults.append(f"naive: {total['naive']['builds']} builds, debounce {total['debounce']['builds']}")
    if not drags <= total["prepared"]["builds"] < total["naive"]["builds"]:
        faults.append(f"prepared: {total['prepared']['builds']} builds, naive {total['naive']['builds']}")
    if not any(row["prepared"] for row in said["prepared"]):
        faults.append("prepared: no rebuild was prepared")
    # With builds that take equally long: on a busy machine those of one way may take twice as long as another's.
    if total["prepared"]["alike_ms"] > total["debounce"]["alike_ms"]:
        faults.append(f"right after {total['prepared']['alike_ms']:.0f} ms prepared, {total['debounce']['alike_ms']:.0f} debounced")
    return "; ".join(faults) or None


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not 1 or more")
    return int(text)


def main():
    options = argparse.ArgumentParser(prog="scripts/bench-drags", allow_abbrev=False)
    options.add_argument("hands", nargs="?", type=pathlib.Path, help="a folder of logs; without it drags are generated")
    options.add_argument("--wayland", action="store_true", help="in weston, otherwise in openbox")
    options.add_argument("--build", type=positive, action="append", metavar="MS", help="what a build takes (30, 100, 200)")
    options.add_argument("--ways", default="debounce,end,prepared", help=f"of {','.join(WAYS)} (debounce,end,prepared)")
    options.add_argument("--drags", type=positive, metavar="N", help="so many of them, evenly")
    options.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes what was measured of each drag")
    words = options.parse_args()
    ways = words.ways.split(",")
    if set(ways) - set(WAYS):
        options.error(f"--ways takes {', '.join(WAYS)}, not {words.ways}")
    if words.hands and not words.hands.is_dir():
        options.error(f"{words.hands} is no folder")
    drags = hands(words.hands) if words.hands else generated(words.drags or 24)
    count = min(words.drags or len(drags), len(drags))
    drags = [drags[number * len(drags) // count] for number in range(count)]
    everything = []
    with tempfile.TemporaryDirectory(prefix="settle-drags-") as name:
        folder = pathlib.Path(name)
        program = compiled(folder)
        system = "wayland" if words.wayland else "x11"
        for build_ms in words.build or [30, 100, 200]:
            said = run(folder / str(build_ms), program, system, build_ms, ways, drags,
                       lambda text: print(f"\r{build_ms} ms: {text} ", end="", file=sys.stderr, flush=True))
            print("\r", end="", file=sys.stderr)
            print_figures(system, build_ms, said)
            everything.append({"system": system, "build_ms": build_ms, "drags": said})
    if words.json:
        words.json.write_text(json.dumps(everything))


def print_figures(system, build_ms, said):
    """A table of the ways, and the differences of the pairs."""
    rows = {way: figures(each) for way, each in said.items()}
    print(f"{system}, builds of {build_ms} ms, {len(next(iter(said.values())))} drags; load {os.getloadavg()[0]:.1f}")
    for way, found in rows.items():
        right = sum(row["right"] and row["drags"] == 1 for row in said[way])
        print("  {:9} right after {mean:6.1f} ms, median {median:6.1f}, the closed loop says {predicted:6.1f} ({ratio:.3f}); at once {at_once:4.0%};"
              " builds {builds:.2f} ({predicted_builds:.2f}), work {work_ms:5.0f} ms; a build took {cost_ms:.1f} ms; {right} right".format(way, right=right, **found))
    if {"debounce", "prepared"} <= set(said):
        pairs = [mine["right_after_ms"] - other["right_after_ms"] for mine, other in zip(said["prepared"], said["debounce"])]
        print(f"  prepared − debounce, by pairs: mean {statistics.mean(pairs):+.1f} ms, median {statistics.median(pairs):+.1f}; "
              f"sooner in {sum(value < -1 for value in pairs)}, later in {sum(value > 1 for value in pairs)} of {len(pairs)}", flush=True)


if __name__ == "__main__":
    main()
