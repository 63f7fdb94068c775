"""What draws a point's patterns; a plug-in's is tried first, and always asked for whole blocks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.registry import plugins
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import Stragglers

#: A plug-in is tried on about so many draws, and at most so many groups of 64 trials.
_TRIED_DRAWS = 1 << 20
_TRIED_GROUPS = 64


@dataclass(frozen=True)
class InBlocks(PatternLaw):
    """A law that is asked for whole blocks only, as a run asks for them, whatever part is wanted.

    ``trials``: in a block.
    """

    law: PatternLaw
    trials: int

    def draw(self, n: int, batch: Batch) -> Patterns:
        """Draw the block that the batch lies in, and cut the batch out."""
        first = batch.first - batch.first % self.trials
        groups = self.trials // WORD
        block = Batch(batch.seed, batch.stream, first, groups, batch.iterations)
        return self.law.draw(n, block).part(batch.first, batch.groups)


def drawing(
    model: Stragglers, code: Code | None, n: int, iterations: int, trials: int
) -> PatternLaw:
    """Return what draws the patterns of a point.

    ``code``: what the model is bound to; ``n``, ``iterations``, ``trials``: workers, iterations of
    a trial and trials of a block.

    Raises FastgcError if a plug-in gives a trial other survivors when other trials are drawn with
    it.
    """
    law = model.bind(code)
    if plugins.is_own(type(law)):
        return law
    plugins.guard(type(law))
    _require_addresses(law, n, iterations)
    return InBlocks(law, trials)


def _require_addresses(law: PatternLaw, n: int, iterations: int) -> None:
    """Draw some trials together and in two parts; they must be the same."""
    groups = _TRIED_DRAWS // (n * iterations * WORD)
    groups = max(2, min(_TRIED_GROUPS, groups))

    def drawn(first: int, count: int) -> NDArray[np.uint64]:
        batch = Batch(0, "plug-in", first * WORD, count, iterations)
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
