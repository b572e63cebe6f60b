"""What `settle run` does when a terminal, a program or an X server is slow, absent or in the background. For terminal.py."""
import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import termios
import time

from processes import stop
from terminals import SETTLE, SLOW, Terminal, children, content, emptied, folder, report, run, script, until
from x11_desktop import start_server
from x11_relay import Relay

# Reads a paste, of which it leaves the most waiting for 2.5 s, until QUIT.
PASTED = script("pasted.py", """
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"\\033[?2048h\\033[?2004hready")
seen = paused = 0
with open(sys.argv[1], "ab", 0) as log:
    while True:
        keys = os.read(0, 65536)
        log.write(keys)
        seen += len(keys)
        if seen > 100_000 and not paused:
            paused = 1
            time.sleep(2.5)
        if b"QUIT" in keys or not keys: break
""")


def resized_to(rows, columns):
    return b"\033[48;%d;%d;0;0t" % (rows, columns)


def check_pastes():
    """A size settles within a paste that the program, and then the terminal, leaves waiting."""
    log = emptied("pasted")
    terminal = Terminal(run(sys.executable, PASTED, log))
    terminal.sees(b"ready")
    terminal.type(resized_to(24, 80))
    until(lambda: terminal.look(0.01) is not None and content(log) == resized_to(24, 80))
    first, rest = b"\033[200~" + b"line of text\r" * 40_000, b"line of text\r" * 1000 + b"\033[201~"
    terminal.type(first[:50_000])
    terminal.resize(40, 120)
    terminal.type(resized_to(40, 120))
    terminal.type(first[50_000:])
    terminal.look(1.5)
    terminal.type(rest)
    wanted = resized_to(24, 80) + first[:50_000] + resized_to(40, 120) + first[50_000:] + rest + resized_to(40, 120)
    is_whole = until(lambda: terminal.look(0.01) is not None and content(log) == wanted)
    # The terminal's own, in the middle, is a part of what was pasted.
    report("a paste of 520 kB that both sides leave waiting is not torn by a report", is_whole, f"{len(content(log))} bytes")
    terminal.type(b"QUIT")
    terminal.end()
    terminal.close()


def shell():
    result = Terminal(["bash", "--norc", "-i"], prepare=lambda: os.environ.update(PS1="prompt> "))
    result.sees(b"prompt> ")
    return result


def check_background():
    """A job that is started, or continued, in the background writes; in the foreground it reads."""
    # No loop in dash: a Ctrl-Z between its vfork and the child's exec hangs both, in any terminal.
    ticks = script("ticks.py", """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
while True:
    time.sleep(0.05)
    print("tick", flush=True)
""")
    for name, begin in (("&", b" &\r"), ("Ctrl-Z and bg", b"\r")):
        terminal = shell()

        def writes():
            count = terminal.look().count(b"tick")
            return until(lambda: terminal.look(0.01).count(b"tick") > count + 5)

        def leaves_terminal():
            terminal.type(b"stty -a | grep -o ' icanon'; echo typed=$((1+1))\r")
            return terminal.sees(b"typed=2") and b" icanon\r\n" in terminal.shown

        def is_in_front():
            terminal.resize(31, 91)
            terminal.type(b"fg\r")
            job = children(terminal.process)[0]
            return until(lambda: terminal.look(0.02) is not None and os.tcgetpgrp(terminal.user) == os.getpgid(job))

        def is_raw():
            # The shell's own modes are raw as well: this comes after the shell has left the front.
            return until(lambda: terminal.look(0.02) is not None and not termios.tcgetattr(terminal.program)[3] & termios.ICANON)

        def reads():
            prompts = terminal.shown.count(b"prompt> ")
            terminal.type(b"\x03")
            until(lambda: terminal.look(0.05).count(b"prompt> ") > prompts)
            terminal.type(b"echo status=$?\r")
            return terminal.sees(b"status=130\r", 10)

        def stops():
            terminal.type(b"\x1a")
            return terminal.sees(b"Stopped")

        def continues():
            terminal.type(b"bg\r")
            return terminal.sees(b" &\r\n")

        terminal.type(f"{SETTLE} run -- {sys.executable} {ticks}".encode() + begin)
        begins = [writes, stops, continues] if begin == b"\r" else []
        steps = [*begins, writes, leaves_terminal, is_in_front, is_raw, writes, reads]
        # The first step that fails ends the check.
        failed = next((step.__name__ for step in steps if not step()), None)
        report(f"a job that runs in the background by {name} writes, leaves the terminal to the shell, and reads after fg",
               failed is None, f"not: {failed}, {terminal.shown[-300:]}" if failed else "")
        terminal.close()


def check_signals_without_reader():
    for name in ("TERM", "HUP", "INT"):
        terminal = Terminal(run("cat", "/dev/zero"))
        until(lambda: len(children(terminal.process)) >= 2 and not terminal.is_restored())
        # Once the terminal takes no more, until nobody reads for ever.
        time.sleep(0.5)
        os.kill(terminal.process, getattr(signal, "SIG" + name))
        ended = until(lambda: os.waitid(os.P_PID, terminal.process, os.WEXITED | os.WNOWAIT | os.WNOHANG), 10)
        restored = terminal.is_restored()
        status = terminal.end()
        report(f"SIG{name} ends a program whose terminal does not read, and settle with it",
               ended and restored and status == 128 + getattr(signal, "SIG" + name), f"status {status}")
        terminal.close()


