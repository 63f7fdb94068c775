"""What always or never happens, against brute force: a certificate iff no set is a failure."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc import codes, report
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst.case import breaking
from fastgc.errors import FastgcError
from fastgc.results.verdict_data import CONFIRMED, REFUTED, UNDECIDED, data_of, verdict_of
from fastgc.validation.certainties import Certainty

K4 = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
CODES = {
    "frc": codes.frc(n=9, d=3),
    "uneven groups": codes.heterogeneous_binary(workers=[2, 4], times=[1, 4], s=1, k=9),
    "binary": codes.binary(n=8, s=2),
    "binary with a remainder": codes.binary(n=9, s=3),
    "odd cycle": codes.circulant(n=7, d=2),
    "even cycle": codes.circulant(n=8, d=2),
    "circulant": codes.circulant(n=8, d=3),
    "cyclic": codes.cyclic(n=8, d=3),
    "mds": codes.cyclic_mds(n=8, d=4),
    "complex mds": codes.cyclic_mds(n=8, d=3, field="complex"),
    "graph": codes.graph(edges=K4),
    "path": codes.graph(edges=[[0, 1], [1, 2], [2, 3], [3, 4]]),
    "sparse": codes.sparse_regular(n=8, d=3),
    "bibd": codes.bibd(name="fano"),
    "uncoded": codes.uncoded(n=5),
}


def error(code, gone):
    """By least squares of NumPy: ‖A x − 1‖²."""
    A, ones = np.delete(code.B, list(gone), axis=1), np.ones(code.k)
    return float((np.abs(A @ np.linalg.lstsq(A, ones, rcond=None)[0] - ones) ** 2).sum())


def asked(code, numbers, decoder="optimal", limit=None, **more):
    made = Decoder(code, decoder=decoder)
    limit = made.exact_threshold if limit is None else limit
    able = np.ones(code.n, bool)
    return Certainty(code, made, limit, **{"is_always": False} | more, numbers=numbers, able=able)


@pytest.mark.parametrize("name", CODES)
def test_a_certificate_where_no_set_fails_and_a_set_that_fails_elsewhere(name):
    code = CODES[name]
    found = breaking(Decoder(code), code)
    failing = []
    for s in range(code.n + 1):
        errors = {gone: error(code, gone) for gone in itertools.combinations(range(code.n), s)}
        largest = max(errors.values())
        fails = largest > 1e-9 * code.k
        proof = asked(code, [s]).proof()
        assert (bool(proof.certificate), bool(proof.sets)) == (not fails, fails)
        if fails:
            failing.append(s)
            assert len(proof.sets[0]) == s and errors[tuple(proof.sets[0])] > 1e-9 * code.k
        else:
            assert f"= {math.comb(code.n, s)} sets of {s} straggler" in proof.certificate
        # the largest error is asked for as well: of the same sets, above any limit
        above, below = (asked(code, [s], limit=f * largest + 1e-7).proof() for f in (1.01, 0.99))
        assert above.certificate or code.obstacle
        assert below.sets or largest < 1e-5
    assert found.least <= failing[0] <= len(found.stragglers)
    assert error(code, found.stragglers) > 1e-9 * code.k
    assert not found.why or name == "uneven groups" or found.least == failing[0]


@pytest.mark.parametrize("name", ["sparse", "cyclic", "circulant"])
def test_a_set_that_fails_is_found_among_those_who_can_straggle(name):
    code = CODES[name]
    for able in ([0, 1, 2, 3, 4], [0, 2, 4, 5, 6, 7], [1, 3, 5, 7]):
        for s in (2, 3, 4):
            question = dataclasses.replace(asked(code, [s]), able=np.isin(range(code.n), able))
            failing = [gone for gone in itertools.combinations(able, s) if error(code, gone) > 1e-8]
            found = [tuple(each) for each in question.proof().sets]
            assert bool(found) == bool(failing) and {*found} <= {*failing}


def test_the_class_decoder_is_broken_by_one_worker_of_each_class():
    code = CODES["binary"]
    assert "3 disjoint classes" in asked(code, [2], "class").proof().certificate
    broken = asked(code, [3], "class").proof().sets[0]
    assert len({j % 3 for j in broken}) == 3
    # of an even cycle one straggler is survived by best weights, and not by equal ones
    proof = asked(codes.frc(n=6, d=3), [1], "one-step").proof()
    assert proof.sets and not proof.certificate


@pytest.mark.parametrize("s", range(8))
def test_that_the_error_is_the_same_whichever_straggle_and_that_none_decodes(s):
    """Any two blocks of the Fano plane meet in a point; three may meet in one, or in none."""
    code, ring = CODES["bibd"], CODES["odd cycle"]
    sets = list(itertools.combinations(range(7), s))
    proof = dataclasses.replace(asked(code, [s]), limit=None).proof()
    assert bool(proof.certificate) == (np.ptp([error(code, gone) for gone in sets]) < 1e-9)
    if proof.sets:
        assert abs(error(code, proof.sets[0]) - error(code, proof.sets[1])) > 1e-9
    # what never decodes is refuted by a set that does
    proof = asked(ring, [s], is_always=True).proof()
    decodes = any(error(ring, gone) < 1e-9 for gone in sets)
    assert bool(proof.certificate) != decodes
    assert not decodes or error(ring, proof.sets[0]) < 1e-9


def said(code, stragglers, quantity="error", theory=0, **more):
    experiment = {"code": code, "stragglers": stragglers}
    experiment |= {key: more.pop(key) for key in ("decoder", "kind") if key in more}
    table = {"id": "t.c", "statement": "x", "theory": theory, "quantity": quantity, **more}
    [found] = fastgc.validate({"claim": [table | {"experiment": experiment}]}, trials=2**17)
    return found


FRC = {"family": "frc", "n": 40, "d": 8}
CYCLIC = {"family": "cyclic", "n": 40, "d": 8}
BINARY = {"family": "binary", "n": 40, "s": 6}


def uniform(s):
    return {"model": "uniform", "stragglers": s}


def checked(found):
    """The line that is printed gives the error that is printed."""
    own = found.counterexample
    assert eval(own.check, {"fastgc": fastgc}) == pytest.approx(own.error, abs=1e-9)
    assert str(own).endswith(own.check[own.check.index("}, ") + 1 :])  # a long matrix is B
    return list(own.stragglers)


@pytest.mark.parametrize(("quantity", "theory", "relation"), [
    ("error", 0, "="), ("error", 0, "<="), ("norm", 0, "="), ("lost", 0, "="), ("exact", 1, "="),
    ("exact", 1, ">="), ("error_per_partition", 0, "="),
])  # fmt: skip
def test_in_whatever_words_it_is_said(quantity, theory, relation):
    more = {"relation": relation, "theory": theory}
    found = said(FRC, uniform(8), quantity, **more)
    assert found.verdict == REFUTED and checked(found) == list(range(8))
    right = said(FRC, uniform(7), quantity, **more)
    assert right.verdict == CONFIRMED
    assert right.certificate.startswith("all C(40, 7) = 18 643 560 sets of 7 stragglers ")
    assert verdict_of(data_of(found)).counterexample == found.counterexample


def test_by_chains_by_holders_and_where_who_may_straggle_is_not_everybody():
    assert checked(said(BINARY, uniform(7))) == list(range(7))
    chains = "7 disjoint chains of workers hold all partitions"
    assert said(BINARY, uniform(6)).certificate.endswith(chains)
    assert len(checked(said(CYCLIC, {"model": "iid", "p": 0.02}))) == 8
    # only the first of two groups can straggle: then it may, and one of them alone breaks nothing
    for slow in ([0.1] * 8 + [0.0] * 32, [0.1] * 7 + [0.0] * 33):
        found = said(FRC, {"model": "iid", "p": slow})
        if slow[7]:
            assert checked(found) == list(range(8))
        else:
            assert found.certificate.startswith("all C(40, 7)")
    worst = {"model": "adversarial", "stragglers": 8}
    assert checked(said(FRC, worst, statistic="maximum")) == list(range(8))


@pytest.mark.parametrize("words", [
    {}, {"quantity": "lost"}, {"quantity": "exact", "theory": 1}, {"statistic": "P(>1e-06)"},
    {"statistic": "variance"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("family", ["frc", "cyclic", "uncoded"])
def test_no_set_that_cannot_happen_is_a_counterexample(family, words):
    code = {"family": family, "n": 6} | ({} if family == "uncoded" else {"d": 2})
    never = [
        {"model": "iid", "p": 0.0},
        {"model": "two-class", "slow": 2, "p_straggle_slow": 0.0, "p_straggle_active": 0.0},
        {"model": "markov", "p_straggle_after_ok": 0.0, "p_straggle_after_straggle": 0.5},
    ]
    assert {said(code, model, **words).verdict for model in never} == {CONFIRMED}
    always = said(code, {"model": "iid", "p": 1.0}, **words)
    if "variance" in words.values():
        assert always.verdict == CONFIRMED  # they all straggle
    else:
        assert always.verdict == REFUTED and always.counterexample.stragglers == (*range(6),)


@pytest.mark.night
def test_what_no_set_proves_is_undecided():
    many = said({"family": "cyclic", "n": 100, "d": 10}, uniform(9))
    assert many.verdict == UNDECIDED and not many.certificate and many.counterexample is None
    assert "no counterexample in 131 072 trials, so that its probability is at most" in many.reason
    assert said(FRC, uniform(9), relation=">", theory=0).counterexample is None
    with pytest.raises(FastgcError):
        said(FRC, uniform(41))


@pytest.mark.night
def test_a_worst_case_that_is_only_searched_for_is_judged_by_what_was_found():
    sparse = {"family": "sparse-regular", "n": 60, "d": 4}
    worst = {"model": "adversarial", "stragglers": 12}
    more = {"statistic": "maximum"}
    found = said(sparse, worst, theory=3, relation="<=", **more)
    assert found.verdict == REFUTED and len(checked(found)) == 12
    assert said(sparse, worst, theory=3, relation=">=", **more).verdict != UNDECIDED
    open_ = said(sparse, worst, theory=8, relation="<=", **more)
    assert open_.verdict == UNDECIDED and "the best of" in open_.reason


RING = np.array([[j in (i, (i - 1) % 12, (i - 2) % 12) for j in range(12)] for i in range(12)])


@pytest.mark.parametrize(("quantity", "theory", "value"), [
    ("exact", 1, 0.709090909), ("error", 0, 0.175378846),
])  # fmt: skip
def test_the_value_is_the_mean_and_the_counterexample_stands_beside_it(quantity, theory, value):
    found = said({"family": "matrix", "rows": RING.astype(float)}, 3, quantity, theory)
    assert (found.verdict, found.value) == (REFUTED, pytest.approx(value))
    assert checked(found) == [0, 10, 11] and found.counterexample.error == pytest.approx(1.2)
    assert len(str(found.counterexample)) < 130 and "decode(B, sorted(" in str(found.counterexample)
    many = said(FRC, uniform(8), quantity, theory)  # nobody enumerates 2⁴⁰ patterns
    assert (many.verdict, many.value, many.method) == (REFUTED, None, "counterexample")


@pytest.mark.parametrize("off", [1e-4, 1e-6])
@pytest.mark.parametrize("of", ["uniform mean", "uniform maximum", "adversarial maximum"])
def test_what_rounding_does_not_explain_is_no_zero(off, of):
    """A worker's column that is off by ε leaves 2/3 ε²: an error, whatever is said of it."""
    model, statistic = of.split()
    rows = np.kron(np.eye(4), np.ones((3, 3)))
    rows[0, :3] += off
    code, any_two = {"family": "matrix", "rows": rows}, {"model": model, "stragglers": 2}
    verdicts = {
        relation: said(code, any_two, relation=relation, statistic=statistic)
        for relation in ("=", "<=", "<", ">", ">=")
    }
    right = {name: CONFIRMED if ">" in name else REFUTED for name in verdicts}
    assert {name: found.verdict for name, found in verdicts.items()} == right
    assert verdicts["="].value / off**2 == pytest.approx(2 / 3, abs=1e-3)
    # it counts as exact all the same, and that is said
    exact = said(code, uniform(2), "exact", 1)
    words = f"confirmed with errors of up to {2 / 3 * off**2:.1e} counted as exact"
    assert report.verdict(exact, 200).startswith(f"t.c: {words}")
    sheet = fastgc.inspect(rows, stragglers=[2])
    assert "are left where decoding counts as exact" in sheet.doubt
    assert f"{sheet.lines[0].worst_error:.6g}" in str(sheet).splitlines()[-1]


