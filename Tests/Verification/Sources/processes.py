"""Waiting for what other processes do, and ending them."""
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
