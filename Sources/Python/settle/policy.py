"""Policies: the durations of the rules, and the shares of previews and of live rebuilds."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from ._html import table
from ._json import Fault, Scanner
from ._library import ffi, lib
from .errors import PolicyError

NEVER = 2**64 - 1
DELAY_MAX = lib.SETTLE_DELAY_MAX
#: The library's row of each field, and the fields' names in texts: quietDelay.
ROWS: list[Any] = list(takewhile(bool, map(lib.settle_policy_field_at, count())))
NAMES = [ffi.string(row.name).decode() for row in ROWS]
#: The most bytes of a file with one policy, and with several.
TEXT_BYTES_MAX = 64 << 10
LIST_BYTES_MAX = 64 << 20


def _default() -> Any:
    raw = ffi.new("settle_policy *")
    lib.settle_policy_init_default(raw, ffi.sizeof("settle_policy"))
    return raw


def _limit(value: int) -> int | None:
    return None if value == NEVER else value


_DEFAULT = _default()


@dataclass(frozen=True, slots=True)
class Policy:
    """When a rebuild is due. Durations are in nanoseconds, 0 … 2**60, and `pause_share_percent` and
    `live_share_percent` are 1 … 100; None is none, where that is allowed.

    docs/reference/contract.md says what each field is for. The defaults are the contract's.

    Raises:
        PolicyError: A field is out of range, or none where that is not allowed; it names the field.
    """

    first_delay_ns: int = _DEFAULT.first_delay_ns
    reported_end_delay_ns: int = _DEFAULT.reported_end_delay_ns
    released_end_delay_ns: int = _DEFAULT.released_end_delay_ns
    discrete_delay_ns: int = _DEFAULT.discrete_delay_ns
    quiet_delay_ns: int = _DEFAULT.quiet_delay_ns
    jump_delay_ns: int | None = _limit(_DEFAULT.jump_delay_ns)
    calm_delay_ns: int = _DEFAULT.calm_delay_ns
    lock_delay_ns: int = _DEFAULT.lock_delay_ns
    pause_delay_ns: int | None = _limit(_DEFAULT.pause_delay_ns)
    pause_share_percent: int | None = _limit(_DEFAULT.pause_share_percent)
    maximum_wait_ns: int | None = _limit(_DEFAULT.maximum_wait_ns)
    interaction_timeout_ns: int | None = _limit(_DEFAULT.interaction_timeout_ns)
    live_share_percent: int | None = _limit(_DEFAULT.live_share_percent)
    live_limit_ns: int | None = _limit(_DEFAULT.live_limit_ns)
    live_interval_ns: int = _DEFAULT.live_interval_ns
    live_pause_ns: int | None = _limit(_DEFAULT.live_pause_ns)

    def __post_init__(self) -> None:
        for field, row in zip(fields(self), ROWS):
            value = getattr(self, field.name)
            if value is None and row.may_be_none:
                continue
            if not isinstance(value, bool) and hasattr(value, "__index__"):
                # Also one of NumPy's.
                value = operator.index(value)
                object.__setattr__(self, field.name, value)
            least, most, expected = 0, DELAY_MAX, "0 … 2**60 ns"
            if row.is_percentage:
                least, most, expected = row.least, row.most, f"{row.least} … {row.most}"
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                none = " or None" if row.may_be_none else ""
                raise PolicyError(f"{field.name} must be an int of {expected}{none}, and is {value!r}")

    @classmethod
    def default(cls) -> Policy:
        """The contract's default policy, which Policy() is as well."""
        return cls._read(_default())

    @classmethod
    def uikit(cls) -> Policy:
        """The preset that decides at every event, as UIKit's flag does."""
        raw = ffi.new("settle_policy *")
        lib.settle_policy_init_uikit(raw, ffi.sizeof("settle_policy"))
        return cls._read(raw)

    @classmethod
    def prepared(cls) -> Policy:
        """The preset that prepares builds: the defaults with previews of sizes that stand still for 50 ms, for half of
        the time (rule 17)."""
        raw = ffi.new("settle_policy *")
        lib.settle_policy_init_prepared(raw, ffi.sizeof("settle_policy"))
        return cls._read(raw)

    @classmethod
    def live(cls) -> Policy:
        """The preset with live rebuilds: the defaults with 30 % of the time for rebuilds before an end (rule 18)."""
        raw = ffi.new("settle_policy *")
        lib.settle_policy_init_live(raw, ffi.sizeof("settle_policy"))
        return cls._read(raw)

    @classmethod
    def from_json(cls, source: str | Mapping[str, str | None]) -> Policy:
        """The policy of an object as `settle policy` writes it: each duration a string with a unit (ns, us, ms, s,
        min, h), `liveShare` and `pauseShare` percentages such as "30%", and each None where it may be. One that is
        left out has its default.

        Args:
            source: The object as text, or as a mapping from names such as `quietDelay`.

        Raises:
            PolicyError: For another content; it names the field.
        """
        try:
            text = json.dumps(dict(source)) if isinstance(source, Mapping) else source
        except (TypeError, ValueError):
            raise PolicyError("a policy is a mapping from names to strings, or None") from None
        scanner = Scanner(text.encode(errors="replace"))
        try:
            policy = cls._next(scanner)
            if not scanner.is_at_end:
                raise Fault("something follows the policy's object")
        except Fault as fault:
            raise PolicyError(fault.problem) from None
        return policy

    def to_json(self) -> dict[str, str | None]:
        """The fields by the names and with the units of a policy file, in the contract's order; None is none."""
        values = [None if value is None else _text(number, value) for number, value in enumerate(self._values())]
        return dict(zip(NAMES, values))

    def _repr_html_(self) -> str:
        """What notebooks show: the fields, in bold those that differ from the default policy's."""
        standard = Policy().to_json()
        own = self.to_json()
        rows = [[name, value or "none"] for name, value in own.items()]
        bold = frozenset(number for number, name in enumerate(own) if own[name] != standard[name])
        return table(["field", "value"], rows, "policy", bold)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """The policy of a file, which has one object as `settle policy` writes it.

        Raises:
            PolicyError: For another content; it has the file and names the field.
            OSError: The file cannot be read.
        """
        text = _content(path, TEXT_BYTES_MAX)
        try:
            return cls.from_json(text.decode())
        except PolicyError as error:
            raise PolicyError(f"{path}: {error}") from None

    @classmethod
    def read_list(cls, path: str | os.PathLike[str], most: int = 16_384) -> list[Policy]:
        """The policies of a file: objects as `settle policy` writes them, one after the other.

        Args:
            path: The file, of at most 64 MiB.
            most: The most policies.

        Raises:
            PolicyError: For another content, and for none or too many policies: it has the file and the line.
            OSError: The file cannot be read.
        """
        text = _content(path, LIST_BYTES_MAX)
        policies: list[Policy] = []
        scanner = Scanner(text)
        try:
            while not scanner.is_at_end:
                if len(policies) == most:
                    raise Fault(f"there are more than {most} policies")
                policies.append(cls._next(scanner))
        except Fault as fault:
            line = text.count(b"\n", 0, scanner.at) + 1
            raise PolicyError(f"{path}: line {line}: {fault.problem}") from None
        if not policies:
            raise PolicyError(f"{path}: there is no policy; 'settle policy' writes one")
        return policies

    @classmethod
    def grid(cls, base: Policy | None = None, *, live: bool = False) -> list[Policy]:
        """The policies that `settle tune` tries: `base` with other delays after an end, after other changes and
        without an end signal. With `live` those that it tries with `--build-cost`: also with shares of the time for
        live rebuilds, and with fewer delays."""
        grid_count, grid_policy = lib.settle_grid_count, lib.settle_grid_policy
        if live:
            grid_count, grid_policy = lib.settle_live_grid_count, lib.settle_live_grid_policy
        start, raw = ffi.new("settle_policy *"), ffi.new("settle_policy *")
        (base or cls())._write(start)
        raw.size = ffi.sizeof("settle_policy")
        policies = []
        for index in range(grid_count()):
            if not grid_policy(start, index, raw):
                raise PolicyError("the grid's policies are not accepted")
            policies.append(cls._read(raw))
        return policies

    def _changes(self, today: Policy) -> int:
        """The fields that differ, as bits: 1 << 0 for the first field."""
        own, other = ffi.new("settle_policy *"), ffi.new("settle_policy *")
        self._write(own)
        today._write(other)
        return int(lib.settle_policy_changes(own, other))

    @classmethod
    def _next(cls, scanner: Scanner) -> Policy:
        """The policy whose object is next; raises Fault."""
        raw = ffi.new("settle_policy *")
        scanner.check(lib.settle_json_read_policy(scanner.json, raw))
        return cls._read(raw)

    @classmethod
    def _read(cls, raw: Any) -> Policy:
        return cls(*(_limit(getattr(raw, field.name)) for field in fields(cls)))  # type: ignore[arg-type]

    def _values(self) -> list[int | None]:
        return [getattr(self, field.name) for field in fields(self)]

    def _write(self, raw: Any) -> None:
        raw.size = ffi.sizeof("settle_policy")
        for field, value in zip(fields(self), self._values()):
            setattr(raw, field.name, NEVER if value is None else value)


def _text(field: int, value: int) -> str:
    """A field's value as a policy file has it: `50ms`, `30%`."""
    written = ffi.new("char[]", lib.SETTLE_DURATION_BYTES)
    return bytes(ffi.buffer(written, lib.settle_policy_write(field, value, written))).decode()


def _content(path: str | os.PathLike[str], most: int) -> bytes:
    """The text of a file with policies, which is UTF-8."""
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise PolicyError(f"{path}: these are no policies: the file is longer than {most} bytes")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PolicyError(f"{path}: line {line}: this is no UTF-8 text") from None
    return content
