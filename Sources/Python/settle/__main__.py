"""`python -m settle COMMAND`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs a command and returns the exit status."""
    if sys.argv[1:2] == ["pack"]:
        from . import _pack_command

        return _pack_command.main(sys.argv[2:])
    print("usage: python -m settle pack [OPTION]... DIR OUT", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
