"""Rules of decoding of one's own: what weight each survivor's answer gets."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from fastgc import registry
from fastgc.arrays import Mask
from fastgc.decoding.algorithms import Algorithm, Errors, Matrix, Packed
from fastgc.draws.patterns import unpacked
from fastgc.draws.streams import uniforms
from fastgc.registry import Member, plugins

#: The decoders that fastgc has itself.
DECODERS = ("optimal", "one-step", "fixed", "class")
_PATTERNS = 64


def by_name(given: Any) -> Any:
    """Return the name of a decoder that fastgc has itself, and the table of any other.

    Raises ValueError if a table gives a decoder of fastgc keys that it has not.
    """
    if isinstance(given, str) and given in registry.members("decoder"):
        return {"method": given}
    if isinstance(given, Mapping) and given.get("method") in DECODERS:
        method = given["method"]
        if len(given) > 1:
            raise ValueError(f'"{method}" has no keys of its own; rho stands beside the decoder')
        return method
    return given


def _vectors(rule: Any, found: Any, B: Matrix, alive: Mask) -> str | None:
    fits = isinstance(found, np.ndarray) and found.shape == alive.shape
    if not (fits and found.dtype == np.float64):
        return f"weights, a float64 array of shape {alive.shape}, patterns × workers"
    if not np.isfinite(found).all():
        return "finite weights"
    return None if not found[~alive].any() else "weights that are 0 for every straggler"


class DecodingRule(Member):
    """Base of every decoder of one's own.

    It says with which weights the survivors' answers are added up; what error that makes is
    computed from B. A study names it by ``decoder = { method = "…" }`` with its keys, or by its
    name alone.

    >>> from typing import Literal
    >>> import fastgc
    >>> class Share(DecodingRule):
    ...     method: Literal["share"] = "share"
    ...     factor: float = 1.0
    ...     def vectors(self, B, alive):
    ...         every = np.maximum(alive.sum(axis=1, keepdims=True), 1)
    ...         return np.where(alive, self.factor * alive.shape[1] / every, 0.0)
    >>> fastgc.decode([[1, 0], [0, 1]], [0], decoder=Share()).vector.tolist()
    [2.0]
    """

    GROUP: ClassVar[str | None] = "decoder"
    RESERVED: ClassVar[frozenset[str]] = frozenset(DECODERS)
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {"vectors": _vectors}

    @abstractmethod
    def vectors(self, B: Matrix, alive: Mask) -> Matrix:
        """Return the decoding vectors of some patterns, float64 (patterns, n).

        ``B``, float64 array (k, n), read-only: the encoding matrix, partitions × workers;
        ``alive``, bool array (patterns, n): who survived. There are always 64 patterns; some may be
        without a survivor.

        They are the weight of each worker's answer, 0 for stragglers: answers add up to the weights
        B x of the partitions, which should be 1. A pattern's row must depend on its row of
        ``alive`` and on B alone.
        """


class RuleAlgorithm(Algorithm):
    """The algorithm that asks a rule: its vectors that a rule gives, and the errors that they make.

    The rule is always asked for 64 patterns at once, those that a replay draws together: so sums
    of linear algebra have the same bits in any block.

    ``B``: float64 array (k, n). Raises FastgcError if the rule gives a pattern other weights beside
    other patterns, or when it is asked again.
    """

    name = "own"

    def __init__(self, B: Matrix, rule: DecodingRule) -> None:
        self._B, self._rule = B, rule
        n = B.shape[1]
        tried = uniforms(0, "plug-in", _PATTERNS * n).reshape(_PATTERNS, n) > 0.3
        half = _PATTERNS // 2
        first, again = self._of(tried), self._of(tried)
        # half of the patterns at another place, beside others
        moved = self._of(np.concatenate((tried[half:], np.ones((half, n), bool))))[:half]
        # sums of linear algebra may round otherwise at another place
        alike = np.allclose(
            first[half:], moved, rtol=1e-6, atol=1e-9 * np.abs(first).max(initial=0.0)
        )
        if not (alike and np.array_equal(first, again)):
            raise plugins.not_rowwise(type(rule), "vectors")

    def errors(self, packed: Packed, out: Errors) -> None:
        for first in range(0, len(packed), _PATTERNS):
            vectors = self.vectors(packed[first : first + _PATTERNS])
            weights = np.zeros((len(vectors), len(self._B)))
            for worker, column in enumerate(self._B.T):  # in one order, on every machine
                weights += vectors[:, worker, np.newaxis] * column
            missing = np.square(weights - 1.0)
            total = np.zeros(len(vectors))
            for partition in missing.T:
                total += partition
            out[first : first + _PATTERNS] = total

    def vectors(self, packed: Packed) -> Matrix:
        n = self._B.shape[1]
        out = np.empty((len(packed), n))
        for first in range(0, len(packed), _PATTERNS):
            part = packed[first : first + _PATTERNS]
            alive = np.zeros((_PATTERNS, n), bool)
            alive[: len(part)] = unpacked(part, n)
            out[first : first + len(part)] = self._of(alive)[: len(part)]
        return out

    def _of(self, alive: Mask) -> Matrix:
        return self._rule.vectors(self._B, alive.copy())
