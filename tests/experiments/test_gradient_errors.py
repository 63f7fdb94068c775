"""Studies with a target or a table gram: every method, measure and bound, and what is refused."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc.study.study import Study
from suite.checks import every

IID = {"model": "iid", "p": 0.3}
CYCLIC = {"family": "cyclic", "n": 6, "d": 2, "seed": 1}
FAMILIES = [
    {"family": "frc", "n": 6, "d": 2},
    {"family": "circulant", "n": 7, "d": 2},
    CYCLIC,
    {"family": "cyclic-mds", "n": 7, "d": 3},
    {"family": "binary", "n": 6, "s": 1},
    {"family": "uncoded", "n": 5},
    {"family": "bibd", "name": "fano"},
    {"family": "graph", "name": "cycle", "vertices": 5},
    {"family": "sparse-regular", "n": 8, "d": 3, "seed": 1},
    {"family": "bernoulli", "n": 6, "k": 5, "density": 0.5, "seed": 3},
]
GRAM = {"clusters": 2, "correlation": 0.6, "between": 0.1}


def found(rows, method="exact"):
    return {
        (row["quantity"], row["statistic"], row["index"]): row["value"]
        for row in rows
        if row["method"] == method
    }


def enumerated(B, G, t, p, known):
    """Mean error, P(error > 1) and mean decoding error, by LAPACK pattern by pattern."""
    n = B.shape[1]
    values, sides = np.linalg.eigh(G)
    L = sides * np.sqrt(np.maximum(values, 0.0))
    total, above, plain = 0.0, 0.0, 0.0
    for alive in itertools.product([False, True], repeat=n):
        A = B[:, np.array(alive)]
        r = -t
        if any(alive):
            M = (L.T @ A, L.T @ t) if known else (A, t)
            r = A @ np.linalg.lstsq(*M, rcond=1e-10)[0] - t
        probability = p ** (n - sum(alive)) * (1 - p) ** sum(alive)
        total += probability * (r @ G @ r)
        above += probability * (r @ G @ r > 1.0 + 1e-9)
        plain += probability * (r @ r)
    return total, above, plain


@pytest.mark.parametrize("code", FAMILIES, ids=lambda code: code["family"])
@pytest.mark.parametrize("known", [False, True])
def test_enumeration_and_bounds_in_every_family(code, known):
    measures = ["error", "gradient_error", "decoding_error", "error_bounds"]
    study = {"code": code, "stragglers": IID, "measure": measures, "method": "exact"}
    study |= {"gram": GRAM | {"known": known}, "thresholds": [1.0]}
    own = found(fastgc.run(study).rows())
    B = _matrix(code)
    k = len(B)
    cluster = np.arange(k) * 2 // k
    G = np.where(cluster[:, None] == cluster, 0.6, 0.1)
    np.fill_diagonal(G, 1.0)
    mean, above, plain = enumerated(B, G, np.ones(k), 0.3, known)
    assert own["error", "mean", None] == pytest.approx(mean, rel=1e-8)
    assert own["error", "P(>1.0)", None] == pytest.approx(above, rel=1e-9, abs=1e-12)
    assert own["gradient_error", "mean", None] == pytest.approx(mean / G.sum(), rel=1e-8)
    assert own["error", "maximum", None] == pytest.approx(G.sum())  # nobody answers
    if not known or np.linalg.matrix_rank(B) == B.shape[1]:
        assert own["decoding_error", "mean", None] == pytest.approx(plain, rel=1e-8)
    low, high, sides = (own["error_bounds", "mean", index] for index in _BOUNDS)
    assert low <= mean * (1 + 1e-9) and mean <= high * (1 + 1e-9) and mean <= sides * (1 + 1e-9)
    assert low > 0


_BOUNDS = ("least eigenvalue", "largest eigenvalue", "norms")


def _matrix(code):
    (point,) = Study.parse({"code": code, "stragglers": IID}).points()
    return point.compiled.code.B


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("iterations", [1, 3])
def test_samples_agree_with_enumeration(known, iterations):
    measures = ["error", "norm", "gradient_error", "decoding_error", "error_bounds", "exact"]
    study = {"code": CYCLIC, "stragglers": IID, "measure": measures, "method": "both"}
    study |= {"gram": {"norms": [1, 2, 3, 1, 0.5, 0.1], "known": known}, "seed": 5}
    rows = fastgc.run(study | {"iterations": iterations}, trials=20_000).rows()
    exact = found(rows)
    for row in rows:
        address = row["quantity"], row["statistic"], row["index"]
        if row["method"] == "monte-carlo" and row["statistic"] == "mean":
            slack = 1.0 * (row["high"] - row["low"])
            assert row["low"] - slack <= exact[address] <= row["high"] + slack
    assert {row["unit"] for row in rows if row["quantity"] == "error"} == {"1"}


def test_lost_groups_cost_what_their_gradients_are():
    """How many groups are lost is enough for gradients that are orthonormal alone."""
    study = {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": {"model": "iid", "p": 0.5}}
    study |= {"gram": {"norms": [1, 2, 3, 1]}, "measure": ["error"], "method": "monte-carlo"}
    mean = fastgc.run(study, trials=20_000)["error"].mean
    assert abs(mean.value - 0.25 * (1 + 4 + 9 + 1)) < 5 * mean.standard_error


def test_targets_of_studies():
    code = {"family": "frc", "n": 4, "d": 2}
    study = {"code": code, "stragglers": {"model": "iid", "p": 0.5}, "method": "exact"}
    own = fastgc.run(study | {"target": [1.0, 3.0, 0.0, 0.0]})["error"].mean
    assert own.value == pytest.approx(2.0 + 0.25 * 2 * 4)
    mean = fastgc.run(study | {"target": "mean"})["error"].mean
    assert mean.value == pytest.approx(1.0 / 16)
    assert fastgc.error([[1, 0], [0, 1]], p=0.5, target=[1, 2]).value == pytest.approx(2.5)


def test_the_gram_may_be_swept_and_stand_in_a_file(tmp_path):
    file = tmp_path / "G.csv"
    file.write_text("1,0.5\n0.5,1\n")
    study = {"code": [[1, 0], [0, 1]], "stragglers": 0.5, "method": "exact"}
    swept = {"sweep": {"gram.correlation": [0.0, 0.5, 1.0]}}
    rows = fastgc.run(study | swept).rows()
    values = [
        row["value"] for row in rows if row["statistic"] == "mean" and row["method"] == "exact"
    ]
    assert values == pytest.approx([1.0, 1.25, 1.5])
    of_file = fastgc.run(study | {"gram": {"file": str(file)}})
    assert of_file["error"].mean.value == pytest.approx(1.25)
    written, read = (
        Study.parse(study | {"gram": gram})
        for gram in ({"rows": [[1.0, 0.5], [0.5, 1.0]]}, {"file": str(file)})
    )
    assert written.identity() == read.identity()
    assert str(file) in read.files_read()
    plain = Study.parse(study)
    assert "gram" not in plain.identity() and "target" not in plain.identity()


def test_the_worst_case_is_that_of_the_gradient():
    """Enumerated by hand; what is known of the family's own worst cases is not asked."""
    lengths = np.array([1.0, 1.0, 5.0, 5.0, 1.0, 1.0])
    for known, code in itertools.product([False, True], FAMILIES[:3]):
        B = _matrix(code)
        gram = {"norms": [*lengths.tolist(), 1.0][: len(B)], "known": known}
        G = np.diag(np.array(gram["norms"]) ** 2)
        study = {"code": code, "stragglers": {"model": "adversarial", "stragglers": 2}}
        result = fastgc.run(study | {"gram": gram})
        worst = 0.0
        for lost in itertools.combinations(range(B.shape[1]), 2):
            A = np.delete(B, lost, axis=1)
            L = np.sqrt(G) if known else np.eye(len(B))
            r = A @ np.linalg.lstsq(L @ A, L @ np.ones(len(B)), rcond=1e-10)[0] - 1
            worst = max(worst, r @ G @ r)
        (row,) = [row for row in result.rows() if row["method"] != "closed-form"]
        assert row["value"] == pytest.approx(worst, rel=1e-9)


