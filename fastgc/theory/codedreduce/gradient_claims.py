"""Claims of paper codedreduce on total gradient complexity: CodedReduce against SGD (III-C)."""

from __future__ import annotations

from functools import partial

from fastgc.theory import codedreduce
from fastgc.theory.cases.completion import CODEDREDUCE
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, uniform
from fastgc.theory.cases.training import after, coded, descent, linear, until
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="codedreduce", relation="=")

_PLACE = f"{CODEDREDUCE}, Section III-C, total gradient computation complexity"

#: The mean loss of these data is .892 at the start and .426 at least; the largest curvature is 1.0.
_SAMPLES = 120
_NOISY, _CLEAN = linear(_SAMPLES, 3), linear(_SAMPLES, 3, 0.0)
_STEP = 0.5

#: What the workers would choose, of mean 0 and variance 1.
_FOUR, _SIX = (-1.0, 1.0, -1.0, 1.0), (-1.0, -1.0, -1.0, 1.0, 1.0, 1.0)
#: Those, stragglers, iterations.
_RUNS = ((_FOUR, 1, 3), (_FOUR, 2, 5), (_SIX, 3, 3))
#: n, layers, s of trees, and as many stragglers of as many workers.
_TREES = (((2, 2, 1), (6, 3)), ((3, 2, 1), (12, 4)), ((4, 2, 1), (20, 5)))


def gradient_claims() -> tuple[Claim, ...]:
    """Claims on iterations, on gradients of an iteration, and on both together."""
    return (*_descent_claims(), *_ignoring_claims(), *_iteration_claims(), *_total_claims())


def _descent_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="codedreduce.gradients.descent.printed",
            statement=(
                "With exact gradients O(log(1/eps)) iterations reach accuracy eps on a strongly "
                "convex loss: log(1/eps)/(-2 log(1 - a lambda)) of a quadratic"
            ),
            citation=_PLACE,
            expected="confirmed",
            cases=tuple(
                finite(
                    "descent_iterations",
                    codedreduce.descent_iterations(epsilon, 1.0 - step * min(curvatures)),
                    curvatures=list(curvatures),
                    step=step,
                    epsilon=epsilon,
                )
                for curvatures, step, epsilon in (
                    ((1.0,), 0.5, 1e-3),
                    ((1.0,), 0.5, 1e-9),
                    ((1.0, 0.1, 0.3), 1.0, 1e-4),
                )
            ),
        ),
    )


def _ignoring_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="codedreduce.gradients.sgd.printed",
            statement=(
                "SGD that ignores stragglers reaches accuracy eps in O(1/eps) iterations, with the "
                "constant step of GD, too: its mean square distance falls like v/t"
            ),
            citation=_PLACE,
            expected="refuted",
            cases=tuple(_ignoring(*case, step=_STEP) for case in _RUNS),
        ),
        _claim(
            id="codedreduce.gradients.sgd.corrected",
            statement=(
                "With constant step a its mean square distance stays near v a/(2 - a): smaller "
                "accuracies are never reached"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=tuple(_ignoring(*case, step=_STEP, stays=True) for case in _RUNS),
        ),
        _claim(
            id="codedreduce.gradients.sgd.decaying.corrected",
            statement=(
                "With steps c1/(t + c2), as in Section IV-A, its mean square distance falls like "
                "1/t (v/t exactly with 1/(t+1)): O(1/eps) iterations"
            ),
            citation=f"{_PLACE}, made conditional",
            expected="confirmed",
            cases=tuple(_ignoring(*case) for case in _RUNS),
        ),
        _claim(
            id="codedreduce.gradients.sgd.exact-model.corrected",
            statement=(
                "Where one model fits all data exactly, SGD with a constant step reaches any "
                "accuracy, and in O(log(1/eps)) iterations: 150 for a loss of 1e-12"
            ),
            citation=f"{_PLACE}, made conditional",
            expected="confirmed",
            cases=tuple(_reached(*workers, 1e-12, 150) for _, workers in _TREES),
        ),
    )


