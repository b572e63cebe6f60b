"""The table of `settle watch` in tmux and in terminals that this script plays, on X11 desktops in Xvfb."""
import re
import subprocess
import time
import unicodedata

from desktop import Desktop, Window
from results import planted, report, verify
from support import SETTLE, until
from terminals import Pane, Terminal, Tmux
from test_table_ends import left_problem

LOAD_SECONDS, CHANGES_PER_SECOND, KEYS_PER_SECOND, RESIZES_PER_SECOND = 4.0, 1000, 30, 60
# The table is drawn at most every 100 ms: that many times a second, and once more for a second that has begun,
# and once for a picture that was under way when counting began.
REDRAWS_PER_SECOND, REDRAWS_BESIDE = 10, 2
# Fewer than that, and the redraws were not counted, or the machine drew nothing.
REDRAWS_PER_SECOND_MIN = 1
# A terminal that knows no movement of its cursor but to an address, so that every picture begins with a step up.
TERMINFO = """settle-plain|cursor addressing alone,
\tcols#80, lines#24,
\tcup=\\E[%i%p1%d;%p2%dH, clear=\\E[H\\E[2J, el=\\E[K, rev=\\E[7m, bold=\\E[1m, dim=\\E[2m, sgr0=\\E[0m,
\tsmcup=\\E[?1049h, rmcup=\\E[?1049l, civis=\\E[?25l, cnorm=\\E[?25h,
"""

def cells(line):
    """A line as a list of the columns' characters; a wide character has an empty one behind it."""
    shown = [character for character in line if not unicodedata.combining(character)]
    return [cell for character in shown for cell in ([character, ""] if unicodedata.east_asian_width(character) in "WF" else [character])]


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


def rows_problem(screen, windows, dragged=None):
    """Why there is not a row for each window, with its size and state, and the states' sums in the first line."""
    shown = {title: (row["size"], row["state"]) for title, row in table(screen).items()}
    wanted = {title: ("{}×{}".format(*window.size()), "dragged" if title == dragged else "resting") for title, window in windows.items()}
    if shown != wanted:
        return f"the table shows {shown}, the windows are {wanted}"
    sums = f"{int(bool(dragged))} dragged, 0 pending"
    return None if sums in screen.split("\n")[0] else f"the first line lacks '{sums}'"


def resize_steps(window, count):
    """Changes a window's size so many times, and waits until the server knows."""
    for step in range(count):
        window.resize(300 + 7 * step, 200 + 5 * step)
    window.size()


def test_rows(folder):
    """Sizes and states, in tmux. (LiveScenesTests and TableLayoutTests have the counts.)"""
    with Desktop(folder, "openbox") as desktop, Tmux() as tmux:
        windows = {title: Window(desktop, title, 200 + 50 * number, 100 + 30 * number)
                   for number, title in enumerate(["plain", "two words", "漢字かな", "é with accents", "last"])}
        pane = Pane(tmux, [SETTLE, "watch", "--display", desktop.display])

        def shows(what, dragged=None):
            until(lambda: not rows_problem(pane.screen(), windows, dragged))
            verify(what, rows_problem(pane.screen(), windows, dragged), f"{len(windows)} windows")
        shows("a row for each window, with its size")
        desktop.pointer.button(1, True)
        resize_steps(windows["plain"], 20)
        shows("a window that changes while a button is held is dragged", "plain")
        desktop.pointer.button(1, False)
        resize_steps(windows["two words"], 10)
        reason = lambda title: table(pane.screen())[title]["last reason"]
        until(lambda: reason("plain") == "interactionEnded" and reason("two words") != "first")
        shows("after the release it rests")
        report("and the reason is said", reason("plain") == "interactionEnded", reason("two words"))
        screen = tmux.steady_screen(pane.name)
        pane.keys("q")
        verify("q leaves it with status 0, the normal screen and the modes of before", pane.left_problem())
        planted("another size", rows_problem(screen.replace("×", "×1", 1), windows))