def test_rare_events_of_a_known_gram():
    study = {"code": {"family": "circulant", "n": 16, "d": 2}, "method": "rare", "seed": 2}
    study |= {"stragglers": {"model": "iid", "p": 0.01}, "measure": ["error", "gradient_error"]}
    study |= {"gram": {"correlation": 0.25, "known": True}, "thresholds": [3.0], "target": "sum"}
    rare = fastgc.run(study).rows()
    exact = found(fastgc.run(study | {"method": "exact"}).rows())
    (row,) = [r for r in rare if r["quantity"] == "error"]
    assert row["value"] == pytest.approx(exact["error", "P(>3.0)", None], rel=0.05, abs=0)
    with pytest.raises(fastgc.FastgcError, match="known to the master"):
        fastgc.run(study | {"gram": {"correlation": 0.25}})


def test_no_closed_form_is_of_another_error():
    code = {"family": "frc", "n": 6, "d": 2}
    study = {"code": code, "stragglers": IID, "method": "exact"}
    study |= {"measure": ["error", "exact", "decoding_error", "gradient_error", "lost"]}
    for more in ({"gram": {"norms": [1, 2, 3, 4, 5, 6]}}, {"gram": {"clusters": 3}}):
        forms = found(fastgc.run(study | more).rows(), "closed-form")
        assert {quantity for quantity, *_ in forms} == {"decoding_error", "lost"}
    for more in (
        {"gram": {"correlation": 0.5, "known": True}},
        {"target": [1, 2, 3, 4, 5, 6], "gram": {"correlation": 0.5}},
    ):
        forms = found(fastgc.run(study | more).rows(), "closed-form")
        assert {quantity for quantity, *_ in forms} == {"lost"}
    rows = fastgc.run(study | {"gram": {"correlation": 0.5}}).rows()
    own = found(rows)
    assert every(
        own[address] == pytest.approx(value)
        for address, value in found(rows, "closed-form").items()
    )
    assert ("error", "mean", None) in found(rows, "closed-form")


