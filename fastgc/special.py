"""scipy's special functions, which only some laws and tests need."""

from __future__ import annotations

from typing import Any

from fastgc.errors import FastgcError


def special(what: str) -> Any:
    """Return ``scipy.special``; it takes longer to import than many a command runs.

    Raises
    ------
    FastgcError
        If scipy is not installed; ``what`` says what asked for it.
    """
    try:
        import scipy.special
    except ImportError:
        raise FastgcError(
            f"{what}: needs scipy; install it with pip install 'fastgc-sim[scipy]'"
        ) from None
    return scipy.special
