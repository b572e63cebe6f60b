"""`python -m settle`: see `settle._command`."""

import sys

from ._command import main

sys.exit(main(sys.argv[1:]))