def _iteration_claims() -> tuple[Claim, ...]:
    workers = tuple(workers for _, workers in _TREES)
    return (
        _claim(
            id="codedreduce.gradients.sgd-iteration.printed",
            statement="An iteration of SGD computes alpha d gradients, alpha = stragglers/N",
            citation=_PLACE,
            expected="refuted",
            cases=tuple(_computed(*each, each[1] / each[0]) for each in workers),
        ),
        _claim(
            id="codedreduce.gradients.sgd-iteration.corrected",
            statement=(
                "In an iteration of SGD all workers compute d gradients, of which the share 1 - "
                "alpha is used"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=(
                *(_computed(*each, 1.0) for each in workers),
                *(_used(*each) for each in workers),
            ),
        ),
    )


def _total_claims() -> tuple[Claim, ...]:
    coarse, fine = (0.1, 0.03), (1e-3, 1e-5)
    return (
        _claim(
            id="codedreduce.gradients.total.printed",
            statement=(
                "SGD computes more gradients than CR until accuracy eps (SGD's over those of CR, "
                "steps 1/(t+1) and 0.5)"
            ),
            citation=_PLACE,
            relation=">",
            expected="refuted",
            cases=tuple(_total(eps) for eps in (*coarse, *fine)),
        ),
        _claim(
            id="codedreduce.gradients.total.fine.corrected",
            statement="SGD computes more gradients than CR until a small enough accuracy eps",
            citation=f"{_PLACE}, made conditional",
            relation=">",
            expected="confirmed, loose",
            cases=tuple(_total(eps) for eps in (*fine, 1e-4)),
        ),
        _claim(
            id="codedreduce.gradients.total.coarse.corrected",
            statement=(
                "Until a loss that is not close to the least, SGD computes fewer gradients than "
                "CR: not N r_CR times those of descent with full gradients, each computed once"
            ),
            citation=f"{_PLACE}, made conditional",
            relation="<",
            expected="confirmed, loose",
            cases=(
                *(_until(*tree, loss) for tree in _TREES for loss in (0.6, 0.45)),
                *(_total(eps) for eps in coarse),
            ),
        ),
    )


def _uncoded(n: int) -> Table:
    return {"family": "uncoded", "n": n}


def _ignoring(
    optima: tuple[float, ...],
    stragglers: int,
    iterations: int,
    *,
    step: float | None = None,
    stays: bool = False,
) -> Case:
    """Mean square distance with a step or 1/(t + 1), against one that falls like 1/t or stays."""
    n = len(optima)
    theory = codedreduce.decaying_error(n, stragglers, iterations)
    if stays:
        theory = codedreduce.constant_error(n, stragglers, step, iterations)
    return finite(
        "ignoring_error",
        theory,
        optima=list(optima),
        stragglers=stragglers,
        iterations=iterations,
        step=step,
    )


def _total(epsilon: float) -> Case:
    (n, layers, s), (_, stragglers) = _TREES[0]
    return finite(
        "ignoring_over_tree_gradients",
        1.0,
        optima=list(_SIX),
        stragglers=stragglers,
        tree=[n, layers, s],
        step=_STEP,
        epsilon=epsilon,
    )


def _reached(n: int, stragglers: int, loss: float, iterations: int) -> Case:
    run = coded(
        _uncoded(n), descent(_STEP), iterations, _CLEAN, uniform(stragglers), target_loss=loss
    )
    point = {"workers": n, "stragglers": stragglers, "target_loss": loss, "iterations": iterations}
    return Case(point, 1.0, run | {"measure": ["reached"]}, "reached")


def _computed(n: int, stragglers: int, share: float) -> Case:
    run = coded(_uncoded(n), descent(_STEP), 10, _NOISY, uniform(stragglers))
    return after(run, "gradients", 10 * share * _SAMPLES, scale=10 * _SAMPLES)


def _used(n: int, stragglers: int) -> Case:
    """Answers, each with d/N gradients."""
    run = coded(_uncoded(n), descent(_STEP), 10, _NOISY, uniform(stragglers))
    return after(run, "uploads", 10.0 * (n - stragglers), scale=10.0 * n)


def _until(tree: tuple[int, int, int], workers: tuple[int, int], loss: float) -> Case:
    """Gradients of SGD over those of full gradients, each computed once; CR has N r_CR of them."""
    n, stragglers = workers
    step = descent(_STEP)
    ignoring = coded(_uncoded(n), step, 60, _NOISY, uniform(stragglers), target_loss=loss)
    full = coded(_uncoded(n), step, 60, _NOISY, target_loss=loss)
    theory = codedreduce.gradients(*tree, _SAMPLES) / _SAMPLES
    return until(ignoring, "gradients_to_loss", theory, against=full, note={"tree": list(tree)})
