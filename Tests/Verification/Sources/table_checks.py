"""What must hold of the table of `settle watch`, as functions of the screen, of the terminal's output and of
the recording. Each returns a sentence about the first fault, or None; `planted_faults` shows that each finds
one."""
import re
import unicodedata

# The table is drawn at most every 100 ms: that many times a second, and once more for a second that has begun,
# and once for a picture that was under way when counting began.
REDRAWS_PER_SECOND, REDRAWS_BESIDE = 10, 2
# Fewer than that, and the redraws were not counted, or the machine drew nothing.
REDRAWS_PER_SECOND_MIN = 1

ENTER, LEAVE, HIDE, SHOW = b"\033[?1049h", b"\033[?1049l", b"\033[?25l", b"\033[?25h"

# A terminal that knows no movement of its cursor but to an address, so that every picture begins with a step up.
TERMINFO = """settle-plain|cursor addressing alone,
\tcols#80, lines#24,
\tcup=\\E[%i%p1%d;%p2%dH, clear=\\E[H\\E[2J, el=\\E[K, rev=\\E[7m, bold=\\E[1m, dim=\\E[2m, sgr0=\\E[0m,
\tsmcup=\\E[?1049h, rmcup=\\E[?1049l, civis=\\E[?25l, cnorm=\\E[?25h,
"""


def cells(line):
    """A line as a list of the columns' characters; a wide character has an empty one behind it."""
    columns = []
    for character in line:
        if not unicodedata.combining(character):
            columns.append(character)
            if unicodedata.east_asian_width(character) in "WF":
                columns.append("")
    return columns


def table(screen):
    """The rows of the windows' table: for each title a dict of the columns' texts."""
    lines = screen.split("\n")
    head = next((number for number, line in enumerate(lines) if line.startswith("window ")), len(lines))
    rows = {}
    for line in lines[head + 1:]:
        # Two words with one space between them are one column's title. A column ends with its title.
        titles = [(match.group(), match.end()) for match in re.finditer(r"\S+( \S+)*", lines[head])][1:]
        columns = cells(line)
        first = re.fullmatch(r"(.*?) +(\d+×\d+|–|resting|dragged|pending)", "".join(columns[:titles[0][1]]))
        if not first:
            break
        ends = [end for _, end in titles]
        rest = ["".join(columns[begin:end]).strip() for begin, end in zip(ends, ends[1:])]
        rows[first.group(1)] = dict(zip((title for title, _ in titles), [first.group(2), *rest]))
    return rows


def wrong_sizes(rows, sizes):
    """A row for each window, with its size."""
    shown = {title: values.get("size") for title, values in rows.items()}
    wanted = {title: f"{width}×{height}" for title, (width, height) in sizes.items()}
    return None if shown == wanted else f"the table shows {shown}, the windows are {wanted}"


def wrong_states(screen, states):
    """Windows have these states, and the first line has their sums."""
    rows = table(screen)
    shown = {title: rows[title]["state"] for title in states if title in rows}
    sums = [f"{list(states.values()).count(state)} {state}" for state in ("dragged", "pending")]
    if shown != states:
        return f"the table shows {shown}, not {states}"
    return next((f"the first line lacks '{text}'" for text in sums if text not in screen.split("\n")[0]), None)


def wrong_page(screen, columns, rows, first, titles, present, absent):
    """The table fits into a terminal of a size, from a first row on, with the columns for which there is room."""
    lines = screen.split("\n")
    # Three lines of sums, the columns' titles, and the last line.
    page = rows - 5
    if list(table(screen)) != titles[first:first + page]:
        return f"the rows are {list(table(screen))}, not {titles[first:first + page]}"
    footer = f"{first + 1} to {first + page} of {len(titles)}"
    if len(lines) < rows or footer not in lines[rows - 1]:
        return f"the last line is {lines[rows - 1:rows]}, not {footer}"
    head = next(line for line in lines if line.startswith("window"))
    wrong = [word for word in present if word not in head] + [word for word in absent if word in head]
    return f"the columns are {head!r}: {wrong}" if wrong or len(head) > columns else None


def wrong_counts(rows, events, decisions):
    """Each row's naive and Settle rebuilds are those of the recording and of its replay."""
    for title, values in rows.items():
        sizes = [(e["width"], e["height"]) for e in events if "width" in e and e["scene"].startswith(title + " 0x")]
        naive = sum(a != b for a, b in zip([None, *sizes], sizes))
        built = sum(d["kind"] == "rebuild" and d["scene"].startswith(title + " 0x") for d in decisions)
        shown = (values["naive"], values["Settle"])
        if shown != (str(naive), str(built)):
            return f"{title} shows {shown}, the recording has {(naive, built)}"
    return None if rows else "there are no rows"


