"""Closed forms of the wider literature against enumeration of small codes, and its claims."""

import itertools

import numpy as np
import pytest

from fastgc.theory import known, literature
from fastgc.theory.common.codes import parameters
from fastgc.theory.literature import paper
from twins import families, patterns


@pytest.mark.parametrize("name", ["fano", "ag(2,3)", "paley-11"])
def test_designs_have_one_error_a_number_of_survivors(name):
    errors = literature.bibd_errors(name)
    for pattern, error in enumerate(families.errors({"family": "bibd", "name": name})):
        assert error == pytest.approx(errors[pattern.bit_count()], abs=1e-9)
    known = parameters(name)
    B = families.matrix({"family": "bibd", "name": name})
    assert B.shape == (known["k"], known["n"])
    assert set(B.sum(axis=0)) == {known["d"]} and set(B.sum(axis=1)) == {known["holders"]}
    assert set((B.T @ B)[np.triu_indices(known["n"], 1)]) == {known["common"]}


@pytest.mark.parametrize("seed", range(4))
def test_components_of_random_graphs(seed):
    pairs = list(itertools.combinations(range(6), 2))
    chosen = np.random.default_rng(seed).choice(len(pairs), size=8, replace=False)
    edges = tuple(pairs[i] for i in chosen)
    B = tuple(tuple(int(x) for x in row) for row in families.incidence(edges, 6))
    truth = np.array([float(error) for error in patterns.errors(B)])
    assert literature.graph_errors(edges, 6) == pytest.approx(truth, abs=1e-12)
    weights = families.probabilities(8, {"model": "uniform", "stragglers": 3})
    mean, variance = weights @ truth, weights @ (truth - weights @ truth) ** 2
    assert literature.graph_mean_error(edges, 6, survivors=5) == pytest.approx(mean)
    assert literature.graph_error_variance(edges, 6, survivors=5) == pytest.approx(variance)


def test_worst_cases_of_frc():
    for n, d in ((6, 2), (8, 4), (6, 3), (4, 1)):
        code = {"family": "frc", "n": n, "d": d}
        errors = families.errors(code)
        for s in range(n + 1):
            worst = max(errors[v] for v in range(2**n) if v.bit_count() == n - s)
            assert literature.frc_largest_error(n, d, s) == pytest.approx(worst, abs=1e-9)


def test_expansion_bounds_every_pattern():
    for code, d in (
        ({"family": "circulant", "n": 8, "d": 3}, 3),
        ({"family": "matrix", "rows": (np.ones((5, 5)) - np.eye(5)).tolist()}, 4),
    ):
        B = families.matrix(code)
        second = np.linalg.svd(B, compute_uv=False)[1]
        for pattern, error in enumerate(families.errors(code)):
            s = len(B) - pattern.bit_count()
            if s < len(B):
                assert error <= literature.expander_bound(len(B), d, second, s) + 1e-9


@pytest.mark.parametrize("experiment", [
    {"code": code, "stragglers": stragglers}
    for code in (
        {"family": "graph", "name": "petersen"},
        {"family": "circulant", "n": 7, "d": 2},
    )
    for stragglers in ({"model": "iid", "p": 0.3}, {"model": "uniform", "stragglers": 2})
], ids=str)  # fmt: skip
def test_closed_forms_are_the_enumeration(experiment):
    forms = known.closed_forms(experiment)
    assert any(form.quantity == "error" for form in forms)
    for form in forms:
        if form.quantity in ("error", "exact"):
            truth = families.measure(experiment, form.quantity, form.statistic)
            assert form.value == pytest.approx(truth, abs=1e-9), form


def test_closed_forms_of_autocovariances():
    chance = {"p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
    experiment = {"code": {"family": "frc", "n": 4, "d": 2}, "shuffle": "cyclic"}
    experiment |= {"stragglers": {"model": "two-class", **chance}, "measure": ["error_lag"]}
    forms = {form.index: form.value for form in known.closed_forms(experiment | {"iterations": 3})}
    assert sorted(forms) == [0, 1, 2]
    variance, pair = (
        float(patterns.trial_moments(experiment | {"iterations": length}, "error")[1])
        for length in (1, 2)
    )
    assert (forms[0], forms[1]) == pytest.approx((variance, (pair - 2 * variance) / 2))


def is_enumerated(case):
    """Whether the twins can say what the engine should find: no times, no large or random code."""
    if case.is_finite or case.against or case.experiment.get("kind") != "decoding":
        return False
    code = case.experiment["code"]
    is_large = code.get("n", 0) > 12 or code.get("name") in ("petersen", "pg(2,3)")
    is_random = code["family"] in ("cyclic", "cyclic-mds", "ye-abbe", "bernoulli")
    return not (is_large or is_random) and case.experiment["stragglers"]["model"] != "markov"


@pytest.mark.night
def test_exact_values_give_the_expected_verdict():
    found = [(claim, case) for claim in paper.claims for case in claim.cases if is_enumerated(case)]
    assert len({claim.id for claim, _ in found}) == 5
    for claim, case in found:
        truth = families.measure(case.experiment, case.quantity, case.statistic)
        difference = truth - case.theory
        rounding = max(1e-9 * case.scale, (case.tolerance or 0.0) * abs(case.theory))
        assert {
            "=": abs(difference) <= rounding,
            "<=": difference <= rounding,
            ">=": difference >= -rounding,
            ">": difference > 0,
        }[claim.relation], (claim.id, case)
