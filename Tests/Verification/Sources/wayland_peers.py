"""A compositor and clients of raw bytes. As a program it is one of the clients:
wayland_peers.py MODE NUMBER; its exit status says whether it has got what it should."""
import hashlib
import os
import pathlib
import random
import signal
import socket
import struct
import sys
import threading
import time

from support import PATIENCE, SETTLE, Processes, json_lines

BLOCK_MESSAGES = 4001


def message(sender, opcode, body=b""):
    return struct.pack("=II", sender, (8 + len(body)) << 16 | opcode) + body


def string(text):
    data = text.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)


def bind(name, interface, version, number):
    return message(2, 0, struct.pack("=I", name) + string(interface) + struct.pack("=II", version, number))


# A client with a window (object 8) of the app id "client".
HELLO = (
    message(1, 1, struct.pack("=I", 2)) + bind(1, "xdg_wm_base", 3, 4) + bind(2, "wl_seat", 5, 5) +
    message(5, 0, struct.pack("=I", 6)) + message(4, 2, struct.pack("=II", 7, 3)) +
    message(7, 1, struct.pack("=I", 8)) + message(8, 3, string("client")))
SCENE = "client 1:8"
SMALL, END = message(99, 3, b"abcd"), message(99, 4)


def configure(width, height, states=()):
    return message(8, 0, struct.pack(f"=iiI{len(states)}I", width, height, 4 * len(states), *states))


def receive(connection, count):
    data = bytearray()
    while len(data) < count:
        more = connection.recv(min(1 << 18, count - len(data)))
        if not more:
            raise EOFError(f"the stream ended after {len(data)} of {count} bytes")
        data += more
    return bytes(data)


class Compositor(Processes):
    """Listens where the environment of the apps that it runs says. Use it in `with`."""

    def __init__(self, folder):
        super().__init__({**os.environ, "XDG_RUNTIME_DIR": str(folder), "WAYLAND_DISPLAY": "compositor"})
        self.folder, self.connections = folder, []
        self.output, self.messages, self.log = (folder / name for name in ("output", "messages", "log.settle"))
        self.socket = socket.socket(socket.AF_UNIX)
        (folder / "compositor").unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)
        self.socket.bind(str(folder / "compositor"))
        self.socket.listen(200)
        self.socket.settimeout(PATIENCE)

    def __exit__(self, *_):
        super().__exit__()
        self.end()

    def end(self):
        """As if it were killed: nobody answers any more."""
        for connection in [self.socket, *self.connections]:
            connection.close()

    def run(self, verb, mode, number, prefix=(), stdout=None):
        """Runs `settle VERB -- client` with its output, unless it has another place, and its messages in files. The
        process, and its first connection."""
        client = [sys.executable, os.path.abspath(__file__), mode, number]
        with open(self.output, "w") as output, open(self.messages, "w") as messages:
            process = self.start([*prefix, SETTLE, *verb, "--", *client], stdout=stdout or output, stderr=messages)
        return process, self.accept()

    def run_window(self, verb, mode="follow", number=1, **options):
        """The same with a client that has made its window, to which a size can be sent."""
        process, connection = self.run(verb, mode, number, **options)
        receive(connection, len(HELLO))
        return process, connection

    def accept(self):
        """The next connection on which something is sent."""
        while True:
            connection, _ = self.socket.accept()
            connection.settimeout(PATIENCE)
            self.connections.append(connection)
            if connection.recv(1, socket.MSG_PEEK):
                return connection

    def said(self):
        return self.messages.read_text()

    def decisions(self):
        return json_lines(self.output.read_text())


# The clients

def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(os.environ["WAYLAND_DISPLAY"])
    return connection


def blocks(size):
    """Messages of objects that nobody follows, with random contents: blocks of about so many bytes together."""
    source = random.Random(15)
    block = b"".join(message(99, 0, source.randbytes(4 * source.randrange(2048))) for _ in range(BLOCK_MESSAGES))
    for _ in range(-(-size // len(block))):
        yield block


def echo_everything(size):
    """Sends a number of bytes and expects the same back."""
    connection, sent, received = connect(), hashlib.sha256(), hashlib.sha256()

    def send():
        for block in blocks(size):
            sent.update(block)
            connection.sendall(block)
    sender = threading.Thread(target=send)
    sender.start()
    for block in blocks(size):
        received.update(receive(connection, len(block)))
    sender.join()
    return sent.digest() == received.digest()


def send_small(count):
    connection = connect()
    for _ in range(count):
        connection.sendall(SMALL)
    return receive(connection, 8) == END


def take_turns(count):
    """Sends a message only when the last one was answered."""
    connection = connect()
    for _ in range(count):
        connection.sendall(SMALL)
        receive(connection, len(SMALL))
    return True


def follow(_):
    """A window; ends when the compositor has closed the connection."""
    # What an app prints is no decision.
    print('{"kind":"text of the app"}', flush=True)
    connection = connect()
    connection.sendall(HELLO)
    while connection.recv(1 << 16):
        pass
    return True


def ignore_the_end(ignores_signals):
    """Does not end by itself, and says by a file that it was asked to."""
    if ignores_signals:
        signal.signal(signal.SIGTERM, lambda *_: pathlib.Path(os.environ["XDG_RUNTIME_DIR"], "heard").touch())
    connection = connect()
    connection.sendall(HELLO)
    time.sleep(PATIENCE)
    return True


if __name__ == "__main__":
    modes = {"echo": echo_everything, "small": send_small, "turns": take_turns, "follow": follow, "deaf": ignore_the_end}
    sys.exit(0 if modes[sys.argv[1]](int(sys.argv[2])) else 1)
