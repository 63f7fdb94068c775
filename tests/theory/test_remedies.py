"""Closed forms of what people do instead of coding, against arithmetic of their own."""

import itertools
import math

import numpy as np
import pytest

from fastgc.theory import literature, paper
from fastgc.validation.finite import measure

CLAIMS = {claim.id.removeprefix("literature."): claim for claim in paper("literature").claims}
REMEDIES = [name for name, claim in CLAIMS.items() if claim.make.__module__.endswith("remedies")]


@pytest.mark.parametrize("n", [2, 3, 8, 32])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999, 1.001, 3.0])
def test_no_gradient_code_beats_both_ends(n, share):
    """Above the shift of `uncoded_from_shift` it is no code that is best, below it n copies."""
    shift = share * literature.uncoded_from_shift(n)
    harmonic = [sum(1 / i for i in range(s + 1, n + 1)) for s in range(n)]
    means = [(s + 1) * (shift + harmonic[s]) for s in range(n)]
    assert literature.gradient_code_mean(n, np.arange(n), 1.0, shift) == pytest.approx(means)
    assert np.argmin(means) == (0 if share > 1 else n - 1)


@pytest.mark.parametrize(("n", "d"), [(5, 1), (6, 2), (7, 3), (6, 6)])
def test_batches_in_a_circle_are_covered_when_no_gap_is_left(n, d):
    holds = [{(j + i) % n for i in range(d)} for j in range(n)]
    total = 0.0
    for r in range(n):
        sets = list(itertools.combinations(holds, r))
        total += sum(len(set().union(*each)) < n for each in sets) / len(sets) / (n - r)
    mean = literature.cyclic_completion_mean(n, d, 2.0, 0.5)
    assert mean == pytest.approx(d * (0.5 + 2.0 * total))
    code = {"family": "circulant", "n": n, "d": d}
    for found in ("finite", "built"):
        assert measure({found: "covered_mean", "code": code, "mean": 2.0, "shift": 0.5}) == (
            pytest.approx(mean)
        )


def test_disjoint_batches_beat_overlapping_ones():
    disjoint = literature.frc_completion_mean(12, 4, 4.0, 0.8)
    overlapping = literature.cyclic_completion_mean(12, 4, 1.0, 0.2)
    assert (disjoint, overlapping) == (pytest.approx(2.63333, abs=1e-5), pytest.approx(10 / 3))


@pytest.mark.parametrize(("n", "r", "after"), [(1, 2, 0.5), (10, 2, 1.0), (4, 3, 0.3), (3, 2, 0)])
def test_the_mean_of_clones_is_the_integral_of_their_tail(n, r, after):
    t = np.linspace(0.0, 40.0, 4001)  # steps of which delays are multiples
    late = literature.clones_tail(n, r, after, t, 2.0)
    integral = float(np.sum(late[1:] + late[:-1]) * (t[1] - t[0]) / 2)
    assert literature.clones_mean(n, r, after, 2.0, 0.25) == pytest.approx(
        integral + 0.25, rel=1e-4
    )


def test_copies_at_once_are_replicas_and_late_ones_none():
    replicas = literature.frc_completion_mean(12, 3)
    assert literature.clones_mean(4, 3, 0.0) == pytest.approx(replicas)
    assert literature.clones_mean(4, 3, 99.0) == pytest.approx(literature.harmonic(4))


def test_local_steps_and_deadlines_at_their_ends():
    assert literature.local_sgd_mean(16, 1) == pytest.approx(literature.harmonic(16))
    assert literature.local_sgd_mean(1, 7, 2.0, 0.5) == pytest.approx(2.5)
    assert literature.local_sgd_variance(1, 8, 2.0) == pytest.approx(0.5)
    assert literature.drop_late_mean(5, 1e3) == pytest.approx(literature.harmonic(5))
    assert literature.drop_late_mean(1, 1.0) == pytest.approx(1 - math.exp(-1.0))


def test_each_remedy_has_claims_with_a_formula():
    assert len(REMEDIES) == 10
    assert {CLAIMS[name].expected for name in REMEDIES} == {"confirmed"}


@pytest.mark.parametrize("k", [1, 3, 5])
def test_any_times_keep_the_bound_even_dependent_ones(k):
    """Rows of five times that depend on each other, and no law in common."""
    draw = np.random.default_rng(5)
    rows = draw.exponential(size=(400, 1)) * draw.lognormal(size=(1, 5)) + draw.gamma(
        0.5, 1, (400, 5)
    )
    bound = literature.order_mean_bound(5, k, rows.mean(), rows.var())
    assert np.sort(rows, axis=1)[:, k - 1].mean() <= bound


@pytest.mark.parametrize(("n", "k"), [(2, 1), (5, 2), (7, 6), (3, 3)])
def test_rounds_of_workers_that_finish_are_a_markov_chain(n, k):
    """Mean steps and times to absorption by linear equations over (new answers, old ones out)."""
    states = [(a, o) for a in range(k) for o in range(n - k + 1)]
    place = {state: i for i, state in enumerate(states)}
    moves, steps = np.zeros((len(states),) * 2), np.ones((len(states), 2))
    for (a, o), i in place.items():
        steps[i, 0] = 3.0 / (n - a)
        for after, share in (((a, o - 1), o), ((a + 1, o), n - a - o)):
            if after in place and share:
                moves[i, place[after]] = share / (n - a)
    found = np.linalg.solve(np.eye(len(states)) - moves, steps)
    first, later = found[place[0, 0]], found[place[0, n - k]]
    for rounds in (1, 2, 30):
        time, answers = (first + (rounds - 1) * later) / rounds
        assert literature.finish_mean(n, k, rounds, 3.0) == pytest.approx(time)
        assert literature.finish_answers(n, k, rounds) == pytest.approx(answers)
