"""For spark-submit, which runs a file: `spark-submit … fleet_main.py IN OUT …`."""

import sys

from settle.fleet_command import main

if __name__ == "__main__":
    sys.exit(main())
