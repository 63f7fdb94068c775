"""Closed forms of what people do instead of coding, against arithmetic of their own."""

import numpy as np
import pytest

from fastgc.theory import literature


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
