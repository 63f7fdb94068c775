"""Groups made anew in each iteration, so that the last one's stragglers are spread evenly."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Trials
from fastgc.stragglers import Markov
from fastgc.theory import literature
from fastgc.theory.common import straggler_laws

CHAIN = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.7}


def dealt(before, n, size):
    """Each group's workers: stragglers first, one to each group in turn, then the others."""
    groups = [[] for _ in range(n // size)]
    queue = [w for w in range(n) if not before[w]] + [w for w in range(n) if before[w]]
    for place, worker in enumerate(queue):
        groups[place % len(groups)].append(worker)
    return groups


@pytest.mark.parametrize(("n", "size"), [(6, 2), (12, 3), (66, 6), (4, 4)])
def test_columns_are_those_of_workers_dealt_one_by_one(n, size):
    batch = Trials(seed=1, stream="s", first=64, groups=2, iterations=5)
    model = Markov(p_straggle_after_ok=0.3, p_straggle_after_straggle=0.8)
    workers = model.draw(n, batch)
    found, alive = workers.shuffled("clusters", size).alive, workers.alive
    assert np.array_equal(found[0], alive[0])
    for iteration, trial in itertools.product(range(1, 5), range(0, 128, 9)):
        groups = dealt(alive[iteration - 1, :, trial], n, size)
        own = found[iteration, :, trial].reshape(-1, size)
        for group, columns in zip(groups, own, strict=True):
            assert columns.tolist() == [bool(alive[iteration, w, trial]) for w in group]


@pytest.mark.parametrize(("n", "d"), [(4, 2), (6, 2), (6, 3), (5, 5)])
def test_the_closed_form_is_a_sum_over_two_iterations(n, d):
    a, b = 0.15, 0.35
    pi, later, exact = a / (a + b), 0.0, 0.0
    for before in itertools.product((False, True), repeat=n):
        weight = np.prod([1 - pi if ok else pi for ok in before])
        groups = dealt(before, n, d)
        lost = [np.prod([a if before[w] else 1 - b for w in group]) for group in groups]
        later += weight * d * sum(lost)
        exact += weight * np.prod([1 - chance for chance in lost])
    found = {
        "error": literature.markov_frc_clusters_error(n, d, 5, a, b),
        "exact": straggler_laws.markov_frc_clusters_exact(n, d, 5, a, b),
    }
    assert found["error"] == pytest.approx((n * pi**d + 4 * later) / 5, rel=1e-12)
    expected = ((1 - pi**d) ** (n // d) + 4 * exact) / 5
    assert found["exact"] == pytest.approx(expected, rel=1e-12)
    study = {"code": {"family": "frc", "n": n, "d": d}, "shuffle": "clusters", "iterations": 5}
    model = {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": 1 - b}
    result = fastgc.run(study | {"stragglers": model, "measure": list(found)}, trials=10_000)
    for quantity, value in found.items():
        row = result["experiment1"][quantity]
        low, high = row.statistic("mean", "monte-carlo").interval(0.9999)
        assert low <= value <= high
    assert row.statistic("mean", "closed-form").value == value


def test_a_trial_is_replayed():
    table = {"code": {"family": "frc", "n": 6, "d": 2}, "stragglers": CHAIN, "iterations": 6}
    point = fastgc.Study.parse(table | {"shuffle": "clusters"}).points()[0]
    found = point.compiled.replay(3, "s", 7)
    alive = np.ones((6, 6), bool)
    for iteration, row in enumerate(found):
        alive[iteration, row["stragglers"]] = False
    for iteration in range(1, 6):
        groups = dealt(alive[iteration - 1], 6, 2)
        lost = sum(not alive[iteration, group].any() for group in groups)
        assert found[iteration]["error"] == pytest.approx(2 * lost)


@pytest.mark.parametrize(("more", "sentence"), [
    ({"code": {"family": "circulant", "n": 6, "d": 2}}, "shuffle.* needs the family frc"),
    ({"method": "exact"}, "clusters go by the iteration before"),
    ({"method": "rare", "thresholds": [0.0]}, "method"),
    ({"stragglers": {"model": "adversarial", "stragglers": 2}}, "without shuffling"),
])  # fmt: skip
def test_mistakes(more, sentence):
    table = {"code": {"family": "frc", "n": 6, "d": 2}, "stragglers": CHAIN, "iterations": 2}
    with pytest.raises(fastgc.FastgcError, match=sentence):
        fastgc.run(table | {"shuffle": "clusters"} | more, trials=64)