def test_titles(folder):
    """Titles of WM_NAME, identifiers where titles repeat, the busiest window on top, and the sums in the end."""
    with Desktop(folder) as desktop, Terminal([SETTLE, "watch", "--display", desktop.display], (10, 80)) as terminal, Tmux() as tmux:
        windows = [Window(desktop, "Café", old=b"Caf\xe9"), Window(desktop, "twice"), Window(desktop, "twice")]
        pane = Pane(tmux, [SETTLE, "watch", "--display", desktop.display, "--busiest-first"])
        ids = [f"0x{window.id:x}" for window in windows]
        wanted = {"Café"} | {f"twice {each}" for each in ids[1:]}
        shown = lambda: [re.sub(r" +", " ", title) for title in table(pane.screen())]
        report("a title of WM_NAME is shown, and identifiers where titles repeat", until(lambda: set(shown()) == wanted), shown())
        resize_steps(windows[2], 30)
        report("the busiest window comes first", until(lambda: shown()[0] == f"twice {ids[2]}"), shown())
        report("with its curve and what is saved", until(lambda: any(
            row["saved"] == "30" and re.search("[▁-█]", row["last 8 s"]) for row in table(pane.screen()).values())))
        terminal.sees("Café".encode())
        terminal.type(b"q")
        # What is pending is decided then.
        verify("in the end a line has the sums", left_problem(terminal, 0, b"settle: 3 windows, 33 events: 29 rebuilds saved"))


def fitting(title, columns):
    """What of a title fits into so many columns: characters of unknown width are left out, and accents take none."""
    shown, used = "", 0
    for character in title:
        if unicodedata.category(character) == "Cn":
            continue
        width = 0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used + width > columns:
            break
        shown, used = shown + character, used + width
    return shown


def styles_of(line):
    """The attributes, but no colours, that a line of `capture-pane -e` sets."""
    return set(re.findall(r"\033\[(\d+)m", line)) & {"1", "2", "7"}


def test_widths(folder):
    """Long titles of wide characters, of accents, and of characters that nobody knows, in terminals of odd and even widths."""
    titles = ["漢" * 60, "a" + "漢" * 60, "e\u0301" * 90, "x\u0378y", "short"]
    with Desktop(folder) as desktop, Tmux() as tmux:
        for title in titles:
            Window(desktop, title)
        for locale in ("C.UTF-8", "C"):
            pane = Pane(tmux, ["env", f"LC_ALL={locale}", SETTLE, "watch", "--display", desktop.display])
            for columns in (80, 81):
                tmux.resize(pane.name, columns, 24)

                def problem():
                    lines = pane.screen().split("\n")
                    head = next((line for line in lines if line.startswith("window ")), "size")
                    # Two columns are between a title and the sizes, which have 11.
                    room = re.search("size", head).end() - 13
                    shown = lines[lines.index(head) + 1:][:len(titles)] if head in lines else []
                    wanted = [fitting(title, room) for title in titles]
                    found = [re.sub(r" +(\d+×\d+|–|resting|pending) .*", "", line) for line in shown]
                    return None if len(head) == columns and found == wanted else f"in {columns} columns: {found}, not {wanted}"
                until(lambda: not problem())
                verify(f"titles are cut where their columns end, with {locale} and {columns} columns", problem())
            text = pane.screen()
            report(f"{locale}: a curve is of blocks where the locale has them alone", bool(re.search("[▁-█]", text)) == (locale == "C.UTF-8"))
            styles = [styles_of(line) for line in tmux("capture-pane", "-p", "-e", "-t", pane.name).split("\n")]
            head = next(number for number, line in enumerate(text.split("\n")) if line.startswith("window "))
            report(f"{locale}: each line has its own style", styles[0] == {"1"} and styles[head] == {"7"}
                   and not any(styles[head + 1:head + 1 + len(titles)]) and styles[23] == {"2"}, styles)
            pane.keys("q")
            verify(f"{locale}: q leaves it", pane.left_problem())


def page_problem(screen, first, rows=24):
    """Why a terminal of so many rows does not show the windows from a first one on."""
    # Three lines of sums, the columns' titles, and the last line.
    end = first + rows - 5
    titles = [f"number {number}" for number in range(first, end)]
    found, footer = list(table(screen)), f"{first + 1} to {end} of 30"
    return None if found == titles and footer in screen.split("\n")[rows - 1] else f"the rows are {found}: {screen[-200:]!r}"


