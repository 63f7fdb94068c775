"""Properties that are computed once, and no thread waits for those of another object."""

import threading
from concurrent.futures import ThreadPoolExecutor

import fastgc
from fastgc.decoding.decoder import Decoder
from fastgc.registry.cached import cached_property
from suite.waiting import HUNG


class Meeting:
    """Two of these can be asked for their place at once only."""

    barrier = threading.Barrier(2, timeout=HUNG)

    @cached_property
    def place(self):
        """Where they meet."""
        return self.barrier.wait()


def test_two_objects_are_asked_at_once():
    both = Meeting(), Meeting()
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(lambda each: each.place, both)) == [0, 1]
    assert sorted(each.place for each in both) == [0, 1]  # no thread waits any more
    assert Meeting.place.__doc__ == "Where they meet."


def test_two_threads_decode_at_once(monkeypatch):
    meeting = threading.Barrier(2, timeout=HUNG)
    errors = Decoder.errors
    met = []

    def together(*arguments):
        if len(met) < 2:  # the first blocks of two threads
            met.append(threading.get_ident())
            meeting.wait()
        return errors(*arguments)

    monkeypatch.setattr(Decoder, "errors", together)
    study = {
        "code": {"family": "circulant", "n": 7, "d": 3},
        "stragglers": {"model": "iid", "p": 0.3},
        "method": "monte-carlo",
    }
    fastgc.run(study, trials=4 * 65_536, threads=2)
    assert len(set(met)) == 2
