"""Properties that are computed once: no thread waits for those of another object."""

import threading

import fastgc
from fastgc.decoding.decoder import Decoder
from suite.waiting import HUNG


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
