"""Names of the types of arrays that most modules take and return; how what holds them is shown."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Brief:
    """Mixin of a class that shows itself in a line: its fields, of long arrays form and type."""

    def __repr__(self) -> str:
        own: Any = self
        names = getattr(type(own), "model_fields", None) or [f.name for f in fields(own) if f.repr]
        shown = ((name, brief(getattr(self, name))) for name in names if name[0] != "_")
        said = [f"{name}={text}" for name, text in shown if text not in _NOTHING]
        return f"{type(self).__name__}({', '.join(said)})"

    def __str__(self) -> str:
        return repr(self)


_NOTHING = ("None", "''", "()", "[]", "{}")  #: Values of fields that say nothing.
_LONGEST = 60  #: Letters of a value.


def brief(value: object) -> str:
    """Write a value in a few letters: of what is long only how much it is.

    >>> brief(np.ones((1000, 2))), brief([1 / 3, 2]), brief({"a": "b" * 100})
    ('<float64 (1000, 2)>', '[0.333333, 2]', '<dict of 1>')
    """
    if isinstance(value, np.ndarray) and value.size > 6:
        return f"<{value.dtype} {value.shape}>"
    if isinstance(value, np.ndarray | np.generic):
        return brief(value.tolist())
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list) and len(value) <= _LONGEST:
        text = f"[{', '.join(map(brief, value))}]"
    else:
        text = repr(value)
    if len(text) <= _LONGEST:
        return text
    if isinstance(value, list | tuple | dict):
        return f"<{type(value).__name__} of {len(value)}>"
    return f"{text[: _LONGEST - 1]}…"
