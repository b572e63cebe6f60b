"""Threads that work while the one that waits for them can be interrupted at any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

#: How often the thread that waits looks up: a signal that another thread takes does not wake it.
_LOOK_S = 0.1
#: How long threads that were stopped are waited for. One that is within a call of the library is left behind: it ends
#: at its next check, or with the process.
_STOP_S = 0.5


class Stopped(BaseException):
    """A thread's work was stopped."""


class Workers:
    """Threads that do the same work. A context manager: what raises within it stops them, and goes on.

    Args:
        count: How many threads.
        work: What each of them does; `check` ends it early. If one raises, the others are stopped.
    """

    def __init__(self, count: int, work: Callable[[], None]) -> None:
        self._work = work
        self._mutex = threading.Lock()
        self._woken = threading.Event()
        self._is_stopped = False
        self._failure: BaseException | None = None
        self._running = count
        # Those of a pool would keep the process from ending.
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]

    def check(self) -> None:
        """Raises Stopped in a thread that is to end."""
        if self._is_stopped:
            raise Stopped

    def wake(self) -> None:
        """Has the thread that waits look up now."""
        self._woken.set()

    def wait(self, look: Callable[[], None] = lambda: None) -> None:
        """Waits for all threads; calls `look` now and then, and after the last one ended. Raises what a thread raised,
        or `look`."""
        while True:
            is_last = self._running == 0
            if self._failure is not None:
                raise self._failure
            look()
            if is_last:
                return
            self._woken.wait(_LOOK_S)
            self._woken.clear()

    def __enter__(self) -> Workers:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Has `check` raise from now on."""
        self._is_stopped = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        until = time.monotonic() + _STOP_S
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))

    def _run(self) -> None:
        try:
            self._work()
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001
            with self._mutex:
                self._failure = self._failure or error
            self.stop()
        finally:
            with self._mutex:
                self._running -= 1
            self.wake()