def test_sizes(folder):
    with Desktop(folder) as desktop, Tmux() as tmux:
        windows = [Window(desktop, f"number {number}") for number in range(30)]
        slow = ["--quiet-delay", "1h", "--jump-delay", "none"]
        pane = Pane(tmux, [SETTLE, "watch", "--display", desktop.display, *slow])

        def shows(what, first=0, rows=24):
            until(lambda: not page_problem(pane.screen(), first, rows))
            verify(what, page_problem(pane.screen(), first, rows))
        for columns, rows in ((60, 10), (140, 30), (120, 24)):
            tmux.resize(pane.name, columns, rows)
            shows(f"a terminal of {columns}x{rows} has {rows - 5} rows", rows=rows)
        for key, first in (("Down", 1), ("j", 2), ("Up", 1), ("End", 11), ("PageUp", 0), ("PageDown", 11), ("Home", 0)):
            pane.keys(key)
            shows(f"the key {key} scrolls", first)
        # Where a page is not nearly all of it.
        tmux.resize(pane.name, 120, 12)
        shows("a low terminal has fewer rows", rows=12)
        for key, first in (("End", 23), ("PageUp", 16), ("Home", 0), ("PageDown", 7), ("k", 6), ("Home", 0)):
            pane.keys(key)
            shows(f"the key {key} scrolls in a low terminal", first, 12)
        tmux.resize(pane.name, 10, 3)
        pane.sees("settle wat\n")
        tmux.resize(pane.name, 120, 24)
        shows("a terminal of 10x3 loses nothing: with more room the table is back")
        planted("a page that is not scrolled", page_problem(pane.screen(), 1))
        resize_steps(windows[5], 3)
        report("a window whose rebuild is pending is shown as pending", until(lambda: table(pane.screen())["number 5"]["state"] == "pending"))
        windows[0].destroy()
        report("a window that closes has no row", until(lambda: "29 windows" in pane.screen() and "number 0" not in table(pane.screen())))
        pane.keys("C-c")
        verify("Ctrl-C leaves it after all this", pane.left_problem())

def redraws_problem(output, seconds):
    """Why the pictures in the output of a terminal of the type `settle-plain` are too many or none: each writes its
    lines from the top down, and leaves the cursor below."""
    lines = [int(match.group(1)) for match in re.finditer(rb"\033\[(\d+);\d+H", output)]
    count = sum(after < before for before, after in zip([1 << 30, *lines], lines))
    is_right = REDRAWS_PER_SECOND_MIN * seconds <= count <= REDRAWS_PER_SECOND * seconds + REDRAWS_BESIDE
    return None if is_right else f"{count} redraws in {seconds:.1f} s"


def test_redraws(folder):
    (folder / "settle-plain.ti").write_text(TERMINFO)
    subprocess.run(["tic", "-x", "-o", folder, folder / "settle-plain.ti"], check=True)
    with Desktop(folder) as desktop:
        windows = [Window(desktop, f"number {number}") for number in range(30)]
        for name, act, each in (
                ("nothing else", None, 0),
                ("keys that scroll", lambda terminal, number: terminal.type(b"jk"[number % 2:][:1]), KEYS_PER_SECOND),
                ("sizes of the terminal", lambda terminal, number: terminal.resize(20 + number % 9, 100 + number % 20), RESIZES_PER_SECOND)):
            with Terminal([SETTLE, "watch", "--display", desktop.display], (24, 120), {"TERM": "settle-plain", "TERMINFO": str(folder)}) as terminal:
                terminal.sees(b"q quits")
                terminal.shown, sent, acted, began = b"", 0, 0, time.monotonic()
                while (passed := time.monotonic() - began) < LOAD_SECONDS:
                    terminal.look(0.002)
                    while sent < passed * CHANGES_PER_SECOND:
                        windows[0].resize(300 + sent % 200, 200 + sent % 150)
                        sent += 1
                    while acted < passed * each:
                        act(terminal, acted)
                        acted += 1
                output, seconds = terminal.look(), time.monotonic() - began
                verify(f"at most 10 redraws a second with {name}", redraws_problem(output, seconds),
                       f"{sent / seconds:.0f} changes/s, {acted / seconds:.0f} a second")
        planted("each picture drawn three times", redraws_problem(output * 3, seconds))
