"""A fleet's result as a text for people, in the words of `settle tune`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction

from .. import _durations
from .._library import lib
from .._messages import counted, escaped
from .._sweep import bucket_of
from ._output import Cohort, Fleet
from ..policy import NAMES, Policy

#: The most cohorts that are printed.
COHORTS_MAX = 20
#: The most problems, and the most sessions, that a message about damage names.
DAMAGED_MAX = 3
_TITLES = ("", "rebuilds", "vs today", "previews", "wasted", "p50 lag", "p95 lag", "what changes")


def text_of(fleet: Fleet, p95_lag_ns: int | None) -> Iterator[str]:
    """The lines: all cohorts together, then the first ones."""
    shown: list[Cohort] = []
    count = 0
    for cohort in fleet.cohorts():
        count += 1
        if len(shown) < COHORTS_MAX:
            shown.append(cohort)
    total = fleet.total
    assert total is not None
    of = f" in {counted(count, 'cohort')} by {', '.join(map(escaped, fleet.columns))}" if fleet.columns else ""
    yield (
        f"{counted(total.sessions, 'session')}{of}, {counted(total.events, 'event')} of"
        f" {counted(total.connections, 'connected scene')}. {counted(len(fleet.policies), 'policy', 'policies')} tried."
    )
    if total.damaged:
        is_one = total.damaged == 1
        yield (
            f"{counted(total.damaged, 'session')} {'is' if is_one else 'are'} damaged; the table"
            f" {escaped(str(fleet.folder / 'damaged'))} says what is wrong with {'it' if is_one else 'each'}."
        )
    if total.without_index:
        is_one = total.without_index == 1
        yield (
            f"{counted(total.without_index, 'session')} {'counts that has' if is_one else 'count that have'} no index:"
            f" nobody knows whether {'it is' if is_one else 'they are'} whole."
        )
    if fleet.columns:
        yield from ("", "All cohorts")
    yield from _part(fleet, total, p95_lag_ns)
    yield ""
    yield "  wasted: another rebuild of the same connected scene follows within a second"
    yield "  lag: from a scene's last change, or the later end of its interaction, to the decision;"
    yield "       counted within 3.2 %, and printed as the longest that it may be"
    if not fleet.columns:
        return
    for cohort in shown:
        values = ", ".join(
            f"{escaped(name)} {'null' if value is None else repr(escaped(value))}"
            for name, value in zip(fleet.columns, cohort.values or ())
        )
        damaged = f", {cohort.damaged:,} damaged" if cohort.damaged else ""
        yield from ("", f"{values}: {counted(cohort.sessions, 'session')}{damaged}")
        yield from _part(fleet, cohort, p95_lag_ns)
    if count > len(shown):
        yield from ("", f"{counted(count - len(shown), 'other cohort')}: --json FILE writes all.")


def too_damaged(fleet: Fleet, most: Fraction) -> str | None:
    """What is wrong with the damaged sessions of a fleet whose cohorts were read, if they are more than a share of all;
    None if they are not."""
    total, read = fleet.total, fleet.sessions_read()
    assert total is not None
    if total.damaged <= most * read:
        return None
    problems: Counter[str] = Counter()
    names: list[str] = []
    for row in fleet.damaged():
        problems[row["problem"]] += 1
        if row["session"] is not None and len(names) < DAMAGED_MAX:
            names.append(row["session"])
    shown = [f"{problem} ({count:,})" for problem, count in problems.most_common(DAMAGED_MAX)]
    said = ", ".join(shown) + ", …" * (len(problems) > len(shown))
    such = f"; such as {', '.join(names)}" if names else ""
    are = "is" if total.damaged == 1 else "are"
    return f"{total.damaged:,} of {counted(read, 'session')} {are} damaged, more than may be: {said}{such}"


def _part(fleet: Fleet, cohort: Cohort, p95_lag_ns: int | None) -> Iterator[str]:
    advised = fleet.advised(cohort, p95_lag_ns)
    word = "advised" if p95_lag_ns is None else "choice"
    rows = {*cohort.front, fleet.today} | ({advised} if advised is not None else set())
    shown = sorted(rows, key=lambda index: (*_order(cohort, index), index))
    cells = [list(_TITLES), *(_cells(fleet, cohort, index, advised, word) for index in shown)]
    every, every_wasted, debounce, debounce_wasted = cohort.baselines
    today = int(cohort.figures["rebuilds"][fleet.today])
    for name, rebuilds, wasted, what in (
        ("every size", every, every_wasted, "a rebuild at every changed size"),
        ("debounce", debounce, debounce_wasted, "a fixed 100 ms debounce"),
    ):
        cells.append([name, f"{rebuilds:,}", _versus(rebuilds, today), "–", f"{wasted:,}", "–", "–", what])
    widths = [max(len(row[column]) for row in cells) for column in range(len(_TITLES))]
    yield ""
    for row in cells:
        numbers = "".join("  " + cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1]))
        yield f"  {row[0].ljust(widths[0])}{numbers}   {row[-1]}"
    yield ""
    yield from _advice(fleet, cohort, p95_lag_ns, advised)


def _order(cohort: Cohort, index: int) -> tuple[int, int]:
    """By rising rebuilds, then by rising lag."""
    return int(cohort.figures["rebuilds"][index]), bucket_of(int(cohort.figures["p95_ns"][index]))


def _cells(fleet: Fleet, cohort: Cohort, index: int, advised: int | None, word: str) -> list[str]:
    marks = [
        name for name, marked in (("knee", cohort.knee), ("today", fleet.today), (word, advised)) if marked == index
    ]
    if len(marks) > 1 and index in cohort.front:
        marks.insert(0, "front")
    figures = {name: int(values[index]) for name, values in cohort.figures.items()}
    changes = _changes(fleet.policies[index], fleet.policies[fleet.today])
    return [
        ", ".join(marks), f"{figures['rebuilds']:,}",
        _versus(figures["rebuilds"], int(cohort.figures["rebuilds"][fleet.today])), f"{figures['previews']:,}",
        f"{figures['wasted']:,}", lag_text(figures["p50_ns"]), lag_text(figures["p95_ns"]),
        "nothing" if index == fleet.today else ", ".join(f"{name} {text or 'none'}" for name, text in changes.items()),
    ]


def _advice(fleet: Fleet, cohort: Cohort, p95_lag_ns: int | None, advised: int | None) -> Iterator[str]:
    figures = cohort.figures
    as_today = [f"    as today {line}" for line in _as_today(fleet, cohort)]
    if advised is None:
        assert p95_lag_ns is not None
        shortest = min((int(lag) for lag in figures["p95_ns"]), key=bucket_of)
        yield (
            f"  No policy has a p95 lag of at most {lag_text(p95_lag_ns)} (the shortest is {lag_text(shortest)})"
            f"{' and leaves what is named below as today' if as_today else ''}."
        )
        yield from as_today
        return
    if cohort.events == 0:
        reason = "The logs have no events, so nothing speaks against today's policy:"
    elif p95_lag_ns is not None:
        leaves = ", of the policies that leave what is named below as today" if as_today else ""
        reason = f"The fewest rebuilds within the bound{leaves}:"
    elif advised == fleet.today and _leaves_none(fleet, cohort):
        reason = "Today's policy: too few rebuilds waited for what the policies change:"
    elif advised == fleet.today:
        reason = "Today's policy: no other one has a better balance without more rebuilds or more wasted ones:"
    else:
        reason = "Neither more rebuilds nor more wasted ones than today's policy:"
    yield f"  {reason}"
    if advised != fleet.today:
        yield from _price(fleet, cohort, advised)
    options = options_of(fleet.policies[advised])
    today = fleet.policies[fleet.today]
    replaces = ", in place of today's" if advised != fleet.today and today != Policy() else ""
    yield f"    options{replaces}  {options or 'none: it is the default policy'}"
    yield from as_today


def _leaves_none(fleet: Fleet, cohort: Cohort) -> bool:
    """Whether every other policy changes a delay that stays as it is."""
    changes = [_changes(policy, fleet.policies[fleet.today]) for policy in fleet.policies]
    others = [names.keys() for names in changes if names]
    return bool(others) and not any(names.isdisjoint(cohort.unexercised) for names in others)


def _price(fleet: Fleet, cohort: Cohort, advised: int) -> Iterator[str]:
    """The figures of the advised policy beside today's."""
    for name, title in (("rebuilds", "rebuilds"), ("wasted", "wasted"), ("p50_ns", "p50 lag"), ("p95_ns", "p95 lag")):
        from_, to = (int(cohort.figures[name][index]) for index in (fleet.today, advised))
        text = lag_text if name.endswith("_ns") else "{:,}".format
        if text(from_) == text(to):
            yield f"    {title:<9}{text(to)}, as today"
            continue
        change = "–" if min(from_, to) < 0 else _versus(to, from_)
        yield f"    {title:<9}{text(to)} instead of {text(from_)}" + ("" if change == "–" else f" ({change})")


