"""How `settle run` ends, stops and fails, and what is left then; and drags in an xterm. For terminal.py."""
import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import termios
import time

from terminals import SETTLE, SLOW, Terminal, children, content, emptied, folder, is_alive, report, run, script, until
from x11_desktop import start_server


# Ends


def running(command, prepare=lambda: None, keep=True):
    """A terminal in which the slow program has drawn, and its settle's descendants."""
    log = emptied("redraws")
    terminal = Terminal(command, prepare=prepare, keep=keep)
    until(lambda: terminal.look(0.01) and children(terminal.process) and len(children(terminal.process)) >= 2 and content(log))
    return terminal, children(terminal.process)


def check_kills(tmux):
    log = os.path.join(folder, "redraws")
    slow = run(sys.executable, SLOW, log)
    for who, index in (("the program", 1), ("the session's leader", 0)):
        terminal, family = running(slow)
        was_raw = not terminal.is_restored()
        os.kill(family[index], signal.SIGKILL)
        status = terminal.end()
        gone = until(lambda: not any(map(is_alive, family)))
        report(f"kill -9 of {who}: status 137, modes restored, nothing left",
               status == 137 and was_raw and terminal.is_restored() and gone, f"status {status}")
        terminal.close()
    terminal, family = running(slow)
    os.kill(terminal.process, signal.SIGKILL)
    status = terminal.end()
    gone = until(lambda: not any(map(is_alive, family)))
    raw = not terminal.is_restored()
    subprocess.run(["stty", "sane"], stdin=terminal.program, check=True)
    canonical = termios.tcgetattr(terminal.program)[3] & termios.ICANON
    report("kill -9 of settle: the program ends, and stty sane restores the modes", status == -9 and gone and raw and canonical)
    terminal.close()
    terminal, family = running(slow, keep=False)
    terminal.hang_up()
    status = terminal_status(terminal)
    gone = until(lambda: not any(map(is_alive, family)))
    report("a terminal that closes: settle ends with status 3, nothing left", status == 3 and gone, f"status {status}")
    terminal.close()
    window = tmux.window(slow)
    server = tmux.process()
    pane = int(tmux("display-message", "-p", "-t", window, "#{pane_pid}"))
    until(lambda: len(children(pane)) >= 2)
    family = [pane, *children(pane)]
    os.kill(server, signal.SIGKILL)
    report("kill -9 of the tmux server: nothing is left", len(family) >= 3 and until(lambda: not any(map(is_alive, family))),
           f"{len(family)} processes")


def terminal_status(terminal):
    def has_ended():
        if terminal.status is None:
            process, status = os.waitpid(terminal.process, os.WNOHANG)
            if process:
                terminal.status = os.waitstatus_to_exitcode(status)
        return terminal.status is not None
    until(has_ended)
    return terminal.status


def check_signals():
    for name in ("INT", "TERM", "HUP", "QUIT"):
        terminal = Terminal(run("sh", "-c", f"trap 'echo got {name}; exit 5' {name}; echo ready; while :; do sleep 0.02; done"))
        terminal.sees(b"ready")
        os.kill(terminal.process, getattr(signal, "SIG" + name))
        status = terminal.end()
        report(f"SIG{name} is passed to the program", status == 5 and b"got " + name.encode() in terminal.shown and terminal.is_restored(),
               f"status {status}")
        terminal.close()
    for name, number in (("ABRT", 6), ("SEGV", 11), ("USR1", 10)):
        terminal, family = running(run(sys.executable, SLOW, os.path.join(folder, "redraws")))
        os.kill(terminal.process, getattr(signal, "SIG" + name))
        status = terminal.end()
        report(f"settle ended by SIG{name}: the modes are restored and the program ends",
               status == -number and terminal.is_restored() and until(lambda: not any(map(is_alive, family))), f"status {status}")
        terminal.close()


def check_jobs():
    # In bash: terminal_edges says what Ctrl-Z may do to dash.
    program = "trap 'echo continued; stty size' CONT; echo ready; while :; do sleep 0.05; done"
    for name, command, after in (
            ("cat", "cat", b""), ("vim", "vim -u NONE -n", b""), ("a script", "bash " + script("job.sh", program), b"continued")):
        shell = Terminal(["bash", "--norc", "-i"], prepare=lambda: os.environ.update(PS1="prompt> "))
        shell.sees(b"prompt> ")
        shell.type(f"{SETTLE} run -- {command}\r".encode())
        until(lambda: shell.look(0.05) is not None and len(children(shell.process)) >= 3)
        shell.look(0.5)
        shell.type(b"\x1a")
        stopped = shell.sees(b"Stopped", 10)
        shell.resize(30, 90)
        shell.type(b"stty -a | grep -o ' icanon'\r")
        canonical = shell.sees(b" icanon\r\n", 10)
        shell.type(b"fg\r")
        shell.look(0.8)
        resumed = after in shell.shown
        prompts = shell.shown.count(b"prompt> ")
        shell.type({"cat": b"more\r\x04", "vim": b"\033:q!\r"}.get(name, b"\x03"))
        # What is typed before a program has ended is the program's.
        until(lambda: shell.look(0.05).count(b"prompt> ") > prompts)
        shell.type(b"echo status=$?; stty -a | grep -o ' icanon'\r")
        ended = shell.sees(b"status=130\r" if name == "a script" else b"status=0\r", 10)
        report(f"Ctrl-Z and fg of {name}", stopped and canonical and resumed and ended,
               f"stopped {stopped}, modes {canonical}, continued {resumed}, ended {ended}")
        shell.close()


