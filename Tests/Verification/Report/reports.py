"""Reports to check: of recordings, of a hostile log, of a damaged one and of a million events."""
import base64
import hashlib
import json
import pathlib
import re
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDINGS = sorted(path for path in (ROOT / "Tests/Recordings").glob("*.jsonl") if ".decisions." not in path.name)

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

    @property
    def bytes(self):
        return len((self.head + self.tail).encode())

    def report(self, data):
        """A report of data, a text."""
        return self.head + data + self.tail


def escaped(text):
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def events_of(log):
    """The number of events that a log's index states; None without an index."""
    if log[-8:] != b"STLEND\r\n":
        return None
    footer = len(log) - struct.unpack("<I", log[-12:-8])[0]
    return struct.unpack("<Q", log[footer + 8:footer + 16])[0]


def data_of(logs, policy=None):
    """The data of logs in the binary encoding, by name, as `settle report` writes it."""
    rows = []
    for name, log in logs:
        length = struct.unpack("<I", log[12:16])[0]
        header = json.loads(log[16:16 + length])
        rows.append({"name": name, "format": "settle", "header": {key: header.get(key) for key in ("clock", "unit", "source", "name")},
                     "events": events_of(log), "findings": [], "findingsCount": 0, "fault": None, "notes": [], "log": base64.b64encode(log).decode()})
    data = {"settle": "report", "version": 1, "generator": "settle", "policy": policy or {}, "logs": rows}
    return escaped(json.dumps(data, ensure_ascii=False))


def with_hashes(page):
    """A page whose script or style was changed, with the hashes that the policy then needs."""
    def source_hash(text):
        return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    script = page[page.rindex("<script>") + 8:page.rindex("</script>")]
    style = page[page.index("<style>") + 7:page.index("</style>")]
    page = re.sub(r"script-src 'sha256-[^']*'", lambda _: f"script-src '{source_hash(script)}'", page, count=1)
    return re.sub(r"style-src 'sha256-[^']*'", lambda _: f"style-src '{source_hash(style)}'", page, count=1)


def hostile_log():
    """JSON Lines whose names try to run something."""
    header = {"settle": "events", "version": 1, "clock": HOSTILE[1], "unit": HOSTILE[0], "source": HOSTILE[1], "name": HOSTILE[2]}
    lines = [json.dumps(header)]
    for i in range(400):
        name = HOSTILE[i % len(HOSTILE)]
        lines.append(json.dumps({"t_ns": 1_700_000_000_000_000_000 + i * 7_000_000, "scene": name, "width": 12300.25 + i, "height": 200 + i % 7,
                                 "resizing": i % 40 < 30, "locked": i % 90 < 40}, ensure_ascii=i % 2 == 0))
    return "\n".join(lines) + "\n"


def crc32c(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def large_log(chunks):
    """A binary log of chunks × 65,536 events: drags of four scenes at 1,000 events a second each."""
    events, scenes = 65_536, 4
    dictionary = b"".join(struct.pack("<H", 8) + f"window {i}".encode() for i in range(scenes))
    body = bytearray(dictionary)
    times, last = 0, [(0, 0)] * scenes
    for i in range(events):
        scene, at = i % scenes, i // scenes
        delta = 0 if i == 0 else 250_000
        times += delta
        is_resizing = at % 400 < 380
        size = (400 + (at * 3) % 391, 300 + (at * 7) % 211)
        # Three bytes of time, kind and flags, a scene in one byte, differences of 16 bits.
        body += bytes([0x01 | 0x10 | 0x08 | 0x20]) + delta.to_bytes(3, "little") + bytes([0])
        body += struct.pack("<HBhh", 0x80 | 1 | (2 if is_resizing else 0), scene, size[0] - last[scene][0], size[1] - last[scene][1])
        last[scene] = size
    body = bytes(body)
    body_crc = crc32c(body)
    metadata = b'{"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"made","name":"a million events"}'
    header = bytes([0x89, 0x53, 0x54, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]) + struct.pack("<HHI", 1, 0, len(metadata)) + metadata
    out = [header + struct.pack("<I", crc32c(header))]
    offset, index = len(out[0]), b""
    for number in range(chunks):
        first = 1_000_000_000 + number * (times + 250_000)
        start = b"CHNK" + struct.pack("<IIIQQIII", len(body), events, scenes, first, first + times, len(dictionary), 0, body_crc)
        out.append(start + struct.pack("<I", crc32c(start)) + body)
        index += struct.pack("<QQQII", offset, first, first + times, events, 48 + len(body))
        offset += 48 + len(body)
    footer = b"INDX" + struct.pack("<IQ", chunks, chunks * events) + index
    out.append(footer + struct.pack("<II", crc32c(footer), len(footer) + 16) + b"STLEND\r\n")
    return b"".join(out)


class Settle:
    """The command."""

    def __init__(self, program, work):
        self.program, self.work = program, work
        self.has_report = subprocess.run([program, "report", "--help"], capture_output=True).returncode == 0

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

    def report(self, page, out, *logs):
        """Writes a report of logs."""
        if self.has_report:
            self.run("report", "--force", *logs, "-o", out)
        else:
            out.write_text(page.report(data_of([(pathlib.Path(log).name, self.binary(log)) for log in logs])))
        return out
