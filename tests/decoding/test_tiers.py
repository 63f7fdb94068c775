"""Which tier decodes how many of the patterns, and where users are warned."""

import numpy as np
import pytest

import fastgc
from fastgc import codes, report
from fastgc.decoding.any_matrix import GramSchmidt, LeastSquares, Orthogonal
from fastgc.decoding.decoder import Decoder, tier_shares, tiers_said
from fastgc.draws.patterns import bernoulli
from fastgc.draws.streams import Batch
from fastgc.results import store
from fastgc.stragglers.iid import Iid
from twins.least_squares import digit_errors, exact_errors

#: Random cyclic codes are conditioned the worse the larger they are.
RARELY_SLOW = {"family": "cyclic", "n": 60, "d": 6, "seed": 1}
FAST = {"family": "cyclic", "n": 40, "d": 4, "seed": 1}


def doubled(condition):
    """A matrix (20, 26) so conditioned, six of whose columns are there twice."""
    rng = np.random.default_rng(7)
    U, V = (np.linalg.qr(rng.standard_normal((20, 20)))[0] for _ in range(2))
    A = (U * np.geomspace(1, 1 / condition, 20)) @ V
    return np.hstack([A, A[:, :6]])


def study(code, **keys):
    stragglers = {"model": "iid", "p": 0.1}
    return {"code": code, "stragglers": stragglers, "method": "monte-carlo"} | keys


def test_patterns_are_distinguished_as_they_are_decoded(monkeypatch):
    packed = bernoulli(np.full(26, 0.1), Batch(0, "here", 0, 16, 1), "straggle").packed
    given = {}

    def watched(kind, name):
        method = getattr(kind, name)

        def counted(self, patterns, out):
            given.setdefault(self.name, []).append(patterns)
            return method(self, patterns, out)

        monkeypatch.setattr(kind, name, counted)

    watched(LeastSquares, "attempt")
    watched(GramSchmidt, "attempt")
    watched(Orthogonal, "errors")
    decoder = Decoder(doubled(1e5))
    assert decoder.tiers == ("least-squares", "gram-schmidt", "orthogonal")
    tier = decoder.tier_of(packed)
    assert "orthogonal" not in given, "telling them apart must not take the time of decoding them"
    given.clear()
    decoder.errors(packed)
    for place, name in enumerate(decoder.tiers):
        assert np.array_equal(np.concatenate(given[name]), packed[tier >= place])
    assert set(tier.tolist()) == {0, 1, 2}


def test_kernels_of_one_tier():
    packed = np.array([[0b0111], [0b1011]], np.uint64)
    for code in (codes.frc(n=4, d=2), codes.cyclic(n=4, d=2, seed=1)):
        decoder = Decoder(code)
        assert decoder.tiers == (decoder.algorithm,) and not decoder.tier_of(packed).any()
    assert Decoder(doubled(1e7)).tiers == ("gram-schmidt", "orthogonal")
    assert Decoder(doubled(1e13)).tiers == ("orthogonal",)


@pytest.mark.night
@pytest.mark.parametrize("condition", [1e5, 1e7, 1e10])
def test_columns_that_are_there_twice_are_never_taken_for_different(condition):
    """Rounding makes rows of the null space short that should be 0: it must not be taken for them.
    Truth is at 60 digits.
    """
    B = doubled(condition)
    alive = np.ones((12, 26), bool)
    for row, lost in zip(alive, ((0, 20), (3, 23, 5), (0, 1, 20, 21, 7), (8, 9)) * 3, strict=True):
        row[list(lost)] = False
    rng = np.random.default_rng(0)
    for row in alive[4:]:
        row[rng.choice(26, 2, replace=False)] = False
    packed = np.packbits(alive, axis=1, bitorder="little")
    packed = np.pad(packed, ((0, 0), (0, 4))).view(np.uint64)
    decoder = Decoder(B)
    differences = np.abs(decoder.errors(packed) - digit_errors(B.tolist(), alive))
    assert differences.max() <= 4 * 2.0**-52 * decoder.condition * 20 + 1e-10 * 20


def test_the_shares_are_those_of_the_straggler_model():
    """The more stragglers, the more patterns are slow; the share is close to that of many."""
    code = codes.cyclic(n=250, d=6, seed=1)
    decoder = Decoder(code)
    few, more = (tier_shares(decoder, Iid(p=p).draw, code.n)["gram-schmidt"] for p in (0.002, 0.02))
    packed = bernoulli(np.full(250, 0.02), Batch(5, "many", 0, 128, 1), "straggle").packed
    assert few < more
    assert more == pytest.approx((decoder.tier_of(packed) == 1).mean(), abs=4 * 0.5 / 16)
    for iterations, shuffle in ((3, "cyclic"), (1000, "random")):
        again = tier_shares(decoder, Iid(p=0.02).draw, code.n, iterations, shuffle)
        assert again["gram-schmidt"] == pytest.approx(more, abs=5 * 0.7 / 16)
        assert sum(again.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ({"least-squares": 1.0, "gram-schmidt": 0.0}, None),
        ({"groups": 1.0}, None),
        (
            {"least-squares": 0.348, "gram-schmidt": 0.652, "orthogonal": 0.0},
            "about 65 % of the patterns decoded by the orthogonalising tier",
        ),
        (
            {"least-squares": 0.5, "gram-schmidt": 0.497, "orthogonal": 0.003},
            "about 50 % of the patterns decoded by the orthogonalising tier, less than 1 % by the "
            "slow pivoted tier",
        ),
        ({"orthogonal": 1.0}, "about 100 % of the patterns decoded by the slow pivoted tier"),
    ],
)
def test_words(shares, says):
    assert tiers_said(shares) == says


@pytest.mark.parametrize("threads", [1, 2])
def test_run_says_so(tmp_path, threads):
    file = tmp_path / "r.h5"
    result = fastgc.run(
        study(RARELY_SLOW, measure=["error", "exact"]), out=file, trials=3000, threads=threads
    )
    noted = [row for row in result.rows() if "tier" in row.get("note", "")]
    assert [(row["quantity"], row["statistic"]) for row in noted] == [("error", "mean")]
    says = "about 2 % of the patterns decoded by the orthogonalising tier"
    assert noted[0]["note"].endswith(says)
    assert noted[0]["note"] in report.results(result.rows())
    assert noted[0]["note"] in report.results(fastgc.open(file).rows())
    [found] = store.load(file).provenance["points"]
    assert list(found["tiers"]) == ["least-squares", "gram-schmidt", "orthogonal"]
    assert 0 < found["tiers"]["gram-schmidt"] < 0.03


def test_a_fast_code_has_no_such_note():
    result = fastgc.run(study(FAST), trials=1000)
    assert not any("tier" in row.get("note", "") for row in result.rows())


def test_a_table_of_all_errors_loses_no_digits_to_a_fast_tier():
    """Two answers that differ by 1e-10 decode a pair of partitions exactly."""
    rows = [
        [1.0, 1.0, 0, 0],
        [0.5, 0.5000000001, 0, 0],
        [0, 0, 1.0, 1.0],
        [0, 0, 0.6, 0.6000000001],
    ]
    decoder = Decoder(np.array(rows))
    assert decoder.condition > 1e6
    for pattern, error in enumerate(decoder.errors_of_all_patterns()):
        survivors = [bool(pattern >> worker & 1) for worker in range(4)]
        assert error == pytest.approx(exact_errors(rows, [survivors])[0], abs=1e-10), survivors
