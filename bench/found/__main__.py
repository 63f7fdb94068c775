"""The command ``python -m bench.found [make FOLDER]``: check the table's codes, or make them.

What is made is kept in FOLDER unit by unit, so that the same command goes on where it was stopped.
Descents use LAPACK and SciPy: another machine may find other codes, with other errors; a code that
the table holds stays where what was found has not 0.1 % less mean error, or less worst error.
"""

import json
import sys
from pathlib import Path

from bench.found import check


def main() -> int:
    match sys.argv[1:]:
        case []:
            return check.main()
        case ["make", folder]:
            from bench.found.make import make

            check.FILE.write_text(json.dumps(make(Path(folder)), separators=(",", ":")), "utf-8")
            return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
