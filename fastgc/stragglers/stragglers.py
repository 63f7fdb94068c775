"""What all models of stragglers share: the law of their patterns, and what does not fit a code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns, packed
from fastgc.draws.streams import WORD, Trials
from fastgc.errors import FastgcError
from fastgc.registry import Member, plugins
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc_kernels.draw import times


def _booleans(model: Any, found: Any, uniforms: Values, hidden: Any = None) -> str | None:
    fits = isinstance(found, np.ndarray) and found.dtype == bool and found.shape == uniforms.shape
    axes = "trials × workers" if hidden is None else "trials × iterations × workers"
    return None if fits else f"booleans, {axes}, of shape {uniforms.shape}"


def _law(model: Any, found: Any, code: Any) -> str | None:
    return None if isinstance(found, PatternLaw) else "a fastgc.stragglers.PatternLaw"


class Stragglers(Member, PatternLaw):
    """Base of every model of stragglers.

    A model says in plain NumPy who survives an iteration, by ``survivors``, or all iterations of a
    trial, by ``histories``; or it draws patterns itself, by ``draw``. One that depends on the code
    returns by ``bind`` what draws. The exact laws of `PatternLaw` are optional.

    * ``looks_at_code`` (bool): Whether ``complaints_with`` has something to say: only then the code
      is built to be asked.

    >>> from typing import Literal
    >>> from fastgc.draws.streams import Trials
    >>> class Racks(Stragglers):
    ...     model: Literal["racks"] = "racks"
    ...     p: float
    ...     def survivors(self, uniforms):
    ...         racks = uniforms[:, ::4] > self.p  # the first of four workers decides for all
    ...         return np.repeat(racks, 4, axis=1)[:, : uniforms.shape[1]]
    >>> Racks(p=0.5).draw(8, Trials(seed=1, stream="s", first=0, groups=1, iterations=1)).n
    8
    """

    looks_at_code: ClassVar[bool] = False

    GROUP: ClassVar[str | None] = "stragglers"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {
        "survivors": _booleans,
        "histories": _booleans,
        "bind": _law,
        "complaints_with": plugins.complaints,
    }

    @classmethod
    def missing(cls) -> list[str]:
        """Return what the class must have and has not: one of four methods is enough."""
        ways = ("survivors", "histories", "draw", "bind")
        some = any(plugins.overrides(cls, Stragglers, name) for name in ways)
        wrong = [name for name in ways if not callable(getattr(cls, name))]
        if plugins.overrides(cls, Stragglers, "complaints_with") and not cls.looks_at_code:
            wrong.append("looks_at_code")
        return wrong if some else ["survivors"]

    def survivors(self, uniforms: Values) -> Mask:
        """Return who survives one iteration of every trial, bool array (trials, n).

        ``uniforms`` (float64 array (trials, n)): independent uniform numbers in (0, 1), one a
        worker, drawn anew in every iteration. A trial's row must depend on its row of them alone.
        """
        raise FastgcError(f"{plugins.path(type(self))}: needs a method survivors, or draw")

    def histories(self, uniforms: Values, hidden: Values) -> Mask:
        """Return who survives all iterations of every trial, for what stays or is remembered.

        ``uniforms`` (float64 array (trials, iterations, n)): independent uniform numbers in (0, 1);
        ``hidden`` (float64 array (trials, n)): others, drawn once a trial, for what stays, like who
        is slow. Returns a bool array (trials, iterations, n); a trial's rows must depend on its
        rows of both alone.
        """
        raise FastgcError(f"{plugins.path(type(self))}: needs a method survivors, or histories")

    def draw(self, n: int, batch: Trials) -> Patterns:
        """Draw the patterns of a batch from ``histories``, or from ``survivors``."""
        uniforms = _uniforms(n, batch, "straggle", batch.iterations)
        alive = np.empty((batch.iterations, batch.trials, n), bool)
        if plugins.overrides(type(self), Stragglers, "histories"):
            hidden = _uniforms(n, batch, "class", 1)[:, 0].T
            alive[:] = self.histories(uniforms.transpose(2, 1, 0), hidden).swapaxes(0, 1)
        else:
            for iteration in range(batch.iterations):
                alive[iteration] = self.survivors(uniforms[:, iteration].T)
        return Patterns(n, batch, packed=packed(alive.reshape(-1, n)))

    def bind(self, code: Code | None) -> PatternLaw:
        """Return what draws patterns for one code, None where there is none."""
        return self

    def complaints_with(self, code: Code, shuffle: str) -> list[tuple[str, str]]:
        """Return (field, sentence) for whatever does not fit a code under a shuffle.

        A model that defines this sets ``looks_at_code``.
        """
        return []


def _uniforms(n: int, batch: Trials, purpose: str, iterations: int) -> Values:
    found = np.empty((n, iterations, batch.trials))
    key, first = batch.key(purpose), np.uint64(batch.first)
    for j in range(n):
        times.draw_uniforms(j, 0, times.INVERSION, key, first, found[j])
    return found


# ---- What draws a point's patterns; a plug-in's is tried first, and always asked for whole blocks


#: A plug-in is tried on about so many draws, and at most so many groups of 64 trials.
_TRIED_DRAWS = 1 << 20
_TRIED_GROUPS = 64


@dataclass(frozen=True)
class BlockLaw(PatternLaw):
    """A law that is asked for whole blocks of ``trials``, as in a run, whatever part is wanted."""

    law: PatternLaw
    trials: int

    def draw(self, n: int, batch: Trials) -> Patterns:
        first = batch.first - batch.first % self.trials
        groups = self.trials // WORD
        block = Trials(batch.seed, batch.stream, first, groups, batch.iterations)
        return self.law.draw(n, block).part(batch.first, batch.groups)


def drawing(
    model: Stragglers, code: Code | None, n: int, iterations: int, trials: int
) -> PatternLaw:
    """Return what draws the patterns of a point of n workers, in blocks of so many trials.

    Raises FastgcError if a plug-in gives a trial other survivors when others are drawn with it.
    """
    law = model.bind(code)
    if plugins.is_own(type(law)):
        return law
    plugins.guard(type(law))
    _require_addresses(law, n, iterations)
    return BlockLaw(law, trials)


def _require_addresses(law: PatternLaw, n: int, iterations: int) -> None:
    """Draw some trials together and in two parts; they must be the same."""
    groups = _TRIED_DRAWS // (n * iterations * WORD)
    groups = max(2, min(_TRIED_GROUPS, groups))

    def drawn(first: int, count: int) -> NDArray[np.uint64]:
        batch = Trials(0, "plug-in", first * WORD, count, iterations)
        return law.draw(n, batch).planes.reshape(n, iterations, count)

    parts = np.concatenate([drawn(0, 1), drawn(1, groups - 1)], axis=-1)
    if np.array_equal(drawn(0, groups), parts):
        return
    if isinstance(law, Stragglers) and not plugins.overrides(type(law), Stragglers, "draw"):
        histories = plugins.overrides(type(law), Stragglers, "histories")
        raise plugins.not_rowwise(type(law), "histories" if histories else "survivors")
    raise FastgcError(
        f"{plugins.path(type(law))}: draw gives a trial other survivors when other trials are "
        "drawn with it; they must be a function of (seed, stream, trial, iteration, worker) "
        "alone, as those are that survivors(uniforms) makes row by row"
    )
