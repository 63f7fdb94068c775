"""What is sent to other processes: restored once, by the same fastgc, with all of its plug-ins."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from fastgc.engine import payloads
from fastgc.engine.payloads import Payload
from fastgc.errors import FastgcError
from suite.checks import every


class Counted:
    """Counts how often it was pickled and restored."""

    pickled = restored = 0

    def __getstate__(self):
        Counted.pickled += 1
        return {"some": "state"}

    def __setstate__(self, state):
        Counted.restored += 1
        self.__dict__.update(state)


def test_a_content_is_pickled_and_restored_once(monkeypatch):
    monkeypatch.setattr(Counted, "pickled", 0)
    monkeypatch.setattr(Counted, "restored", 0)
    payload = Payload(Counted())
    assert payload.content is payload.content and Counted.pickled == 0
    sent = [pickle.loads(pickle.dumps(payload)) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda each: each.content, sent))
    assert Counted.pickled == 1 and Counted.restored == 1
    assert len(found) == 8 and every(each is found[0] for each in found)
    # who was sent it can send it on
    assert pickle.loads(pickle.dumps(sent[0])).content is found[0]


def test_another_fastgc_is_refused(monkeypatch):
    sent = pickle.dumps(Payload("x"))
    monkeypatch.setattr(payloads, "build_fingerprint", lambda: "fastgc 99")
    with pytest.raises(FastgcError, match=r"a worker has fastgc 99, and was sent fastgc \d"):
        _ = pickle.loads(sent).content


@pytest.mark.parametrize(
    ("name", "value"),
    [("__version__", "0.0"), ("STREAM_VERSION", 99), ("source_digest", lambda: "another")],
)
def test_whatever_decides_a_number_tells_workers_apart(name, value, monkeypatch):
    sent, own = pickle.dumps(Payload("x")), payloads.build_fingerprint()
    monkeypatch.setattr(payloads, name, value)
    payloads.build_fingerprint.cache_clear()
    try:
        assert payloads.build_fingerprint() != own
        with pytest.raises(FastgcError, match="install the same one everywhere"):
            _ = pickle.loads(sent).content
    finally:
        payloads.build_fingerprint.cache_clear()


@pytest.mark.parametrize("pickled", [b"cno.such.module\nLaw\n.", b"cfastgc.latency\nNoSuchLaw\n."])
def test_a_plug_in_that_is_missing_is_a_sentence(pickled):
    with pytest.raises(FastgcError, match=r"executor: a worker lacks a plug-in .* can import"):
        payloads.restored(pickled)
