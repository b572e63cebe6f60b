"""Policies as the page's texts state them: nanoseconds by name, None for none."""
import ctypes
import itertools
import re
import subprocess

from reports import ROOT

UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "%": 1}
SWIFT_UNITS = {"nanoseconds": 1, "microseconds": 1_000, "milliseconds": 1_000_000, "seconds": 1_000_000_000}
NEVER = 2 ** 64 - 1
number = itertools.count()


def nanoseconds(policy):
    """A policy file's durations."""
    parts = {name: text and re.fullmatch(r"([\d.]+)([a-z]+|%)", text).groups() for name, text in policy.items()}
    return {name: part and round(float(part[0]) * UNITS[part[1]]) for name, part in parts.items()}


def c_policy(work, names, text):
    """The policy that C statements make, compiled with the core."""
    library, source = work / f"policy{next(number)}.so", work / "policy.c"
    source.write_text(f'#include "settle.h"\nsettle_policy made(void);\nsettle_policy made(void) {{\n{text}\nreturn policy;\n}}\n')
    core = sorted((ROOT / "CSources/CSettle/core").glob("*.c"))
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT}/CSources/CSettle/include", source, *core, "-o", library], check=True)
    make = ctypes.CDLL(str(library)).made
    make.restype = type("Policy", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_uint64) for name in ["size", *names]]})
    made = make()
    return {name: None if getattr(made, name) == NEVER else getattr(made, name) for name in names}


def swift_policy(presets, text):
    """The policy that a Swift declaration makes, from the presets' durations."""
    preset = re.fullmatch(r"let policy = Policy\.(\w+)", text)
    if preset:
        return presets[preset[1]]
    policy = dict(presets["default"])
    for name, given in re.findall(r"(\w+): ([^,\n]+)", re.fullmatch(r"let policy = Policy\((.*)\)", text, re.S)[1]):
        measured = re.fullmatch(r"\.(\w+)\((\d+)\)", given)
        # A percentage's name says so in Swift.
        policy[name.removesuffix("Percent")] = None if given == "nil" else 0 if given == ".zero" else int(given) if given.isdigit() else int(measured[2]) * SWIFT_UNITS[measured[1]]
    return policy
