"""Reports whose file is damaged, and what the page must say."""
import json

from reports import data_of


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def damaged_reports(log):
    """Of a binary log: the data of a sound report, and by name that of damaged ones with words of the message."""
    sound = data_of(log, {"firstDelay": "0s"})
    index = log.rindex(b"INDX")
    # Its index lists another chunk, with a checksum that is right.
    foreign = log[:index + 16] + b"\x00" * 8 + log[index + 24:-16]
    foreign += crc32c(foreign[index:]).to_bytes(4, "little") + log[-12:]
    changed = lambda **keys: json.dumps({**json.loads(sound), **keys})
    damaged = {
        "no JSON": (sound[:-2], "no JSON"), "empty": ("", "no JSON"), "another object": ("{}", "no report"), "an array": ("[1]", "no report"),
        "no logs": ('{"settle":"report","version":1}', "no log"), "odd logs": ('{"settle":"report","version":1,"logs":[null,5,{"log":7}]}', "cannot be shown"),
        "odd keys": ('{"settle":"report","version":"2","logs":[{"name":{},"header":[],"findings":5,"notes":[1],"log":"AAAA"}]}', "cannot be shown"),
        "no base64": (data_of(log).replace('"log": "', '"log": "*'), "no base64"),
        "torn": (data_of(log[:len(log) // 2]), "damaged"), "no bytes": (data_of(log).split('"log": "')[0] + '"log": ""}]}', "cannot be shown"),
        "a byte": (data_of(log[:300] + bytes([log[300] ^ 1]) + log[301:]), "damaged"),
        "header": (data_of(log[:20] + bytes([log[20] ^ 1]) + log[21:]), "header of the embedded log is damaged"),
        "no index": (data_of(log[:index]), "no index"), "index": (data_of(log[:index + 20] + bytes([log[index + 20] ^ 1]) + log[index + 21:]), "index of the embedded log is damaged"),
        "torn index": (data_of(log[:-5]), "index of the embedded log is damaged"), "more after it": (data_of(log + b"x" * 20), "data follow it"),
        "foreign index": (data_of(foreign), "contradicts"), "other number of events": (data_of(log).replace('"events": ', '"events": 1'), "number of events is"),
        "version": (changed(version=2), '"version" is the number 2'), "no policy": (changed(policy=None), "it is null, and no object"),
        "a list as policy": (changed(policy=[]), "it is a list"), "logs of another kind": (changed(logs={}), '"logs" is an object'),
        "a log that is null": (changed(logs=[None]), "number 1 of the report’s logs is null"), "no log": (changed(logs=[{"name": "a"}]), '"log" of number 1 of the report’s logs is missing'),
        "a number as log": (changed(logs=[{"log": 7}]), "is the number 7"),
        "odd policy": (data_of(log, {"quietDelay": "9h", "x": 1}), "policy is not shown"),
    }
    return sound, damaged
