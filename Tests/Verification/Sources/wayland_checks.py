"""What wayland.py verifies: how a result is printed, and what is wrong with one."""
import json
import os

from wayland_desktop import box

passed = failed = 0


def verify(name, problem, figure=""):
    """Prints a line; a problem is None or a text."""
    global passed, failed
    if problem is None:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if problem is None else 'FAIL'} {name}" + (f": {figure}" if figure else "") +
          (f": {problem}" if problem is not None else ""), flush=True)


def verify_planted(name, problem):
    """A checker must have found a problem in what was falsified."""
    verify(f"planted: {name}", None if problem is not None else "it was not found")


def read_json_lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.startswith("{")]


def differing(a, b):
    """Why two screens are not the same."""
    if a == b:
        return None
    count = sum(a[i:i + 3] != b[i:i + 3] for i in range(0, min(len(a), len(b)), 3))
    return f"{count} pixels differ ({box(a)} and {box(b)})"


def decisions_problem(decisions, rebuilds_per_drag):
    """Why decisions do not fit drags, of which each is said to have so many rebuilds."""
    drags, inside, in_drag = [], 0, False
    for decision in decisions:
        kind = decision["kind"]
        if kind == "interactionBegan":
            drags.append(0)
            in_drag = True
        elif kind == "interactionEnded":
            in_drag = False
        elif kind == "rebuild" and drags:
            drags[-1] += 1
            inside += in_drag
    if inside:
        return f"{inside} rebuilds inside a drag"
    return None if drags == rebuilds_per_drag else f"rebuilds {drags}, expected {rebuilds_per_drag}"


def buttons_problem(log):
    """Why a log's buttons are not pressed and released in turns."""
    events = [(event["button"], event["pressed"]) for event in log if event.get("kind") == "pointer"]
    held = set()
    for button, is_pressed in events:
        if is_pressed == (button in held):
            return f"button {button} is {'pressed' if is_pressed else 'released'} twice"
        held ^= {button}
    if held:
        return f"held at the end: {held}"
    return None if events else "no button was seen"


def status_problem(status, expected):
    return None if status == expected else f"exit status {status}, expected {expected}"


def left_folders(folder):
    return [name for name in os.listdir(folder) if name.startswith("settle-")]


def speed_problem(figure, limit):
    return None if figure <= limit else f"more than {limit}"
