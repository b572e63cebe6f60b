"""A display between a client and an X server, which can change, end or hold back what the client sends."""
import contextlib
import os
import random
import socket
import threading


class Relay:
    def __init__(self, real, from_client=lambda data: data):
        """Stands before the display `real`. `from_client` gives what is handed on; None closes the connection."""
        self.real, self.from_client, self.socket = real, from_client, socket.socket(socket.AF_UNIX)
        # Beyond the numbers that servers choose by themselves.
        self.number = random.randrange(20_000, 60_000)
        self.display, self.path = f":{self.number}", f"/tmp/.X11-unix/X{self.number}"
        self.socket.bind(self.path)
        self.socket.listen(8)
        self.clients, self.is_deaf = [], False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.socket.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"/tmp/.X11-unix/X{self.real.lstrip(':')}")
            self.clients.append(client)
            for source, target, change in ((client, server, self.from_client), (server, client, lambda data: data)):
                threading.Thread(target=self.copy, args=(source, target, change), daemon=True).start()

    def copy(self, source, target, change):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                data = change(data)
                if data is None:
                    # Both at once, as when a server ends.
                    return [each.shutdown(socket.SHUT_RDWR) for each in (source, target)]
                target.sendall(data)
            if not self.is_deaf:
                target.shutdown(socket.SHUT_WR)

    def be_deaf(self):
        """Takes nothing more: a client that writes gets EPIPE, while events still come."""
        self.is_deaf = True
        for client in self.clients:
            client.shutdown(socket.SHUT_RD)

    def close(self):
        self.socket.close()
        os.unlink(self.path)
