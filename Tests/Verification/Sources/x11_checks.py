"""What must hold of a watched desktop, as functions of the decisions, the events and the truth: each
returns a sentence about the first fault, or None. `planted_faults` shows that each finds one."""
import copy

# By how often each of the 20 windows changes in a second: 1000 changes in all, and a flood of 20,000.
# At 20,000 changes a second, half of it is the kernel's, for packets of the server's.
PROCESSOR_SHARE_MAX = {50: 0.05, 1000: 0.15}
# Memory between the fifth second and the end: pages that a process touches late, not growth per event.
MEMORY_GROWTH_MAX = 1.05
# What stays of a closed window: its name, up to three times, and its counts in the table.
WINDOW_KILOBYTES_MAX = 2.0
RATE_SHARE_MIN = 0.6


def builds(decisions, scene):
    return [d for d in decisions if d["scene"] == scene and d["kind"] == "rebuild"]


def rebuilt_while_held(decisions, drags):
    """No rebuild of a dragged window between its button's press and release."""
    for drag in drags:
        for build in builds(decisions, drag["scene"]):
            if drag["pressed"] < build["t_ns"] < drag["released"]:
                return f"a rebuild at {build['t_ns']} within the drag {drag['name']}"
    return None


def wrong_rebuilds(decisions, drags):
    """One rebuild a drag at the size that came of it, none if the size came back."""
    for drag in drags:
        found = [(b["width"], b["height"]) for b in builds(decisions, drag["scene"])
                 if drag["begun"] < b["t_ns"] < drag["ended"]]
        wanted = [] if drag["after"] == drag["before"] else [drag["after"]]
        if found != wanted:
            return f"rebuilds of the drag {drag['name']}: {found}, not {wanted}"
    return None


def wrong_buttons(events, injected):
    """Each press and release that was injected is in the log once, in order, and not before it was injected."""
    found = [(e["button"], e["pressed"], e["t_ns"]) for e in events if e.get("kind") == "pointer"]
    if [f[:2] for f in found] != [i[:2] for i in injected]:
        return f"the buttons {[f[:2] for f in found]}, not {[i[:2] for i in injected]}"
    early = next((f for f, i in zip(found, injected) if f[2] < i[2]), None)
    return early and f"the button {early} has a time before it was injected"


def wrong_sizes(events, scene, sizes):
    """The sizes in the log are those that another client saw, without synthetic doubles."""
    found = [(e["width"], e["height"]) for e in events if e.get("scene") == scene and "width" in e]
    if found == sizes:
        return None
    first = next((i for i, pair in enumerate(zip(found, sizes)) if pair[0] != pair[1]), min(len(found), len(sizes)))
    return f"{len(found)} sizes in the log, {len(sizes)} seen by another client; the first difference is number {first}"


def other_decisions(printed, replayed):
    """A replay of the log prints what was printed live, to the byte."""
    return None if printed == replayed else f"{printed.count(chr(10))} decisions live, {replayed.count(chr(10))} replayed, and they differ"


def too_slow(share, each):
    most = PROCESSOR_SHARE_MAX[each]
    return None if share < most else f"{share:.1%} of a core, the most is {most:.0%}"


def memory_grows(early, late):
    return None if late <= early * MEMORY_GROWTH_MAX else f"{early} KB grow to {late} KB"


def windows_cost(early, late, count):
    each = (late - early) / count
    return None if each <= WINDOW_KILOBYTES_MAX else f"{each:.2f} KB stay of each of {count} windows"


def planted_faults(decisions, drags, events, injected, scene, sizes, printed):
    """Yields the name of each planted fault, and what the check says of it, which must not be None."""
    drag = next(d for d in drags if d["before"] != d["after"])
    held = {"t_ns": (drag["pressed"] + drag["released"]) // 2, "scene": drag["scene"], "kind": "rebuild", "width": 1, "height": 1}
    yield "a rebuild within a drag", rebuilt_while_held([*decisions, held], drags)
    own = next(b for b in builds(decisions, drag["scene"]) if drag["begun"] < b["t_ns"] < drag["ended"])
    yield "a rebuild left out", wrong_rebuilds([d for d in decisions if d is not own], drags)
    yield "a rebuild twice", wrong_rebuilds([*decisions, own], drags)
    wrong = copy.deepcopy(own)
    wrong["width"] += 1
    yield "a rebuild at another size", wrong_rebuilds([wrong if d is own else d for d in decisions], drags)
    release = next(e for e in events if e.get("kind") == "pointer" and not e["pressed"])
    yield "a release left out", wrong_buttons([e for e in events if e is not release], injected)
    yield "a press counted twice", wrong_buttons([events[0], *events] if events[0].get("kind") == "pointer" else [release, *events], injected)
    sized = next(e for e in events if e.get("scene") == scene and "width" in e)
    yield "a synthetic double", wrong_sizes([sized, *events], scene, sizes)
    yield "a size left out", wrong_sizes([e for e in events if e is not sized], scene, sizes)
    yield "a decision left out", other_decisions(printed, printed[: printed.rstrip("\n").rfind("\n") + 1])
    yield "too much processor time", too_slow(PROCESSOR_SHARE_MAX[50], 50)
    yield "memory that grows", memory_grows(1000, 1051)
    yield "too much that stays of closed windows", windows_cost(1000, 3100, 1000)
