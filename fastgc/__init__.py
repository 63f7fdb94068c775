"""fastgc: a Monte Carlo engine for gradient coding.

Samples straggler patterns and completion times by the million, measures the decoding error of each
pattern, and says of every theorem whether the measurement agrees.
"""

import fastgc_kernels
from fastgc.errors import lazily
from fastgc.version import __version__

# A plain install and a run from the source tree can pair two versions, which would mix numbers.
if fastgc_kernels.__version__ != __version__:
    raise ImportError(
        f"fastgc {__version__} in {__path__[0]} found kernels {fastgc_kernels.__version__} in "
        f"{fastgc_kernels.__path__[0]}; install both anew from one place"
    )

__getattr__, _, _names = lazily(__name__, __file__)
_RARE = ("planning", "registry", "validation", "__version__")
__all__ = [name for name in _names if name not in _RARE]


def __dir__() -> list[str]:
    return __all__