@pytest.mark.night
@pytest.mark.parametrize("shards", [1, 3])
def test_bits_do_not_depend_on_threads(shards):
    study = {"code": {"family": "cyclic", "n": 24, "d": 3, "seed": 1}, "stragglers": IID}
    study |= {"gram": GRAM | {"known": shards == 3}, "method": "monte-carlo"}
    study |= {"measure": ["error", "decoding_error", "error_bounds"]}
    one, two = (fastgc.run(study, trials=20_000, threads=threads).rows() for threads in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"measure": ["error_bounds"]}, "error_bounds needs a table gram or a target"),
        ({"gram": {"norms": [1, 2]}}, "gram.norms: must have 6 lengths (got 2)"),
        ({"target": [1, 2]}, "target: must have 6 entries"),
        ({"gram": GRAM, "measure": ["stability"]}, "leave out gram"),
        ({"target": [1, 2, 3, 4, 5, 6], "decoder": "one-step"}, 'needs decoder "optimal"'),
        (
            {
                "gram": GRAM,
                "code": {"family": "bernoulli", "n": 6, "density": 0.5, "seed": "trial"},
            },
            "gram: needs a matrix that stays",
        ),
    ],
)
def test_mistakes(more, said):
    with pytest.raises(fastgc.FastgcError) as caught:
        fastgc.run({"code": CYCLIC, "stragglers": IID} | more)
    assert said in str(caught.value) and "\n" not in str(caught.value)
