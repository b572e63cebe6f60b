"""Policies: the durations of the rules."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ._library import ffi, lib
from .errors import PolicyError

NEVER = 2**64 - 1
DELAY_MAX = 2**60
QUIET_MAXIMUM_MAX = 3_600_000_000_000
#: The durations that may be none.
OPTIONAL = ("jump_delay_ns", "pause_delay_ns", "maximum_wait_ns", "interaction_timeout_ns")


@dataclass(frozen=True, slots=True)
class Policy:
    """When a rebuild is due. Durations are in nanoseconds, 0 … 2**60; None is none, where that is allowed.

    docs/contract.md says what each duration is for. The defaults are the contract's.

    Raises:
        PolicyError: A duration is out of range, or none where that is not allowed.
    """

    first_delay_ns: int = 0
    reported_end_delay_ns: int = 0
    released_end_delay_ns: int = 16_000_000
    discrete_delay_ns: int = 50_000_000
    quiet_delay_ns: int = 200_000_000
    quiet_maximum_ns: int = 500_000_000
    jump_delay_ns: int | None = 50_000_000
    lock_delay_ns: int = 100_000_000
    pause_delay_ns: int | None = None
    maximum_wait_ns: int | None = None
    interaction_timeout_ns: int | None = 10_000_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name in OPTIONAL:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= DELAY_MAX:
                none = " or None" if field.name in OPTIONAL else ""
                raise PolicyError(f"{field.name} must be an int of 0 … 2**60 ns{none}, and is {value!r}")
        if self.quiet_maximum_ns > QUIET_MAXIMUM_MAX:
            raise PolicyError(f"quiet_maximum_ns must be at most an hour, and is {self.quiet_maximum_ns}")
        if self.quiet_maximum_ns < self.quiet_delay_ns:
            raise PolicyError(
                f"quiet_maximum_ns must be at least quiet_delay_ns, and {self.quiet_maximum_ns} is less"
                f" than {self.quiet_delay_ns}"
            )

    @classmethod
    def uikit(cls) -> Policy:
        """The preset that decides at every event, as UIKit's flag does."""
        raw = ffi.new("settle_policy *")
        lib.settle_policy_init_uikit(raw, ffi.sizeof("settle_policy"))
        return cls._read(raw)

    @classmethod
    def grid(cls, base: Policy | None = None) -> list[Policy]:
        """The policies that `settle tune` tries: `base` with other delays after an end, after other changes and
        without an end signal."""
        start, raw = ffi.new("settle_policy *"), ffi.new("settle_policy *")
        (base or cls())._write(start)
        raw.size = ffi.sizeof("settle_policy")
        policies = []
        for index in range(lib.settle_grid_count()):
            if not lib.settle_grid_policy(start, index, raw):
                raise PolicyError("the grid's policies are not accepted")
            policies.append(cls._read(raw))
        return policies

    @classmethod
    def _read(cls, raw) -> Policy:
        values = {field.name: getattr(raw, field.name) for field in fields(cls)}
        return cls(**{name: None if value == NEVER else value for name, value in values.items()})

    def _write(self, raw) -> None:
        raw.size = ffi.sizeof("settle_policy")
        for field in fields(self):
            value = getattr(self, field.name)
            setattr(raw, field.name, NEVER if value is None else value)
