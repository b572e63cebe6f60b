"""A display of its own with settle-demo in it, its pictures, and a hand that drags."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

from processes import PATIENCE, wait_for

DEMO = os.path.join(os.path.dirname(os.path.abspath(os.environ.get("SETTLE", ".build/debug/settle"))), "settle-demo")
BACKGROUND = bytes([0x1C, 0x16, 0x12])  # of the window, as blue, green, red


class Picture:
    """Pixels as rows of blue, green, red."""

    def __init__(self, rows):
        self.rows, self.width, self.height = rows, len(rows[0]) // 3, len(rows)

    def crop(self, x, y, width, height):
        return Picture([row[3 * x:3 * (x + width)] for row in self.rows[y:y + height]])

    def colors(self):
        return len({row[i:i + 3] for row in self.rows for i in range(0, len(row), 3)})


def read_png(path):
    """A PNG of 8-bit RGB whose rows have no filter or the one of the left pixel; checksums verified."""
    data, at, packed = open(path, "rb").read(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body, at = data[at + 8:at + 8 + size], at + 12 + size
        assert struct.unpack(">I", data[at - 4:at])[0] == zlib.crc32(kind + body), f"the checksum of {kind} is wrong"
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
    raw, rows, stride = zlib.decompress(packed), [], 3 * width + 1
    for y in range(height):
        row = bytearray(raw[y * stride + 1:(y + 1) * stride])
        if raw[y * stride]:
            for i in range(3, len(row)):
                row[i] = (row[i] + row[i - 3]) & 255
        row[0::3], row[2::3] = row[2::3], row[0::3]
        rows.append(bytes(row))
    return Picture(rows)


class Display:
    """An X server of its own, and what runs in it."""

    def __init__(self, *screens):
        self.folder = tempfile.mkdtemp(prefix="settle-demo-")
        os.chmod(self.folder, 0o700)
        self.processes = []
        reader, writer = os.pipe()
        words = [word for number, size in enumerate(screens or ["1500x900x24"]) for word in ("-screen", str(number), size)]
        self.server = self.start(["Xvfb", "-displayfd", str(writer), *words, "-noreset"], {}, writer)
        os.close(writer)
        with os.fdopen(reader) as lines:
            number = lines.readline().strip()
        self.environment = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
        self.environment |= {"DISPLAY": f":{number}", "XDG_RUNTIME_DIR": self.folder}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, command, environment=None, *descriptors, **streams):
        streams = streams or {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, pass_fds=descriptors, stdin=subprocess.DEVNULL,
                                   env=self.environment if environment is None else os.environ | environment, **streams)
        self.processes.append(process)
        return process

    def demo(self, *options):
        """Starts settle-demo, and waits until its window stands still."""
        self.shot = os.path.join(self.folder, "shot.png")
        process = self.start([DEMO, "--report", "--force", "--screenshot", self.shot, *options], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        wait_for("window", lambda: self.window() or process.poll() is not None)
        if process.poll() is not None:
            raise ChildProcessError(f"settle-demo ended with {process.returncode}: {process.stderr.read()}")
        self.rest()
        return process

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True)

    def screen(self):
        # xwd fails when a window goes while it looks for windows.
        data = wait_for("dump of the screen", lambda: subprocess.run(
            ["xwd", "-silent", "-root"], env=self.environment, capture_output=True).stdout)
        head = struct.unpack(">25I", data[:100])
        start, width, height, stride = head[0] + 12 * head[19], head[4], head[5], head[12]
        rows = []
        for y in range(height):
            row, line = bytearray(3 * width), data[start + y * stride:start + y * stride + 4 * width]
            for part in range(3):
                row[part::3] = line[part::4]
            rows.append(bytes(row))
        return Picture(rows)

    def window(self):
        """The window's x, y and width on the screen, by its first row of background."""
        screen = self.screen()
        for y, row in enumerate(screen.rows):
            at = row.find(BACKGROUND * 300)
            if at >= 0:
                width = 300
                while row[at + 3 * width:at + 3 * width + 3] == BACKGROUND:
                    width += 1
                return at // 3, y, width
        return None

    def rest(self):
        """Waits until the screen stays the same: no lag meter runs, no rebuild is to come."""
        shots = []

        def is_still():
            shots.append(self.screen().rows)
            time.sleep(0.25)
            # On a busy machine a window may draw nothing for a second.
            return len(shots) >= 8 and all(shot == shots[-1] for shot in shots[-8:])

        wait_for("rest", is_still)

    def drag(self, x, y, *distances, release=True, steps=60):
        """Drags from a place by each distance in turn, each a second on a minimum-jerk path, at 60 Hz."""
        words, origin = ["mousemove", x, y, "mousedown", 1], x
        for distance in distances:
            for step in range(1, steps + 1):
                share = step / steps
                path = share**3 * (10 - 15 * share + 6 * share**2)
                words += ["mousemove", round(origin + distance * path), y, "sleep", 1 / steps]
            origin += distance
        self.xdotool(*words, *(["mouseup", 1, "mousemove", 1, 880] if release else []))


def ended(process):
    """The exit status, the report and standard error of a program that ends."""
    out, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, json.loads(out.splitlines()[-1]) if out.strip() else {}, errors


def processor_time(process):
    """Seconds of processor time that a process took so far."""
    fields = open(f"/proc/{process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wakeups(process):
    """How often the window's thread waited for something so far."""
    lines = open(f"/proc/{process.pid}/task/{process.pid}/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches:"))
