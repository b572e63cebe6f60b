"""A compositor and clients of raw bytes, for wayland.py. As a program it is one of the clients:
wayland_peers.py MODE [NUMBER]; its exit status says whether it has got what it should."""
import array
import contextlib
import hashlib
import os
import signal
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from processes import PATIENCE, stop

BLOCK_MESSAGES = 256
BLOCKS = 16
# The file by which an app that does not end says that it was asked to.
HEARD = "heard"


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


def configure(width, height, states=()):
    return message(8, 0, struct.pack(f"=iiI{len(states)}I", width, height, 4 * len(states), *states))


def blocks():
    """Messages of objects that nobody follows, with random contents."""
    source = random.Random(15)
    return [
        b"".join(message(99, 0, source.randbytes(4 * source.randrange(2048))) for _ in range(BLOCK_MESSAGES))
        for _ in range(BLOCKS)]


def receive(connection, count):
    data = bytearray()
    while len(data) < count:
        more = connection.recv(min(1 << 18, count - len(data)))
        if not more:
            raise EOFError(f"the stream ended after {len(data)} of {count} bytes")
        data += more
    return bytes(data)


def numbered_pipes(count):
    """Pipes that hold their numbers."""
    ends = []
    for number in range(count):
        reading, writing = os.pipe()
        os.write(writing, struct.pack("=I", number))
        os.close(writing)
        ends.append(reading)
    return ends


def numbers(descriptors):
    found = [struct.unpack("=I", os.read(descriptor, 4))[0] for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    return found


def receive_with_descriptors(connection, count):
    """As many bytes as were asked for, and all descriptors that came with them."""
    data, found = b"", array.array("i")
    while len(data) < count:
        more, parts, flags, _ = connection.recvmsg(count - len(data), socket.CMSG_SPACE(253 * 4))
        if not more or flags & socket.MSG_CTRUNC:
            raise EOFError("bytes or descriptors are missing")
        data += more
        for level, kind, content in parts:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                found.frombytes(content)
    return data, list(found)


class Compositor:
    """Listens where the environment of the apps that it runs says. Use it in `with`."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="settle-wayland-")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(os.path.join(self.folder, "compositor"))
        self.socket.listen(200)
        self.socket.settimeout(PATIENCE)
        self.started = []
        self.connections = []
        return self

    def __exit__(self, *_):
        for process in self.started:
            stop(process)
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self):
        """As if it were killed: nobody answers any more."""
        for connection in [self.socket, *self.connections]:
            connection.close()

    def run(self, settle, verb, *client, stdout=None):
        """Runs `settle VERB -- client`, with its output, unless it has another place, and messages in files of the
        folder."""
        environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, WAYLAND_DISPLAY="compositor")
        environment.pop("WAYLAND_SOCKET", None)
        self.output = os.path.join(self.folder, "output")
        self.messages = os.path.join(self.folder, "messages")
        with open(self.output, "w") as output, open(self.messages, "w") as messages:
            process = subprocess.Popen(
                [settle, *verb, "--", sys.executable, os.path.abspath(__file__), *map(str, client)],
                env=environment, stdin=subprocess.DEVNULL, stdout=stdout or output, stderr=messages)
        self.started.append(process)
        return process

    def accept(self):
        """The next connection on which something is sent."""
        while True:
            connection, _ = self.socket.accept()
            connection.settimeout(PATIENCE)
            if connection.recv(1, socket.MSG_PEEK):
                self.connections.append(connection)
                return connection
            connection.close()


def processor_time(process):
    """The seconds that a process's threads have run."""
    total = 0
    for thread in os.listdir(f"/proc/{process.pid}/task"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{process.pid}/task/{thread}/schedstat") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(os.environ["WAYLAND_DISPLAY"])
    return connection


def echo_everything(size):
    """Sends a number of bytes and expects the same back."""
    connection = connect()
    sent = hashlib.sha256()

    def send():
        for _, block in stream(size):
            sent.update(block)
            connection.sendall(block)
    sender = threading.Thread(target=send)
    sender.start()
    received = hashlib.sha256()
    for count, _ in stream(size):
        received.update(receive(connection, count))
    sender.join()
    return sent.digest() == received.digest()


def stream(size):
    """Blocks of at least so many bytes together."""
    all_blocks = blocks()
    total = number = 0
    while total < size:
        block = all_blocks[number % BLOCKS]
        total += len(block)
        number += 1
        yield len(block), block


def pass_descriptors(count):
    connection = connect()
    ends = numbered_pipes(count)
    socket.send_fds(connection, [message(99, 1)], ends)
    data, found = receive_with_descriptors(connection, 8)
    return data == message(99, 2) and numbers(found) == list(range(count))


def send_small(count):
    connection = connect()
    small = message(99, 3, b"abcd")
    for _ in range(count):
        connection.sendall(small)
    return receive(connection, 8) == message(99, 4)


def take_turns(count):
    """Sends a message only when the last one was answered."""
    connection = connect()
    for _ in range(count):
        connection.sendall(message(99, 3, b"abcd"))
        receive(connection, 12)
    return True


def follow(count):
    """A window each on so many connections; ends when the compositor has closed them."""
    # What an app prints is no decision.
    print('{"kind":"text of the app"}', flush=True)
    connections = [connect() for _ in range(count)]
    for connection in connections:
        connection.sendall(HELLO)
    for connection in connections:
        while connection.recv(1 << 16):
            pass
    return True


def send_nonsense(_):
    connection = connect()
    connection.sendall(HELLO + struct.pack("=II", 8, 3 << 16 | 2) + b"abcdefg")
    connection.sendall(message(99, 5, b"more"))
    return receive(connection, 8) == message(99, 4)


def ignore_the_end(ignores_signals):
    if ignores_signals:
        heard = os.path.join(os.environ["XDG_RUNTIME_DIR"], HEARD)
        signal.signal(signal.SIGTERM, lambda *_: open(heard, "w").close())
    connection = connect()
    connection.sendall(HELLO)
    time.sleep(PATIENCE)
    return True


def launch(pause):
    """Ends before what it starts has connected, as launchers do."""
    subprocess.Popen(["sh", "-c", f'sleep 0.{pause}; exec "$@"', "sh", sys.executable, os.path.abspath(__file__), "follow", "1"],
                     start_new_session=True)
    return False


if __name__ == "__main__":
    modes = {
        "echo": echo_everything, "descriptors": pass_descriptors, "small": send_small, "turns": take_turns,
        "follow": follow, "nonsense": send_nonsense, "deaf": ignore_the_end,
        "launch": launch, "nothing": lambda _: True}
    sys.exit(0 if modes[sys.argv[1]](int(sys.argv[2])) else 1)