def check_modes_after_signals():
    restored = []
    numbers = (signal.SIGRTMIN, signal.SIGRTMIN + 9, signal.SIGRTMAX)
    for number in numbers:
        terminal = Terminal(run("sh", "-c", "echo ready; exec sleep 60"))
        terminal.sees(b"ready")
        os.kill(terminal.process, number)
        restored.append(terminal.end() == -number and terminal.is_restored())
        terminal.close()
    report("real-time signals end settle with the modes restored", all(restored), f"{sum(restored)} of {len(numbers)}")
    for ignored in (False, True):
        def prepare():
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)
        terminal = Terminal(run("grep", "SigIgn", "/proc/self/status"), prepare=prepare)
        terminal.end()
        mask = int(terminal.shown.split()[-1], 16)
        wanted = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1
        report(f"SIGPIPE and SIGXFSZ are {'' if ignored else 'not '}ignored by the program as by who started settle",
               mask & wanted == (wanted if ignored else 0), f"{mask:x}")
        terminal.close()


def check_other_terminal():
    user, other = os.openpty()
    name = os.ttyname(other)
    terminal = Terminal(["sh", "-c", f"{SETTLE} run -- sh -c 'echo out; echo err >&2' 2>{name}"])
    terminal.end()
    got = os.read(user, 100) if select.select([user], [], [], 5)[0] else b""
    report("a stream that is another terminal stays the program's", got == b"err\r\n" and terminal.shown == b"out\r\n", got)
    terminal.close()
    os.close(user)
    os.close(other)
    same = Terminal(["sh", "-c", f"{SETTLE} run -- sh -c '[ -t 2 ] && tty <&2' 2>/dev/tty; tty"])
    same.end()
    names = same.shown.split()
    report("a stream that is the same terminal by another name is replaced", len(names) == 2 and names[0] != names[1], names)
    same.close()


def check_silent_server():
    """An X server that accepts the connection and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        # DISPLAY counts ports from 6000.
        port = server.getsockname()[1]
        server.listen()
        environment = {"DISPLAY": f"127.0.0.1:{port - 6000}", "WINDOWID": "5"}
        terminal = Terminal(run("sh", "-c", "echo ran; exit 4"), prepare=lambda: os.environ.update(environment))
        status = terminal.end(10)
        report("a program does not wait for an X server that is silent", status == 4 and b"ran" in terminal.shown, f"status {status}")
        terminal.close()


def pressed(recording):
    """Whether each recorded event of a button is a press, in order. The recording may still go on."""
    lines = subprocess.run([SETTLE, "cat", recording], capture_output=True).stdout.splitlines()
    return [event["pressed"] for event in map(json.loads, lines[1:]) if event.get("kind") == "pointer"]


def check_ended_server():
    """X servers that end while a button is held: one is killed, and one is written to before its end is seen."""
    for how in ("is killed", "takes no more questions"):
        log, recording = emptied("ended-redraws"), emptied("ended.settle")
        with contextlib.ExitStack() as ends:
            def start(*command, **options):
                process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)
                ends.callback(process.wait)
                ends.callback(process.kill)
                return process
            # Without a reset, buttons stay pressed when the last client has gone.
            server, display = start_server(["Xvfb"], pathlib.Path(folder))
            ends.callback(stop, server)
            desktop = {**os.environ, "DISPLAY": display}
            relay = Relay(desktop["DISPLAY"])
            ends.callback(relay.close)
            subprocess.run(["xdotool", "mousedown", "1"], env=desktop, check=True)

            def prepare():
                # Python ignores it, and a shell does not.
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                os.environ.update(DISPLAY=relay.display, WINDOWID="5")
            terminal = Terminal(run(sys.executable, SLOW, log, options=["--record", recording]), prepare=prepare)
            ends.callback(terminal.close)
            held = until(lambda: terminal.look(0.05) is not None and pressed(recording) == [True])
            terminal.resize(30, 100)
            if how == "is killed":
                server.kill()
            else:
                relay.be_deaf()
                # A new window is asked about.
                start("xterm", env=desktop)
            given = until(lambda: terminal.look(0.01) is not None and content(log).endswith(b"100 30\n"))
            terminal.type(b"q")
            status = terminal.end()
            report(f"an X server that {how} ends neither settle nor the program, and releases the button",
                   held and given and status == 7 and terminal.is_restored() and pressed(recording) == [True, False],
                   f"status {status}, buttons {pressed(recording)}")


def check_missing_folder():
    mark = emptied("mark")
    terminal = Terminal(run("touch", mark, options=["--record", os.path.join(folder, "none", "log.settle")]))
    status = terminal.end()
    report("a recording that cannot be begun is an error, and nothing is run", status == 3 and not os.path.exists(mark),
           terminal.shown.decode().strip())
    terminal.close()


ALL = [check_pastes, check_background, check_signals_without_reader,
       check_modes_after_signals, check_other_terminal, check_silent_server, check_ended_server, check_missing_folder]
