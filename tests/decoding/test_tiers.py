"""Which tier decodes how many of the patterns, and where users are told."""

import numpy as np
import pytest

import fastgc
from fastgc import codes, report
from fastgc.decoding import tiers
from fastgc.decoding.algorithms import Orthogonal
from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import bernoulli
from fastgc.draws.streams import Batch
from fastgc.results import store
from fastgc.stragglers.iid import Iid

#: Random cyclic codes are conditioned the worse the larger they are.
RARELY_SLOW = {"family": "cyclic", "n": 60, "d": 6, "seed": 1}
FAST = {"family": "cyclic", "n": 40, "d": 4, "seed": 1}


def study(code, **keys):
    stragglers = {"model": "iid", "p": 0.02}
    return {"code": code, "stragglers": stragglers, "method": "monte-carlo"} | keys


def test_the_patterns_that_are_pivoted_are_those_given_to_the_slow_kernel(monkeypatch):
    code = codes.cyclic(n=60, d=6, seed=1)
    packed = bernoulli(np.full(60, 0.02), Batch(0, "here", 0, 64, 1), "straggle").packed
    given = []
    errors = Orthogonal.errors

    def counted(self, patterns, out):
        given.append(patterns)
        errors(self, patterns, out)

    monkeypatch.setattr(Orthogonal, "errors", counted)
    decoder = Decoder(code)
    found = decoder.pivoted(packed)
    assert given == [], "telling them apart must not take the time of decoding them"
    decoder.errors(packed)
    assert 0 < found.sum() < len(packed)
    assert np.array_equal(np.concatenate(given), packed[found])


def test_kernels_of_one_tier():
    packed = np.array([[0b0111], [0b1011]], np.uint64)
    assert not Decoder(codes.frc(n=4, d=2)).pivoted(packed).any()
    assert not Decoder(codes.cyclic(n=4, d=2, seed=1)).pivoted(packed).any()
    badly = Decoder(np.vander([1, 1 + 1e-9, 2, 3], 4), use_lookup=False)
    assert badly.algorithm == "orthogonal" and badly.pivoted(packed).all()


def test_the_share_is_that_of_the_straggler_model():
    """The more stragglers, the more patterns are slow; the share is close to that of many."""
    code = codes.cyclic(n=250, d=6, seed=1)
    decoder = Decoder(code)
    few, more = (tiers.pivoted_share(decoder, Iid(p=p).draw, code.n) for p in (0.002, 0.02))
    packed = bernoulli(np.full(250, 0.02), Batch(5, "many", 0, 128, 1), "straggle").packed
    assert few < more
    assert more == pytest.approx(decoder.pivoted(packed).mean(), abs=4 * 0.5 / 16)
    for iterations, shuffle in ((3, "cyclic"), (1000, "random")):
        again = tiers.pivoted_share(decoder, Iid(p=0.02).draw, code.n, iterations, shuffle)
        assert again == pytest.approx(more, abs=5 * 0.7 / 16)


@pytest.mark.parametrize(("share", "says"), [(0.652, "about 65 %"), (0.003, "less than 1 %")])
def test_words(share, says):
    assert tiers.said(share) == f"{says} of the patterns decoded by the slow pivoted tier"


@pytest.mark.parametrize("threads", [1, 2])
def test_run_says_so(tmp_path, threads):
    file = tmp_path / "r.h5"
    result = fastgc.run(
        study(RARELY_SLOW, measure=["error", "exact"]), out=file, trials=3000, threads=threads
    )
    noted = [row for row in result.rows() if "pivoted tier" in row.get("note", "")]
    assert [(row["quantity"], row["statistic"]) for row in noted] == [("error", "mean")]
    assert noted[0]["note"] == (
        "rests on about 4 events in 3000 trials; "
        "less than 1 % of the patterns decoded by the slow pivoted tier"
    )
    assert noted[0]["note"] in report.results(result.rows())
    assert noted[0]["note"] in report.results(fastgc.open(file).rows())
    [found] = store.load(file).provenance["points"]
    assert 0 < found["pivoted_share"] < 0.01


def test_a_fast_code_has_no_such_note():
    result = fastgc.run(study(FAST), trials=1000)
    assert not any("tier" in row.get("note", "") for row in result.rows())
