"""How fast fastgc is, against the loop one writes first and the best NumPy one can write.

``python -m bench`` from the repository's root; ``--check`` fails below the floors.
"""

import os

# One thread for everybody; NumPy reads this when it is imported.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from fastgc_kernels._jit import compile_at_once  # noqa: E402

# what is measured is the speed of kernels, from their first call on
compile_at_once()