@pytest.mark.parametrize(("relation", "theory", "verdict"), [
    ("<=", "k", CONFIRMED), ("<", 31, CONFIRMED), ("<", 30, UNDECIDED), ("<=", 20, UNDECIDED),
    ("=", 31, REFUTED), (">", 30, REFUTED), (">=", 0, CONFIRMED), (">", 0, CONFIRMED),
    ("<=", -1, REFUTED), ("<=", 0.5, REFUTED), (">=", 0.5, CONFIRMED), ("=", 3, UNDECIDED),
])  # fmt: skip
def test_a_largest_error_is_what_was_seen_at_least_and_k_at_most(relation, theory, verdict):
    ring = {"family": "circulant", "n": 30, "d": 3}
    found = said(ring, 0.05, statistic="maximum", relation=relation, theory=theory)
    assert found.verdict == verdict and bool(found.certificate) == (verdict == CONFIRMED)
    if verdict == CONFIRMED:
        assert ("0 to 30, whatever" in found.certificate) == (relation in ("<=", "<"))


def test_an_exact_value_does_not_hide_what_is_seldom():
    """Groups of four are lost with probability 4e-16: 1 less it is 1, and a mean rounding."""
    small = {"family": "frc", "n": 16, "d": 4}
    for quantity, theory in (("exact", 1), ("error", 0)):
        assert checked(said(small, {"model": "iid", "p": 1e-4}, quantity, theory)) == [0, 1, 2, 3]
    limit, never = (said(small, uniform(s), relation=">") for s in (4, 3))
    assert limit.verdict == CONFIRMED and limit.counterexample is None
    assert never.verdict == REFUTED and never.certificate == ""
