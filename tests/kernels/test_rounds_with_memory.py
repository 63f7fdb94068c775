"""The kernel of sequences against its twin, and a recording whose numbers were found by hand."""

import numpy as np
import pytest

from fastgc_kernels.complete import sequences as kernel
from twins.sequences import bursty, sequence

CODES = [
    ("gradient-code", 0),
    ("gradient-code", 2),
    ("sr-sgc", 1, 2, 2),
    ("sr-sgc", 1, 2, 5),
    ("sr-sgc", 1, 4, 3),
    ("sr-sgc", 2, 3, 3),
    ("sr-sgc", 2, 5, 4),
    ("m-sgc", 1, 2, 3),
    ("m-sgc", 1, 2, 6),
    ("m-sgc", 2, 3, 2),
    ("m-sgc", 1, 3, 0),
    ("m-sgc", 3, 5, 4),
]
THEN = {"all": kernel.ALL, "enough": kernel.ENOUGH, "never": kernel.NEVER}


def played(code, jobs, times, mu, then="all", rule="paper"):
    """Seconds, rounds that were waited for and decoding rounds of trials, as the kernel has them.

    ``times`` (T, R, n).
    """
    family, *own = code
    if family == "gradient-code":
        numbers = [kernel.GRADIENT_CODE, *own, 1, 2, 0, jobs]
    else:
        burst, window, distinct = own
        s = -(-burst * distinct // (window - 1 + burst))
        repeating = kernel.REPEATING if rule == "paper" else kernel.REPEATING_PEER
        which = kernel.MULTIPLEXED if family == "m-sgc" else repeating
        numbers = [which, s, burst, window, distinct, jobs]
    seconds, state = np.empty(times.shape[:2]), np.empty(times.shape[:2], np.int64)
    done = np.empty((len(times), jobs), np.int64)
    kernel.play(times, np.array(numbers), 1.0 + mu, THEN[then], seconds, state, done)
    return seconds, state, done


def delay(code):
    return 0 if len(code) == 2 else code[1] + (code[2] - 2 if code[0] == "m-sgc" else 0)


@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("code", CODES, ids=str)
def test_rounds_are_those_of_the_twin(code, then):
    rng = np.random.default_rng(len(code))
    jobs, n = 9, 6
    shape = 40, jobs + delay(code), n
    slow = rng.random((shape[0], 1, 1)) < 0.5
    times = np.where(rng.random(shape) < np.where(slow, 0.5, 0.2), 4.0, 1.0)
    times[::2] += rng.integers(0, 4, times[::2].shape) / 4.0  # with ties
    for rule, mu in (("paper", 1.0), ("peer", 0.25), ("paper", 0.0)):
        seconds, state, done = played(code, jobs, times, mu, then, rule)
        waited = 0
        for t, own in enumerate(times.tolist()):
            found = sequence(code, jobs, own, mu, then, rule)
            assert seconds[t].tolist() == found[0]
            assert np.flatnonzero(state[t] == kernel.WAITED).tolist() == found[1]
            assert [None if r < 0 else r for r in done[t].tolist()] == found[2]
            waited += len(found[1])
        assert waited > 0
        if then != "never":
            assert (done >= 0).all()


@pytest.mark.parametrize("code", [("m-sgc", 1, 3, 2), ("m-sgc", 2, 4, 3), ("m-sgc", 3, 4, 2)])
def test_stragglers_of_a_master_that_waits_are_bursty(code):
    rng = np.random.default_rng(3)
    times = np.where(rng.random((200, 12, 5)) < 0.25, 4.0, 1.0)
    seconds, state, _ = played(code, 12 - delay(code), times, 1.0)
    for own, ends, how in zip(times, seconds, state, strict=True):
        history = [set(np.flatnonzero(x > end)) for x, end in zip(own, ends, strict=True)]
        assert bursty(history, *code[1:])
        for r in np.flatnonzero(how == kernel.WAITED):  # as soon as they would not be
            late = set(np.flatnonzero(own[r] > 2.0))
            assert not bursty([*history[:r], late], *code[1:])


#: Rounds of four workers.
RECORDED = np.array(
    [
        [1.0, 1.5, 1.0, 2.0],
        [1.0, 5.0, 1.0, 1.0],
        [1.0, 6.0, 1.5, 1.0],
        [5.0, 1.0, 1.0, 3.0],
        [1.0, 1.0, 7.0, 8.0],
        [9.0, 9.0, 8.0, 9.0],
        [1.0, 4.0, 1.0, 1.0],
    ]
)


@pytest.mark.parametrize(
    ("code", "then", "seconds", "waits", "done"),
    [
        (("gradient-code", 1), "all", [2, 2, 2, 5, 8, 9, 2], [3, 4], [0, 1, 2, 3, 4, 5, 6]),
        (("gradient-code", 1), "enough", [2, 2, 2, 3, 7, 9, 2], [3, 4], [0, 1, 2, 3, 4, 5, 6]),
        (("gradient-code", 1), "never", [2, 2, 2, 2, 2, 9, 2], [3, 4], [0, 1, 2, -1, -1, 5, 6]),
        # s = 1: three of four workers; job 3 owes two tasks, one of which round 4 repeats
        (("sr-sgc", 1, 2, 2), "all", [2, 2, 2, 2, 8, 9, 0], [4], [0, 1, 2, 4, 4, 5]),
        # nobody may straggle twice in a row
        (("m-sgc", 1, 2, 2), "all", [2, 2, 6, 2, 8, 9, 2], [2, 4], [1, 2, 3, 4, 5, 6]),
        (("m-sgc", 1, 2, 2), "enough", [2, 2, 6, 2, 8, 9, 2], [2, 4], [1, 2, 3, 4, 5, 6]),
        (("m-sgc", 1, 2, 2), "never", [2, 2, 2, 2, 2, 9, 2], [2, 3, 4], [1, -1, -1, -1, 5, 6]),
        # bursts of two rounds, then one without
        (("m-sgc", 2, 3, 2), "all", [2, 2, 2, 5, 8, 9, 2], [3, 4], [3, 4, 5, 6]),
    ],
)
def test_a_recording_by_hand(code, then, seconds, waits, done):
    found = played(code, len(done), RECORDED[np.newaxis], 1.0, then)
    assert found[0][0].tolist() == seconds
    assert np.flatnonzero(found[1][0] == kernel.WAITED).tolist() == waits
    assert found[2][0].tolist() == done


def test_a_round_in_which_nothing_is_owed_takes_no_time():
    times = np.ones((1, 3, 4))
    seconds, state, done = played(("sr-sgc", 1, 2, 2), 2, times, 1.0)
    assert seconds.tolist() == [[1.0, 1.0, 0.0]]
    assert state.tolist() == [[kernel.KEPT, kernel.KEPT, kernel.FREE]]
    assert done.tolist() == [[0, 1]]


def test_the_longest_window():
    """A straggler 62 rounds ago counts, one 63 rounds ago does not."""
    times = np.ones((2, 64, 2))
    times[:, 0, 0] = 3.0
    times[0, 62, 1] = times[1, 63, 1] = 3.0
    _, state, _ = played(("m-sgc", 1, 63, 1), 2, times, 1.0)
    assert np.flatnonzero(state[0] == kernel.WAITED).tolist() == [62]
    assert np.flatnonzero(state[1] == kernel.WAITED).tolist() == []
