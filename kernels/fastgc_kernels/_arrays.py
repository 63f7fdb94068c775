"""Types of arrays, and the constants that kernels need of 64-bit words."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Numbers = NDArray[np.int32]  # of workers or rows, where there are many
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Booleans = NDArray[np.bool_]

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFFFFFFFFFFFFFF)
SIX = U64(6)  # a bit's word is its number >> 6,
LOW6 = U64(63)  # its place in the word these bits of it
