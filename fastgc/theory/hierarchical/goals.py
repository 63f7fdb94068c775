"""What k_j are good for: P(done by a time), layers that finish together, the mean (hierarchical).

Section III asks for the largest probability to be done by a given time, the abstract for one
failure exponent of all layers, the introduction for layers that finish at about the same time. The
text ends before it says how the three go together.
"""

from collections.abc import Sequence

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import finite, printed_number
from fastgc.theory.cases.tables import Table, answers, layered
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.hierarchical import paper
from fastgc.theory.hierarchical.choice import candidates, equal_exponent, quantile_answers
from fastgc.theory.hierarchical.time import finishing_probability, unfinished_by
from fastgc.theory.papers.claim import LOOSE, Case, Cases

#: n, α, t, and the k_j with the largest P(done by t).
_MOST_PROBABLE: tuple[tuple[int, float, float, tuple[int, ...]], ...] = (
    (10, 1.0, 4.0, (10, 7, 3, 0)),
    (10, 1.0, 4.65, (9, 7, 3, 1)),
    (10, 1.0, 6.0, (9, 6, 4, 1)),
    (8, 0.5, 2.0, (7, 4, 1)),
    (8, 0.5, 3.0, (6, 4, 2)),
    (4, 0.0, 1.5, (3, 2)),
)
#: Layers and tasks a worker of codes that grow.
_GROWING = (4, 2)


@paper.formula
def most_probable_answers(
    n: int, layers: int, tasks: int, t: float, mean: float = 1.0, shift: float = 0.0
) -> list[int]:
    """The whole k_1 ≥ k_2 ≥ … that add up to the tasks with the largest P(τ ≤ t), by exhaustion.

    Section III of the paper asks for them; which they are depends on t.

    >>> most_probable_answers(4, 2, 5, t=1.5)
    [3, 2]
    """
    return max(
        candidates(n, layers, tasks), key=lambda k: finishing_probability(n, k, t, mean, shift)
    )


@paper.claim("probability.most.derived", "Section III, largest probability of being done by t")
def _() -> Cases:
    """Of all whole k_j, (10,7,3,0), (9,7,3,1) and (9,6,4,1) are done by t = 4, 4.65 and 6 with the
    largest probability, for n = 10, 20 tasks and alpha = 1: which k_j are best depends on t (the
    largest probability of all k_j that are tried; others are of other n)."""
    for n, shift, t, k in _MOST_PROBABLE:
        theory = float(finishing_probability(n, k, t, 1.0, shift))
        given = {"n": n, "layers": len(k), "tasks": sum(k), "shift": shift, "t": t}
        yield finite("most_probable_finish", theory, **given)
        yield unfinished_by(n, k, shift, t, 1.0 - theory)


@paper.claim("probability.mean.derived", "Section III beside the mean", relation=">")
def _() -> Cases:
    """The k_j with the least mean, (9,7,4,0) for n = 10, 20 tasks and alpha = 1, have not the
    largest probability of being done by t: at 4, 6 and 8 others are late less often."""
    for _, shift, t, k in (*_MOST_PROBABLE[0:3:2], (10, 1.0, 8.0, (9, 6, 4, 1))):
        theory = 1.0 - float(finishing_probability(10, k, t, 1.0, shift))
        yield unfinished_by(10, (9, 7, 4, 0), shift, t, theory)


@paper.claim("probability.equal-exponent.derived", "Abstract and Section III, for late t")
def _() -> Cases:
    """Equal failure exponents are best for late t: from some t on no other k_j than k_j = n+1-uj,
    where these are whole, are done by t with a larger probability (the largest of all k_j)."""
    for n, k in ((10, (9, 7, 5, 3)), (8, (7, 5, 3)), (6, (5, 3, 1))):
        for t in (5.0, 8.0):
            theory = float(finishing_probability(n, k, t, 1.0, 0.0))
            given = {"n": n, "layers": len(k), "tasks": sum(k), "shift": 0.0, "t": t}
            yield finite("most_probable_finish", theory, **given)


@paper.formula
def layer_times(n: int, k: Sequence[int], mean: float = 1.0, shift: float = 0.0) -> list[float]:
    """Mean time j E X_(k_j) at which each layer that needs answers is done. Textbook.

    >>> [round(t, 3) for t in layer_times(10, [10, 7, 3, 0], shift=1.0)]
    [3.929, 4.191, 4.008]
    """
    return [
        layer * float(exponential_order_mean(n, need, mean, shift))
        for layer, need in enumerate(k, 1)
        if need
    ]


@paper.claim("together.derived", "Section I: layers that finish at about the same time")
def _() -> Cases:
    """With k_j = n F_j(t), rounded, all layers finish at about the same time: the mean time of the
    last is 1.067, 1.024 and 1.002 times that of the first for n = 10, 100 and 1000, 4 layers, 2
    tasks a worker and alpha = 1."""
    for n, ratio in ((10, 1.067), (100, 1.024), (1000, 1.002)):
        yield printed_number(3, _apart(n, ratio))


@paper.claim("together.exponent.derived", "Section I beside the abstract")
def _() -> Cases:
    """The same failure exponent of all layers is another goal than the same time: with it layers
    finish ever further apart, the last 1.515, 1.833 and 1.871 times as late as the first for n =
    10, 100 and 1000."""
    for n, ratio in ((10, 1.515), (100, 1.833), (1000, 1.871)):
        layers, each = _GROWING
        k = [round(share) for share in equal_exponent(n, layers, each * n)]
        yield printed_number(3, finite("layers_apart", ratio, n=n, k=k, shift=1.0))


@paper.claim("figure1.work.derived", "Section I and Figure 1, from their numbers")
def _() -> Cases:
    """A straggler with 18 000 to 23 000 steps has done from .69 to .98 of the work of a worker with
    23 500 to 26 000: that is what is lost with it."""
    for first, second, share in ((18_000, 26_000, 0.69), (23_000, 23_500, 0.98)):
        yield printed_number(2, finite("speedup_over", share, first=first, second=second))


@paper.claim(
    "figure1.gain.derived", "Section I and Figure 1, beside the abstract", LOOSE, relation="<="
)
def _() -> Cases:
    """Workers that all do between 18 000 and 26 000 steps in 35 s let layers gain no more than
    26/18 = 1.44 over the best MDS code, whatever their law: no code makes n workers do more than n
    26 000 steps, and uncoded ones all do 18 000 (all n = 20 fast but for a share p_slow)."""
    for p_slow, k in ((0.01, (20, 20, 20, 19)), (0.05, (20, 20, 20, 19)), (0.3, (19, 18, 17))):
        law = _figure1(p_slow)
        single = completion(answers(20, 20), law, work=float(sum(k)))
        layers = completion(layered(20, *k), law)
        yield timed(single, 26 / 18, against=layers, how="ratio")


def _figure1(p_slow: float) -> Table:
    """Seconds for 1000 steps of workers that do 26 000 or 18 000 in 35 s."""
    fast, slow = ({"distribution": "deterministic", "value": 35 / most} for most in (26, 18))
    return {"distribution": "bimodal", "p_slow": p_slow, "fast": fast, "slow": slow}


def _apart(n: int, ratio: float) -> Case:
    layers, each = _GROWING
    k = [round(share) for share in quantile_answers(n, layers, each * n, 1.0, 1.0)]
    return finite("layers_apart", ratio, n=n, k=k, shift=1.0)
