"""Policies as the page's texts state them: nanoseconds by name, None for none."""
import ctypes
import itertools
import re
import subprocess

from reports import ROOT

UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "%": 1}
SWIFT_UNITS = {"nanoseconds": 1, "microseconds": 1_000, "milliseconds": 1_000_000, "seconds": 1_000_000_000}
NAMES = ["firstDelay", "reportedEndDelay", "releasedEndDelay", "discreteDelay", "quietDelay", "quietMaximum", "jumpDelay", "lockDelay",
         "pauseDelay", "maximumWait", "interactionTimeout", "liveShare", "liveLimit", "liveInterval"]
NEVER = 2 ** 64 - 1
number = itertools.count()


def nanoseconds(text):
    if text is None:
        return None
    value, unit = re.fullmatch(r"([\d.]+)([a-z]+|%)", text).groups()
    return round(float(value) * UNITS[unit])


def c_policy(work, text):
    """The policy that C statements make, compiled with the core."""
    library = work / f"policy{next(number)}.so"
    source = work / "policy.c"
    source.write_text(f'#include "settle.h"\nsettle_policy made(void);\nsettle_policy made(void) {{\n{text}\nreturn policy;\n}}\n')
    core = sorted((ROOT / "CSources/CSettle/core").glob("*.c"))
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT}/CSources/CSettle/include", source, *core, "-o", library], check=True)
    policy = type("Policy", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_uint64) for name in ["size", *NAMES]]})
    make = ctypes.CDLL(str(library)).made
    make.restype = policy
    made = make()
    return {name: None if getattr(made, name) == NEVER else getattr(made, name) for name in NAMES}


def swift_policy(text):
    """The policy that a Swift declaration makes, by the defaults of docs/reference/contract.md."""
    ms = 1_000_000
    default = dict(zip(NAMES, [0, 0, 16 * ms, 50 * ms, 200 * ms, 500 * ms, 50 * ms, 100 * ms, None, None, 10_000 * ms, None, 16 * ms, 16 * ms]))
    if text == "let policy = Policy.uikit":
        kept = {name: default[name] for name in ("liveLimit", "liveInterval")}
        return {name: None if default[name] is None or name in ("jumpDelay", "interactionTimeout") else 0 for name in NAMES} | kept
    if text == "let policy = Policy.default":
        return default
    inner = re.fullmatch(r"let policy = Policy\((.*)\)", text, re.S)[1]
    for name, given in re.findall(r"(\w+): ([^,\n]+)", inner):
        measured = re.fullmatch(r"\.(\w+)\((\d+)\)", given)
        default[name] = None if given == "nil" else 0 if given == ".zero" else int(given) if given.isdigit() else int(measured[2]) * SWIFT_UNITS[measured[1]]
    return default
