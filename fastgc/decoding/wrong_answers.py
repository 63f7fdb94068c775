"""Answers that are wrong: found by the others, and left out of the gradient."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.codes.agreement import agreeing
from fastgc.codes.given import code_given
from fastgc.decoding.decode import decode
from fastgc.errors import FastgcError

#: A larger error, a partition, is none of rounding.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Correction:
    """The gradient that most answers agree on.

    * ``gradient`` (array (p,)): the sum of the partitions' gradients.
    * ``left_out``: workers whose answers contradict the others'.
    """

    gradient: NDArray[Any]
    left_out: tuple[int, ...]


def correct(
    code: Any, answers: Mapping[int, ArrayLike], most: int | None = None, agree: float = 1e-8
) -> Correction:
    """Return the gradient although some answers are wrong, and whose these are.

    Right answers lie in the span of what the workers can compute; the fewest answers are left out
    that the rest lie in it. A code that survives any s stragglers corrects any a wrong answers of
    n − t workers if 2a + t ≤ s: two explanations of the answers differ by 2a of them at most, and a
    code that survives as many missing ones has the same gradient for both. For repetition this is
    the majority of each group (Chen, Wang, Charles, Papailiopoulos, DRACO, arXiv:1803.09877); for
    MDS codes half the distance.

    * ``code`` (Code, or array_like (k, n)): partitions × workers, as for `fastgc.decode`.
    * ``answers`` (mapping of worker to array_like (p,)): what each worker that answered has sent;
      finite numbers. Of a code whose answers are m pieces (p/m,).
    * ``most``: wrong answers that are looked for, at most; by default as many as are sure to be
      corrected.
    * ``agree``: answers agree if they are off by this share of the longest, by rounding alone.

    Raises FastgcError if no so few wrong answers explain what came; more are wrong, or too many are
    missing.

    >>> from fastgc import codes
    >>> code = codes.frc(n=6, d=3)
    >>> answers = dict(enumerate(code.B.T @ np.arange(12.0).reshape(6, 2)))
    >>> answers[4] = np.array([9.0, 9.0])
    >>> found = correct(code, answers)
    >>> found.gradient.round(9).tolist(), found.left_out
    ([30.0, 36.0], (4,))
    """
    own = code_given(code, "B")
    workers, Y = _answers(answers, own.n)
    if most is None:
        if own.tolerance is None:
            raise FastgcError(
                f"most: must be given for {own.name}, whose tolerance is not known (fastgc inspect "
                "says how many stragglers it survives; half of those beyond the missing ones)"
            )
        most = max(0, (own.tolerance - (own.n - len(workers))) // 2)
    most = min(most, len(workers))
    for left_out in agreeing(own.B[:, workers].T, Y, most, agree):
        rest = np.setdiff1d(np.arange(len(workers)), left_out)
        survivors = [workers[i] for i in rest.tolist()]
        found = decode(own, survivors)
        if found.error <= _ROUNDING * own.k:
            weights = np.reshape(found.vector, (len(survivors), -1))
            gradient = sum(np.outer(w, y) for w, y in zip(weights, Y[rest], strict=True))
            return Correction(np.ravel(gradient), tuple(workers[i] for i in left_out))
    raise FastgcError(
        f"answers: of {len(workers)} no {len(workers) - most} agree that hold the gradient; more "
        "are wrong or missing than the code corrects"
    )


def _answers(answers: Mapping[int, ArrayLike], n: int) -> tuple[list[int], NDArray[Any]]:
    """Return the workers in order, and what they sent (workers, p)."""
    strangers = [w for w in answers if not isinstance(w, int | np.integer) or not 0 <= w < n]
    if strangers:
        raise FastgcError(f"answers: every worker must be from 0 to {n - 1} (got {strangers[0]!r})")
    workers = sorted(int(w) for w in answers)
    each = [np.atleast_1d(np.asarray(answers[w])) for w in workers]
    if not each or {own.shape for own in each} != {(each[0].size,)}:
        raise FastgcError("answers: must be vectors of one length, of one worker at least")
    Y = np.stack(each)
    if Y.dtype.kind not in "biufc" or not np.isfinite(Y).all():
        raise FastgcError("answers: must be finite numbers; leave out who sent others")
    return workers, Y