def wrong_totals(screen, replay):
    """The second line has the sums that `settle replay` counts in the recording."""
    shown = re.search(r"rebuilds so far: (\S+) at every change, (\S+) with a 100 ms debounce, (\S+) with Settle", screen)
    counted = [re.search(rf"([\d,]+)  {words}", replay) for words in ("rebuilding at every", "a fixed 100 ms", "this policy")]
    if not shown or not all(counted):
        return f"no sums: {screen!r}, {replay!r}"
    wanted = tuple(found.group(1) for found in counted)
    return None if shown.groups() == wanted else f"the table says {shown.groups()}, the replay {wanted}"


def redraws(output):
    """How many pictures are in the output of a terminal of the type `settle-plain`: each writes its lines from
    the top down, and leaves the cursor below."""
    lines = [int(match.group(1)) for match in re.finditer(rb"\033\[(\d+);\d+H", output)]
    return sum(after < before for before, after in zip([1 << 30, *lines], lines))


def too_many_redraws(count, seconds):
    most = REDRAWS_PER_SECOND * seconds + REDRAWS_BESIDE
    if count < REDRAWS_PER_SECOND_MIN * seconds:
        return f"only {count} redraws in {seconds:.1f} s: nothing was counted"
    return None if count <= most else f"{count} redraws in {seconds:.1f} s, the most are {most:.0f}"


def not_restored(output, modes_are_restored):
    """The terminal's modes, its normal screen and its cursor are back."""
    if not modes_are_restored:
        return "the terminal's modes are not those of before"
    for name, on, off in (("the table's screen", ENTER, LEAVE), ("the hidden cursor", HIDE, SHOW)):
        if on not in output:
            return f"{name} was never there"
        if output.rfind(off) < output.rfind(on):
            return f"{name} was not left"
    return None


def not_kept(output, words):
    """What was printed on standard error meanwhile is on the normal screen afterwards, and only there."""
    shown, _, after = output.rpartition(LEAVE)
    missing = [word for word in words if word not in after]
    if missing:
        return f"{missing} are not printed after the table: {after[-300:]!r}"
    early = [word for word in words if word in shown[shown.rfind(ENTER):]]
    return f"{early} are printed into the table" if early else None


def planted_faults(screen, sizes, events, decisions, replay, output, seconds):
    """Yields the name of each planted fault, and what the check says of it, which must not be None."""
    rows = table(screen)
    title = next(iter(rows))
    width, height = sizes[title]
    yield "a size off by one", wrong_sizes(rows, {**sizes, title: (width + 1, height)})
    yield "a window without a row", wrong_sizes(rows, {**sizes, "another": (100, 100)})
    states = {title: values["state"] for title, values in rows.items()}
    yield "another state", wrong_states(screen, {**states, title: "dragged"})
    yield "a sum of states that is wrong", wrong_states(screen.replace("0 pending", "1 pending"), states)
    yield "a row too few on a page", wrong_page(screen, 120, 6, 0, list(rows), [], [])
    page = "\n".join(["", "", "", "window    size", "a      400×300", "1 to 1 of 2: q quits"])
    assert wrong_page(page, 80, 6, 0, ["a", "b"], ["size"], ["lag"]) is None
    yield "a page that is not scrolled", wrong_page(page, 80, 6, 1, ["a", "b"], ["size"], ["lag"])
    yield "a column for which there is no room", wrong_page(page, 80, 6, 0, ["a", "b"], [], ["size"])
    yield "a column that is not there", wrong_page(page, 80, 6, 0, ["a", "b"], ["lag"], [])
    yield "a line that is too long", wrong_page(page, 10, 6, 0, ["a", "b"], [], [])
    yield "a change too few", wrong_counts(rows, events[:-1], decisions)
    last = max(index for index, d in enumerate(decisions) if d["kind"] == "rebuild")
    yield "a rebuild too few", wrong_counts(rows, events, decisions[:last])
    yield "another sum", wrong_totals(screen, re.sub(r"[\d,]+(  this policy)", r"99\1", replay))
    yield "each picture drawn three times", too_many_redraws(redraws(output * 3), seconds)
    yield "nothing drawn", too_many_redraws(0, seconds)
    whole = ENTER + HIDE + output + SHOW + LEAVE + b"said afterwards"
    yield "modes that stay", not_restored(whole, False)
    yield "a screen that stays", not_restored(whole.replace(LEAVE, b""), True)
    yield "a cursor that stays hidden", not_restored(whole.replace(SHOW, b""), True)
    yield "a message that is lost", not_kept(whole, [b"never said"])
    yield "a message within the table", not_kept(ENTER + b"said afterwards" + whole[len(ENTER):], [b"said afterwards"])
