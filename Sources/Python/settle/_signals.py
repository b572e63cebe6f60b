"""Ends a command by a signal once what is incomplete is removed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from ._log_files import Ended, Ending


class _SignalEnding(Ending):
    """Asks for the end at a signal; a second one does not wait for a safe moment."""

    number: int | None = None

    def __init__(self, *, at_once: bool) -> None:
        super().__init__()
        self._at_once = at_once

    def handle(self, number: int, _: object) -> None:
        """The handler."""
        if self.number is not None:
            raise Ended
        self.number = number
        self.ask()
        if self._at_once:
            raise Ended


@contextmanager
def _noticed(ending: Ending, numbers: Iterable[int]) -> Iterator[None]:
    """Asks for the end at a signal even while the main thread waits. A signal that comes just before it begins to wait
    does not interrupt that, and a handler in Python would run only after it: what it waits for has to end."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def watch() -> None:
        while given := os.read(reader, 1):
            if given[0] in numbers:
                ending.ask()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)
        watcher.join()
        os.close(reader)


def ending_by_signals(run: Callable[[Ending], int], *numbers: int, at_once: bool = False) -> int:
    """Runs a command that signals end: as if they had not been caught, but for what it removes. One that is ignored
    stays so. Only the main thread is ended by signals.

    Args:
        run: The command, which returns its exit status, and raises Ended as its argument demands.
        numbers: The signals; without any, SIGINT, SIGTERM and SIGHUP.
        at_once: Raises Ended wherever the command is, as KeyboardInterrupt, for one that does not ask.
    """
    ending = _SignalEnding(at_once=at_once)
    if threading.current_thread() is not threading.main_thread():
        return run(ending)
    before = {number: signal.getsignal(number) for number in numbers or (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    caught = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for number in caught:
        signal.signal(number, ending.handle)
    try:
        if at_once:
            return run(ending)
        with _noticed(ending, caught):
            return run(ending)
    except Ended:
        number = ending.number or signal.SIGINT
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return 128 + number
    finally:
        for number in caught:
            signal.signal(number, before[number])