# X11


def held_drag(*before):
    """Drags an xterm's corner, holds still for longer than any quiet time, and releases.

    The words `before` stand before the command.

    Returns the redraws while the button was held, those in all, and the decisions of the recording.
    """
    # A window of before openbox' start has ended may not be managed: then nothing resizes it.
    log, recording, started = map(emptied, ("x11-redraws", "x11.settle", "started"))
    server, display = start_server(["Xvfb"], pathlib.Path(folder), "-screen", "0", "1280x1024x24")
    environment = {**os.environ, "DISPLAY": display}
    quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    programs = [subprocess.Popen(["openbox", "--startup", f"touch {started}"], **quiet)]
    xdo = lambda *words: subprocess.run(["xdotool", *map(str, words)], env=environment, capture_output=True, text=True).stdout
    geometry = lambda: xdo("search", "--onlyvisible", "--class", "xterm", "getwindowgeometry")
    count = lambda: len(content(log).splitlines())
    try:
        until(lambda: os.path.exists(started))
        command = [*before, *run(sys.executable, SLOW, log, options=["--record", recording])]
        programs.append(subprocess.Popen(["xterm", "-geometry", "80x24+100+100", "-e", *command], **quiet))
        until(lambda: count() == 1 and "Geometry" in geometry())
        # In the lower right of the window, whose smallest size is 480 by 300 pixels. Openbox resizes it with Alt.
        x, y = 480, 350
        xdo("mousemove", x, y, "keydown", "alt", "mousedown", 3)
        for step in range(1, 61):
            xdo("mousemove", x + 4 * step, y + 3 * step)
        time.sleep(1.5)
        held = count() - 1
        xdo("mouseup", 3, "keyup", "alt")
        until(lambda: count() > held + 1, 5)
        time.sleep(1)
        redraws = count() - 1
        xdo("key", "q")
        with contextlib.suppress(subprocess.TimeoutExpired):
            programs[1].wait(5)
    finally:
        for process in [*reversed(programs), server]:
            process.kill()
            process.wait()
    lines = subprocess.run([SETTLE, "replay", "--decisions", "-", recording], capture_output=True).stdout.splitlines()
    return held, redraws, [json.loads(line) for line in lines]


def is_exact(held, redraws, decisions):
    """Whether nothing was redrawn in the hand, and once after the release, as the button said."""
    reasons = [decision.get("reason") for decision in decisions if decision["kind"] == "rebuild"]
    return held == 0 and redraws == 1 and reasons == ["first", "interactionEnded"]


def check_x11():
    held, redraws, decisions = held_drag()
    ends = [decision["t_ns"] for decision in decisions if decision["kind"] == "interactionEnded"]
    last = decisions[-1]["t_ns"] if decisions else 0
    report("an xterm dragged and held still for 1.5 s: redraws in the hand, and in all", is_exact(held, redraws, decisions),
           f"{held}, {redraws}, {(last - ends[-1]) / 1e6 if ends else None} ms after the release")
    planted = held_drag("env", "-u", "WINDOWID")
    report("planted: a run that does not see the button is found", not is_exact(*planted), f"{planted[0]}, {planted[1]}")


# Faults


def check_faults():
    log = os.path.join(folder, "redraws")
    closed = subprocess.run(run("vim"), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    report("without a terminal it says what to do", closed.returncode == 3 and "run vim without settle" in closed.stderr,
           closed.stderr.strip())
    missing = Terminal(run("no-such-program"))
    status = missing.end()
    report("a program that is missing is named", status == 3 and b"cannot start 'no-such-program': No such file" in missing.shown
           and missing.is_restored(), missing.shown.decode().strip())
    missing.close()
    piped = Terminal(["sh", "-c", f"echo through a pipe | {SETTLE} run -- less"])
    report("standard input that is no terminal is the program's", piped.sees(b"through a pipe"))
    piped.type(b"q")
    report("and its keys are the terminal's", piped.end() == 0)
    piped.close()
    small = os.path.join(folder, "small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], capture_output=True).returncode == 0:
        prepare = lambda: None
    else:
        # No right to mount: a limit of the size of files has the same effect.
        prepare = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        recording = os.path.join(small, "log.settle")
        full, _ = running(run(sys.executable, SLOW, log, options=["--record", recording]), prepare=prepare)
        with contextlib.suppress(OSError), open(os.path.join(small, "filler"), "wb", 0) as file:
            while True:
                file.write(bytes(512))
        # More than the last page of the recording has room for.
        for change in range(3000):
            full.resize(24, 80 + change % 7)
            full.look(0.001)
        # Until the recording has failed.
        full.look(2)
        full.resize(24, 120)
        goes_on = until(lambda: full.look(0.01) is not None and content(log).endswith(b"120 24\n"))
        full.type(b"q")
        status = full.end()
        report("on a full disk the program goes on, and settle says so in the end",
               goes_on and status == 3 and b"cannot write" in full.shown and b"came later, not recorded" in full.shown
               and full.is_restored(),
               full.shown[full.shown.rfind(b"settle:"):].decode().strip())
        report("the recording is whole up to there", subprocess.run([SETTLE, "validate", recording], capture_output=True).returncode == 0)
        full.close()
    finally:
        subprocess.run(["umount", small], capture_output=True)
