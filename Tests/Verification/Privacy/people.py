"""Sessions of people for scripts/checks/privacy: a window that is dragged and resized, in three kinds of reports, at
several rates. The same number and seed make the same sessions."""

import math
import random

import numpy as np
import settle
from settle import EVENT, Flag, Kind

SIZES = ((800, 600), (1024, 768), (640, 480), (1280, 720))
RATES = (30, 60, 60, 60, 120, 144, 1000)
MS = 1e6


class _Hand:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.ends = self.dice.choice(("flag", "pointer", "none"))
        self.width, self.height = self.dice.choice(SIZES)
        self.rate = self.dice.choice(RATES)
        self.at, self.events = 1e9, []
        self.sized(False)
        for _ in range(self.dice.randrange(2, 9)):
            self.at += self.dice.lognormvariate(math.log(1500 * MS), 1)
            if self.dice.random() < 0.25:
                self.move(200, 100)
                self.sized(False)
            else:
                self.drag()

    def move(self, wide: int, high: int) -> None:
        self.width = max(120, self.width + self.dice.randrange(-wide, wide + 1))
        self.height = max(120, self.height + self.dice.randrange(-high, high + 1))

    def sized(self, is_resizing: bool) -> None:
        flags = Flag.SIZE_KNOWN
        if self.ends == "flag":
            flags |= Flag.RESIZING_KNOWN | (Flag.RESIZING if is_resizing else 0)
        self.events.append((self.at, self.width, self.height, 0, Kind.GEOMETRY, flags))

    def button(self, is_pressed: bool) -> None:
        if self.ends == "pointer":
            self.events.append((self.at, 0, 0, 1, Kind.POINTER, Flag.PRESSED if is_pressed else 0))

    def drag(self) -> None:
        dice = self.dice
        self.button(True)
        for _ in range(int(dice.lognormvariate(math.log(60), 0.8)) + 2):
            self.at += 1e9 / self.rate * max(0.2, dice.gauss(1, 0.1))
            if dice.random() < 0.08:
                self.at += dice.expovariate(1 / (120 * MS))
            self.move(9, 7)
            self.sized(True)
        self.at += dice.uniform(2, 80) * MS
        self.button(False)
        if self.ends == "flag":
            self.sized(False)


def sessions(count: int, seed: int = 3) -> list[bytes]:
    """So many logs."""
    logs = []
    for number in range(count):
        events = np.array(_Hand(seed * 10**6 + number).events, dtype=EVENT)
        logs.append(settle.to_bytes(settle.Log(events, [f"window-{number}"])))
    return logs