def _as_today(fleet: Fleet, cohort: Cohort) -> Iterator[str]:
    """What stays as it is, since few rebuilds waited for it."""
    today = fleet.policies[fleet.today]
    tried = {name for policy in fleet.policies for name in _changes(policy, today)}
    names = [name for name in cohort.unexercised if name in tried]
    if cohort.events and names:
        yield (
            f"{', '.join(names)}: fewer than {lib.SETTLE_EXERCISED_LEAST} rebuilds waited for"
            f" {'it' if len(names) == 1 else 'each'}"
        )


def options_of(policy: Policy) -> str:
    """The options of `settle` that describe a policy; empty for the default policy."""
    names = (field.name.removesuffix("_ns").removesuffix("_percent") for field in fields(Policy))
    option = {name: own.replace("_", "-") for name, own in zip(NAMES, names)}
    return " ".join(f"--{option[name]} {text or 'none'}" for name, text in _changes(policy, Policy()).items())


def _changes(policy: Policy, other: Policy) -> dict[str, str | None]:
    before = other.to_json()
    return {name: text for name, text in policy.to_json().items() if text != before[name]}


def _versus(rebuilds: int, today: int) -> str:
    """How many more or fewer rebuilds than today's policy has, in percent, or as a factor."""
    if today <= 0 or rebuilds == today:
        return "–"
    ratio = rebuilds / today
    if ratio >= 10:
        return f"×{ratio:.0f}"
    percent = 100 * (ratio - 1)
    return ("+" if percent > 0 else "-") + _short(abs(percent), 1 if abs(percent) < 10 else 0) + " %"


def lag_text(ns: int) -> str:
    """A lag for people: `50.3 ms`, `1.01 s`."""
    return "18 min or more" if ns < 0 else _durations.text(ns)


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
