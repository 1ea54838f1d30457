"""`python -m greenline`: the same as the command."""

import sys

from greenline.cli import main

sys.exit(main())
