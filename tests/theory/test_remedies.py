"""Closed forms of what people do instead of coding, against arithmetic of their own."""

import math

import numpy as np
import pytest

from fastgc.theory import literature


@pytest.mark.parametrize(("n", "r", "after"), [(1, 2, 0.5), (10, 2, 1.0), (4, 3, 0.3), (3, 2, 0)])
def test_the_mean_of_clones_is_the_integral_of_their_tail(n, r, after):
    t = np.linspace(0.0, 40.0, 4001)  # steps of which delays are multiples
    begun = sum(np.maximum(t - i * after, 0.0) for i in range(r))
    late = 1.0 - (1.0 - np.exp(-begun / 2.0)) ** n
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
