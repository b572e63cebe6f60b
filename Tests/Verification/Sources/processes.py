"""Waiting for what other processes do, ending them, and running them without libraries."""
import os
import signal
import subprocess
import time

PATIENCE = 60  # seconds until a wait counts as failed; no measure of speed

# A check that was started in the background, as by nohup, ignores these, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def wait_for(what, condition):
    """The first true result of the condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise TimeoutError(f"no {what} within {PATIENCE} s")


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


def loaded_files(library):
    """Where the loader finds a library."""
    lines = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [os.path.realpath(line.split(" => ")[1]) for line in lines if line.split()[:1] == [library]]


def without(*files):
    """The words before a command for which these files are empty, in a mount namespace of its own. Only root can."""
    binds = "".join(f'mount --bind /dev/null "{file}" && ' for file in files)
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", binds + 'exec "$@"', "sh"]
