"""A program of one's own under MPI: ``mpiexec -n 5 python -m fastgc.measuring PROGRAM``.

The first rank runs the program, the others load what it defines, as processes do, and serve its
measurements. A mistake is one sentence, and ends the job.
"""

import os
import runpy
import sys

from fastgc.errors import FastgcError, StorageError, WorkersError
from fastgc.measuring.ranks import leading


def main() -> int:
    """Run the program that the command line names; return the exit code that `fastgc` has."""
    if len(sys.argv) < 2:
        sys.stderr.write("usage: mpiexec -n N python -m fastgc.measuring PROGRAM [ARGUMENTS]\n")
        return 2
    program = sys.argv[1]
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(program))

    def load() -> None:
        vars(sys.modules["__main__"]).update(runpy.run_path(program, run_name="__mp_main__"))

    try:
        with leading(load) as leads:
            if leads:
                runpy.run_path(program, run_name="__main__")
    except FastgcError as mistake:
        sys.stderr.write(f"fastgc: {mistake}\n")
        return 74 if isinstance(mistake, StorageError | WorkersError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
