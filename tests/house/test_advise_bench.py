"""`bench.advise`: what is named in a window is timed on the rows that follow."""

import numpy as np
import pytest

from bench import advise
from fastgc import systems


def rows(many=90, seed=2):
    times = np.random.default_rng(seed).gamma(9.0, 0.1, (many, 6))
    times[:, 2] *= 4.0
    return times


def test_every_system_is_timed_as_it_runs():
    times, c, mean = rows(13), 0.3, 1.4
    known = advise.hindsight(times, 3, c, mean)
    for system in (systems.gradient_code(n=6, s=2), systems.replication(n=6, d=3)):
        key = advise.key_of(system.settings())
        more = c * mean * (6 * system.share() - 1)
        done = [systems.complete(system, row + more).time for row in times[3:]]
        assert known[key] == pytest.approx(np.mean(done))
    for system in (systems.leave_out(n=6, k=2, basis=3), systems.balanced(n=6, basis=3)):
        took = []
        for t in range(3, 13):
            shares = system.shares(times[t - 3 : t].mean(axis=0))
            each = times[t] + c * mean * (6 * shares - 1)
            took.append(each[shares > 0].max())
        assert known[advise.key_of(system.settings())] == pytest.approx(np.mean(took))
    assert known["uncoded", 0] == pytest.approx(times[3:].max(axis=1).mean())


@pytest.mark.night
def test_what_is_named_is_judged_by_what_follows(tmp_path):
    file, times = tmp_path / "t.csv", rows()
    right = advise.asked(times[:60], times[60:], 0.5, file)
    assert right.right and right.gain > 2 and right.excess < 0.05
    swapped = times[60:, [0, 2, 1, 3, 4, 5]]
    swapped[:, 2:] *= 9  # now others are slow
    wrong = advise.asked(times[:60], swapped, 0.5, file)
    assert wrong.system == right.system and wrong.excess > 0.05 and not wrong.right
    assert not wrong.holds


@pytest.mark.parametrize(
    ("name", "why"),
    [("minutes", "unit"), ("since an epoch", "clock"), ("barrier", "barrier"), ("lognormal", "")],
)
def test_why_made_up_recordings_are_refused(name, why):
    assert advise.refused(name, 0) == why
