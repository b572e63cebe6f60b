"""The checks that passed and failed."""

passed = failed = 0


def result(what: str, faults: list[str] | bool) -> None:
    global passed, failed
    faults = [] if faults is True else ["it does not hold"] if faults is False else faults
    passed, failed = passed + (not faults), failed + bool(faults)
    said = f"FAILED: {what}: {'; '.join(faults[:3])}" if faults else what
    print(f"check-fleet: {said}" + (f" and {len(faults) - 3} more" if len(faults) > 3 else ""), flush=True)
