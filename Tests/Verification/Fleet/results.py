"""The checks that passed and failed."""

passed = failed = 0


def result(what: str, faults: list[str] | bool) -> None:
    global passed, failed
    faults = [] if faults is True else ["it does not hold"] if faults is False else faults
    if not faults:
        passed += 1
        print(f"check-fleet: {what}", flush=True)
        return
    failed += 1
    print(
        f"check-fleet: FAILED: {what}: {'; '.join(faults[:3])}"
        + (f" and {len(faults) - 3} more" if len(faults) > 3 else ""),
        flush=True,
    )


def found(what: str, faults: list[str]) -> None:
    """A planted fault must be found."""
    result(f"a planted fault is found: {what}" + (f" ({faults[0]})" if faults else ""), bool(faults))
