"""How settle and an app behind its Wayland proxy end, for wayland.py."""
import os
import re
import resource
import signal
import subprocess
import time

import wayland_peers as peers
from processes import wait_for
from wayland_checks import read_json_lines, status_problem, verify

SETTLE = os.environ.get("SETTLE", "settle")


def check_launchers():
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "launch", 3)
        connection = compositor.accept()
        peers.receive(connection, len(peers.HELLO))
        connection.sendall(peers.configure(400, 300))
        wait_for("window", lambda: read_json_lines(compositor.output))
        connection.close()
        verify("a launcher that ends before its program connects", status_problem(process.wait(60), 1), "followed")
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "nothing", 0)
        status = process.wait(60)
        text = open(compositor.messages).read()
        verify("an app that never connects", status_problem(status, 0) or (None if "without a connection" in text else text))


def start_deaf(compositor, number):
    """A proxy, and the log into which it has recorded a size, of an app that does not heed its compositor."""
    log = os.path.join(compositor.folder, "log.settle")
    process = compositor.run(SETTLE, ["record", log], "deaf", number)
    connection = compositor.accept()
    peers.receive(connection, len(peers.HELLO))
    connection.sendall(peers.configure(400, 300))
    wait_for("recording", lambda: os.path.exists(log) and os.path.getsize(log) > 0)
    return process, log


def log_problem(log):
    done = subprocess.run([SETTLE, "validate", log], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if done.returncode == 0 else done.stdout


def ask(process, compositor):
    """Sends the first SIGTERM, and waits until the app has it and a second one would not be taken for the same."""
    process.send_signal(signal.SIGTERM)
    wait_for("signal at the app", lambda: os.path.exists(os.path.join(compositor.folder, peers.HEARD)))
    time.sleep(0.2)


def check_stops():
    with peers.Compositor() as compositor:
        process, log = start_deaf(compositor, 1)
        ask(process, compositor)
        verify("an app that ignores SIGTERM goes on", None if process.poll() is None else f"status {process.poll()}")
        process.send_signal(signal.SIGTERM)
        status = process.wait(60)
        verify("a second signal kills it", status_problem(status, 137), str(status))
        left = [name for name in os.listdir(compositor.folder) if name.startswith("settle-")]
        verify("after a second signal the log is whole and no folder is left",
               log_problem(log) or (f"{left} is left" if left else None))


def check_readers():
    """A reader of decisions or acknowledgements that leaves, and a log that cannot be begun."""
    with peers.Compositor() as compositor:
        process, reader = watch_deaf(
            compositor, ["watch", "--quiet-delay", "0", "--quiet-maximum", "0", "--jump-delay", "none"], "decisions")
        ask(process, compositor)
        reader.close()
        compositor.connections[-1].sendall(peers.configure(600, 300))
        time.sleep(1.5)
        verify("a reader that leaves after a signal does not kill the app",
               None if process.poll() is None else f"status {process.poll()}")
        process.send_signal(signal.SIGTERM)
        status, text = process.wait(60), open(compositor.messages).read()
        verify("its failure is the status in the end", status_problem(status, 3) or (None if "Broken pipe" in text else text))
    with peers.Compositor() as compositor:
        log = os.path.join(compositor.folder, "log.settle")
        process, reader = watch_deaf(
            compositor, ["record", "--acknowledge", "--sync", "flush", "--flush-interval", "0", log], "acknowledgements")
        reader.close()
        compositor.connections[-1].sendall(peers.configure(600, 300))
        wait_for("message", lambda: "the app goes on" in open(compositor.messages).read())
        compositor.connections[-1].sendall(peers.configure(700, 300))
        verify("a reader of acknowledgements that leaves is named, and the app goes on",
               None if process.poll() is None else f"status {process.poll()}")
        wait_for("third size", lambda: '"width":700' in subprocess.run([SETTLE, "cat", log], capture_output=True, text=True).stdout)
        ask(process, compositor)
        process.send_signal(signal.SIGTERM)
        status, text = process.wait(60), open(compositor.messages).read()
        verify("the recording goes on, and the failure is the status in the end",
               status_problem(status, 3) or log_problem(log) or (None if "log.settle: 4 events" in text else text))
    with peers.Compositor() as compositor:
        seconds = f"600.{os.getpid()}"
        done = subprocess.run(
            [SETTLE, "record", os.path.join(compositor.folder, "log.settle"), "--", "sleep", seconds],
            env=dict(os.environ, XDG_RUNTIME_DIR=compositor.folder, WAYLAND_DISPLAY="compositor"), timeout=60,
            stderr=subprocess.PIPE, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        left = [pid for pid in os.listdir("/proc") if pid.isdigit() and seconds in command_line(pid)]
        verify("if the log cannot be begun, the app is ended",
               status_problem(done.returncode, 3) or (f"{left} run on: {done.stderr}" if left else None))


def watch_deaf(compositor, verb, what):
    """A proxy whose standard output is a pipe, and its reader, which has got the first line."""
    read, write = os.pipe()
    process = compositor.run(SETTLE, verb, "deaf", 1, stdout=write)
    os.close(write)
    connection = compositor.accept()
    peers.receive(connection, len(peers.HELLO))
    connection.sendall(peers.configure(400, 300))
    reader = os.fdopen(read)
    if not reader.readline():
        raise RuntimeError(f"there are no {what}")
    return process, reader


def command_line(pid):
    try:
        return open(f"/proc/{pid}/cmdline").read()
    except OSError:
        return ""


def check_hostile():
    with peers.Compositor() as compositor:
        process = compositor.run(SETTLE, ["watch"], "nonsense", 0)
        connection = compositor.accept()
        expected = peers.HELLO + b"\x08\0\0\0\x02\0\x03\0abcdefg" + peers.message(99, 5, b"more")
        data = peers.receive(connection, len(expected))
        connection.sendall(peers.message(99, 4))
        status = process.wait(60)
        text = open(compositor.messages).read()
        problem = None if data == expected else "the bytes are changed"
        verify("a malformed message passes, and its client goes on", problem or status_problem(status, 0))
        verify("a malformed message is named once", None if text.count("malformed") == 1 else text)
    with peers.Compositor() as compositor:
        process, log = start_deaf(compositor, 0)
        compositor.end()
        status = process.wait(60)
        text = open(compositor.messages).read()
        number = re.search(r"\(process (\d+)\) runs on", text)
        if number:
            os.kill(int(number.group(1)), signal.SIGKILL)
        verify("an app that goes on without a compositor is named", None if number else text)
        verify("an app that goes on without a compositor: status", status_problem(status, 3), str(status))
        verify("an app that goes on without a compositor: the log is whole", log_problem(log))
