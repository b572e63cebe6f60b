"""What a core decides about a log."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from . import _events
from ._bound import bind
from ._library import ffi, layout, lib, word
from ._json import quoted
from ._whole import Memory
from ._writer import length
from ._log import Log
from ._types import Rows
from .policy import Policy

#: One decision, 64 bytes. `scene` is an index into the log's names; docs/reference/contract.md says what the rest is.
DECISION = layout("settle_decision", {"t_ns": "at_ns"} | {
    name: name for name, _ in ffi.typeof("settle_decision").fields if name != "at_ns"
})
#: What is read of a settle_sweep_scene.
_SCENE = layout("settle_sweep_scene", {"name": "name"})
_POPPED_MAX = 4096


class DecisionKind(IntEnum):
    """The kinds of decisions: the values of `kind`."""

    INTERACTION_BEGAN = lib.SETTLE_INTERACTION_BEGAN
    INTERACTION_ENDED = lib.SETTLE_INTERACTION_ENDED
    REBUILD = lib.SETTLE_REBUILD
    LOCK_CHANGED = lib.SETTLE_LOCK_CHANGED
    PREVIEW = lib.SETTLE_PREVIEW


def decisions(log: Log, policy: Policy = Policy()) -> Rows:
    """Decides a log under a policy, with all deadlines to the end, as `settle replay` does.

    Args:
        log: The log, which is not changed.
        policy: The policy of all scenes.

    Returns:
        An array of the dtype `settle.DECISION`, in order. Times are in nanoseconds of the log's clock, sizes in its
        unit. A rebuild and a preview have their `generation`, which the report of its end names. `prepared` is of a
        rebuild, and the same byte as `locked`, which is of a `LOCK_CHANGED`. `feedback` is of a rebuild without
        `follows_interaction`, and the same bytes as `interaction_ns`: 1 if builds change the size that they are for, so
        that each asks for the next. `settle.reason_name` and `settle.decision_kind_name` name the numbers in `reason`
        and `kind`.

    Raises:
        LogError: An event cannot stand in a log, or more scenes connect than a core has.
    """
    if not isinstance(log, Log) or not isinstance(policy, Policy):
        raise TypeError(f"decisions takes a Log, as settle.read returns one, and a Policy; not {log!r} and {policy!r}")
    events = _events.check(log.events, log.names).copy()
    bound, scratch, raw = Memory(), Memory(), ffi.new("settle_sweep_log *")
    bind(ffi.cast("settle_log_event *", events.ctypes.data), len(events), len(log.names), scratch, bound, raw, None)

    config, core = ffi.new("settle_config *"), ffi.new("settle_core **")
    lib.settle_config_init_default(config, ffi.sizeof("settle_config"))
    config.scenes_max = max(raw.connections, 1)
    config.decisions_max = _POPPED_MAX
    config.policies_max = 1
    config.features = lib.SETTLE_PREVIEWS | lib.SETTLE_LIVE_REBUILDS
    policy._write(ffi.addressof(config, "policy"))
    workspace, size = Memory(), lib.settle_core_size(config)
    result = lib.settle_core_init(workspace.reserve(size), size, config, core)
    assert result == 0, "the policy and the connections were checked"
    scene = ffi.new("settle_scene *")
    for _ in range(raw.connections):
        lib.settle_core_connect(core[0], 0, scene)
    # As whole records: of fields that share a byte, NumPy would make two.
    decided = np.concatenate([part.view(f"V{DECISION.itemsize}") for part in _run(core[0], raw)]).view(DECISION)
    # A handle has its slot in the low bits, and the slots are the numbers of the connections.
    slots = decided["scene"] & np.uint32((1 << max((config.scenes_max - 1).bit_length(), 1)) - 1)
    scenes = np.zeros(1, _SCENE)
    if raw.connections:
        scenes = np.frombuffer(ffi.buffer(raw.scenes, raw.connections * _SCENE.itemsize), _SCENE)
    decided["scene"] = scenes["name"][slots]
    return decided


def _run(core: Any, log: Any) -> list[np.ndarray]:
    """All decisions, in parts."""
    buffer, accepted = np.empty(_POPPED_MAX, DECISION), ffi.new("size_t *")
    address = ffi.cast("settle_decision *", buffer.ctypes.data)
    parts: list[np.ndarray] = []

    def pop() -> None:
        popped = lib.settle_core_pop_decisions(core, address, _POPPED_MAX)
        parts.append(buffer[:popped].copy())

    next_event = 0
    while lib.settle_core_submit(core, log.events + next_event, log.count - next_event, accepted):
        next_event += accepted[0]
        pop()
    while lib.settle_core_finish(core):
        pop()
    pop()
    return parts


def decisions_json(log: Log, policy: Policy = Policy()) -> str:
    """The decisions as JSON Lines, byte for byte as `settle replay` writes them.

    Raises:
        LogError: See `decisions`.
    """
    names = [quoted(name) for name in log.names]
    decided = decisions(log, policy)
    shown = (
        "t_ns", "scene", "kind", "reason", "width", "height", "locked", "prepared", "generation", "follows_interaction",
        "feedback",
    )
    columns = (decided[column].tolist() for column in shown)
    takes_reports = policy.live_share_percent is not None or policy.pause_share_percent is not None
    return "".join(_line(names, takes_reports, *row) for row in zip(*columns))


def _line(
    names: list[str], takes_reports: bool, t_ns: int, scene: int, kind: int, reason: int, width: float, height: float,
    locked: int, prepared: int, generation: int, follows: int, feedback: int,
) -> str:
    line = f'{{"t_ns":{t_ns},"scene":{names[scene]},"kind":"{decision_kind_name(kind)}"'
    if kind in (DecisionKind.REBUILD, DecisionKind.PREVIEW):
        line += f',"width":{length(width)},"height":{length(height)}'
    if kind in (DecisionKind.REBUILD, DecisionKind.INTERACTION_ENDED):
        line += f',"reason":"{reason_name(reason)}"'
    if takes_reports and kind in (DecisionKind.REBUILD, DecisionKind.PREVIEW):
        line += f',"generation":{generation}'
    if kind == DecisionKind.REBUILD and prepared:
        line += ',"prepared":true'
    if kind == DecisionKind.REBUILD and not follows and feedback:
        line += ',"feedback":true'
    if kind == DecisionKind.LOCK_CHANGED:
        line += f',"locked":{"true" if locked else "false"}'
    return line + "}\n"


def decision_kind_name(kind: int) -> str:
    """The contract's name of a decision's kind, such as "rebuild"; "unknown" for another number."""
    return word(lib.settle_decision_kind_name, kind)


def reason_name(reason: int) -> str:
    """The contract's name of a reason, such as "quiet"; "none" for 0, "unknown" for another number."""
    return word(lib.settle_reason_name, reason)
