"""Results within a test: one that looks at much of a costly run has a line for each thing, and continues after a failure."""
found = []


def report(name, is_right, figure=""):
    """One thing that was verified: whether it is right, or the list of what is not."""
    if isinstance(is_right, list):
        is_right, figure = not is_right, "; ".join(is_right[:3]) + (f" and {len(is_right) - 3} more" if len(is_right) > 3 else "")
    found.append((bool(is_right), f"{name}{': ' if figure != '' else ''}{figure}"))


def verify(name, problem, figure=""):
    """A problem is None or a text."""
    report(name, problem is None, figure if problem is None else problem)


def planted(name, problem):
    """A function that verifies must have found a problem in what was falsified."""
    report(f"planted: {name} is found", problem is not None)


def note(text):
    """A line that is no result."""
    found.append((None, text))
