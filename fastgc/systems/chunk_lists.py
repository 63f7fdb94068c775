"""Lists of the chunks that workers hold, one a worker, as a user gives them."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pydantic
from numpy.typing import NDArray

Lists = Annotated[
    tuple[tuple[Annotated[int, pydantic.Field(ge=0)], ...], ...], pydantic.Field(min_length=1)
]


def holders(lists: Sequence[Sequence[int]], key: str, n: int, d: int) -> NDArray[np.int64]:
    """Return how many of n lists have each chunk, from 0 to the largest that is in one.

    Raises ValueError, which names ``key``, if there are not n lists of d different chunks.

    >>> holders([[0, 1], [1, 2]], "order", n=2, d=2).tolist()
    [1, 2, 1]
    """
    if len(lists) != n:
        raise ValueError(f"{key} must have one list a worker (got {len(lists)} for n={n})")
    for w, own in enumerate(lists):
        if len(own) != d or len(set(own)) != d:
            raise ValueError(f"{key}[{w}] must have d={d} different chunks (got {list(own)})")
    return np.bincount(np.concatenate([np.array(own) for own in lists]))
