"""For spark-submit, which runs a file: `spark-submit … settle/fleet/__main__.py IN OUT …`."""

import sys

from settle.fleet import main

if __name__ == "__main__":
    sys.exit(main())
