"""Reports to check: of recordings, of a hostile log, of a damaged one and of a million events."""
import base64
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDINGS = sorted(path for path in (ROOT / "Tests/Recordings").glob("*.jsonl") if ".decisions." not in path.name)

EVENTS_MAX = 1_000_000

# What a scene's name could try. JSON Lines has no NUL in it, the rest is allowed.
HOSTILE = [
    "</script><script>window.hostile = 1</script>", "<img src=x onerror=\"window.hostile = 2\">", "'\"><svg onload=window.hostile=3>",
    "javascript:window.hostile=4", "<!--<script>", "]]>", "${window.hostile = 5}", "{{data}}", "\u202egnp.exe \u2066rtl\u2069", "\u0001\u0007\u001b[31m\u007f\u009b",
    "\u2028\u2029", "", "constructor", "__proto__", "é" * 512, "<b>" * 341, "&lt;script&gt;&#x3c;", "\U0001f600 emoji\ufeff", "\ufeffmark", "mark", "`\\u003c",
]


class Page:
    """The page before and after the data."""

    def __init__(self):
        folder = ROOT / "CSources/CGeneratedPage"
        self.head, self.tail = ((folder / f"{part}.html").read_text() for part in ("head", "tail"))

    def report(self, data):
        """A report of data, a text."""
        return self.head + data + self.tail


def data_of(log, policy=None):
    """The data of a log in the binary encoding, as `settle report` writes it."""
    index = log.rindex(b"INDX") if log.endswith(b"STLEND\r\n") else None
    row = {"name": "log", "format": "settle", "header": {}, "events": index and int.from_bytes(log[index + 8:index + 16], "little"),
           "findings": [], "findingsCount": 0, "fault": None, "notes": [], "log": base64.b64encode(log).decode()}
    return json.dumps({"settle": "report", "version": 1, "generator": "settle", "policy": policy or {}, "logs": [row]})


def hostile_log():
    """JSON Lines whose names try to run something."""
    header = {"settle": "events", "version": 1, "clock": HOSTILE[1], "unit": HOSTILE[0], "source": HOSTILE[1], "name": HOSTILE[2]}
    lines = [json.dumps(header)]
    for i in range(400):
        name = HOSTILE[i % len(HOSTILE)]
        lines.append(json.dumps({"t_ns": 1_700_000_000_000_000_000 + i * 7_000_000, "scene": name, "width": 12300.25 + i, "height": 200 + i % 7,
                                 "resizing": i % 40 < 30, "locked": i % 90 < 40}, ensure_ascii=i % 2 == 0))
    return "\n".join(lines) + "\n"


def large_log():
    """JSON Lines with as many events as a report holds: drags of four scenes at 1,000 events a second each."""
    yield '{"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"made","name":"a million events"}\n'
    for i in range(EVENTS_MAX):
        at, is_resizing = i // 4, "true" if i // 4 % 400 < 380 else "false"
        yield (f'{{"t_ns":{1_000_000_000 + i * 250_000},"scene":"window {i % 4}","width":{400 + at * 3 % 391},"height":{300 + at * 7 % 211},'
               f'"resizing":{is_resizing}}}\n')


class Settle:
    """The command."""

    def __init__(self, program, work):
        self.program, self.work = program, work

    def run(self, *arguments):
        ran = subprocess.run([self.program, *arguments], capture_output=True, text=True, encoding="utf-8")
        if ran.returncode != 0:
            raise RuntimeError(f"settle {' '.join(map(str, arguments))}: {ran.stderr.strip()}")
        return ran.stdout

    def decisions(self, log, *options):
        """The decision objects of a replay."""
        return [json.loads(line) for line in self.run("replay", "--decisions", "-", *options, log).split("\n") if line]

    def binary(self, log):
        """A log in the binary encoding."""
        out = self.work / (pathlib.Path(log).stem + ".settle")
        self.run("convert", "--force", log, out)
        return out.read_bytes()
