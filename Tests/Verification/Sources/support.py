"""What harnesses share: waiting, processes, `settle` and its recordings, small disks, hidden libraries."""
import atexit
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDING = ROOT / "Tests/Recordings/w06_weston_long.jsonl"
SETTLE = os.path.abspath(os.environ.get("SETTLE", ROOT / ".build/release/settle"))
DEMO = os.path.join(os.path.dirname(SETTLE), "settle-demo")
EVERY_CHANGE = ["--quiet-delay", "0", "--jump-delay", "none"]
PATIENCE = 60  # seconds until a wait counts as failed; no measure of speed
running = []  # processes that are ended with the program, however it ends


@atexit.register
def stop_all():
    for process in reversed(running):
        stop(process)


# Processes

def until(condition, patience=PATIENCE):
    """Waits until a condition holds; whether it did."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def wait_for(what, condition):
    """Waits for something without which a check cannot go on."""
    if not until(condition):
        raise TimeoutError(f"no {what} within {PATIENCE} s")


def steady(take, times, pause, ends=lambda shown: False, counts=lambda shown: True):
    """What is taken once it has been the same so many times in a row and counts, or is one that ends the waiting."""
    last, same = None, 0

    def is_still():
        nonlocal last, same
        before, last = last, take()
        same = same + 1 if last == before and counts(last) else 0
        time.sleep(pause)
        return same >= times or ends(last)
    wait_for("rest", is_still)
    return last


def stop(process, number=signal.SIGTERM):
    """Ends a process that was started here, at last by SIGKILL. Its status."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode


class Processes:
    """Use it in `with`: what it starts is ended, the last first."""

    def __init__(self, environment=None):
        self.environment, self.processes = environment, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)

    def start(self, command, **options):
        silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        process = subprocess.Popen([*map(str, command)], **{"env": self.environment, **silent, **options})
        self.processes.append(process)
        running.append(process)
        return process


def is_alive(pid):
    """Whether a process runs; one that has ended and waits for its parent does not."""
    return content(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] not in ([], [b"Z"], [b"X"])


def children(pid):
    """A process's descendants."""
    direct = [int(word) for word in content(f"/proc/{pid}/task/{pid}/children").split()]
    return direct + [below for child in direct for below in children(child)]


def processor_seconds(pid):
    """Seconds of processor time that a process took so far."""
    fields = content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status_figure(pid, name):
    """A figure of /proc/PID/status."""
    return int(re.search(rf"^{name}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M).group(1))


def content(path):
    """A file's bytes, also before it exists, and of a process that has gone."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(path).read_bytes()
    return b""


def end_problem(status, expected, said="", *words):
    """Why something did not end with a status, and with words in what it has said."""
    missing = [word for word in words if word not in said]
    if status != expected:
        return f"status {status}, expected {expected}{': ' if said else ''}{said}"
    return f"{missing} not in {said!r}" if missing else None


# settle, and its recordings


def settle(*words, **options):
    return subprocess.run([SETTLE, *map(str, words)], capture_output=True, text=True, **options)


def json_lines(text):
    """The objects of whole lines; the last line may not be whole as yet, and an app prints others."""
    return [json.loads(line) for line in text.splitlines(True) if line.startswith("{") and line.endswith("\n")]


def events_of(log):
    return json_lines(settle("cat", log).stdout)[1:]


def sizes_of(log, scene=None):
    return [(e["width"], e["height"]) for e in events_of(log) if "width" in e and scene in (None, e["scene"])]


def replayed(log, *options):
    return settle("replay", log, *options, "--decisions", "-").stdout


def log_problem(log):
    done = settle("validate", log)
    return None if done.returncode == 0 else done.stdout + done.stderr


def decisions_problem(printed, other):
    """Why decisions that were printed are not those of a replay, to the byte."""
    return None if printed == other and printed else f"{printed.count(chr(10))} decisions live, {other.count(chr(10))} replayed, and they differ"


def sizes_problem(found, sizes):
    """Why recorded sizes are not those that were seen or sent."""
    if found == sizes and sizes:
        return None
    first = next((number for number, pair in enumerate(zip(found, sizes)) if pair[0] != pair[1]), min(len(found), len(sizes)))
    return f"{len(found)} sizes in the log, {len(sizes)} outside; the first difference is number {first}"


def play(folder):
    """A program of the sweep's own sources, which plays a log with builds that take time."""
    program, sources = folder / "play", ROOT / "CSources/CSettle"
    if not program.exists():
        subprocess.run(["cc", "-std=c11", "-O2", f"-I{sources}/include", f"-I{sources}/sweep", ROOT / "Tests/Verification/Report/play.c",
                        *(path for part in ("core", "log", "sweep") for path in (sources / part).glob("*.c")), "-o", program], check=True)
    return program


# Small disks and absent libraries, which only root can make

@contextlib.contextmanager
def small_disk(path):
    """A folder on a disk of 64 KB, and a function that fills it."""
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path], check=True)

    def fill():
        with contextlib.suppress(OSError), open(path / "filler", "wb", 0) as file:
            while True:
                file.write(bytes(512))
    try:
        yield fill
    finally:
        subprocess.run(["umount", path], check=True)


def without(*libraries):
    """The words before a command for which these libraries' files are empty, in a mount namespace of its own."""
    lines = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
    files = [os.path.realpath(line.split(" => ")[1]) for line in lines if line.split()[0] in libraries]
    binds = "".join(f'mount --bind /dev/null "{file}" && ' for file in files)
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", binds + 'exec "$@"', "sh"]
