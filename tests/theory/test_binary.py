"""Closed forms of paper binary against enumeration of small codes, and its claims."""

import itertools
import math

import numpy as np
import pytest

from fastgc.theory import binary, known
from twins import families

SMALL = [(n, s) for n in range(1, 9) for s in range(n)]


def test_loads_are_those_of_balanced_classes():
    for n in range(1, 31):
        for s in range(n):
            loads = families.binary(n, s).sum(axis=0)
            assert binary.loads(n, s).tolist() == loads.tolist()
            assert binary.total_load(n, s) == loads.sum()
            assert binary.least_load(n, s) == loads.min()
            assert binary.unevenness(n, s) == np.abs(loads - (s + 1)).sum()
            assert binary.guaranteed_survivors(n, s) == n - s
    assert binary.least_load(7, 2, k=21) == families.binary(7, 2, 21).sum(axis=0).min()


@pytest.mark.parametrize(("n", "s"), SMALL)
def test_exact_and_complete_sets_of_every_size(n, s):
    code = {"family": "binary", "n": n, "s": s}
    exact = families.errors(code) < 1e-9
    complete = families.errors(code, "class") == 0
    for r in range(n + 1):
        chosen = [v for v in range(2**n) if v.bit_count() == r]
        assert binary.exact_probability(n, s, survivors=r) == pytest.approx(exact[chosen].mean())
        assert binary.class_probability(n, s, survivors=r) == pytest.approx(complete[chosen].mean())
    for p in (0.0, 0.3, 0.8, 1.0):
        weights = families.probabilities(n, {"model": "iid", "p": p})
        assert binary.exact_probability(n, s, p=p) == pytest.approx(weights @ exact, abs=1e-13)
        assert binary.class_probability(n, s, p=p) == pytest.approx(weights @ complete, abs=1e-13)


@pytest.mark.parametrize("decoder", ["optimal", "class"])
@pytest.mark.parametrize("stragglers", [
    {"model": "iid", "p": 0.3}, {"model": "uniform", "stragglers": 4},
], ids=str)  # fmt: skip
def test_closed_forms_are_the_enumeration(decoder, stragglers):
    for n, s in ((8, 2), (8, 3), (7, 0)):
        code = {"family": "binary", "n": n, "s": s}
        experiment = {"code": code, "stragglers": stragglers, "decoder": decoder}
        forms = known.closed_forms(experiment)
        assert {"exact", "survivors"} <= {form.quantity for form in forms}
        for form in forms:
            if form.quantity in ("exact", "error"):
                truth = families.measure(experiment, form.quantity, form.statistic)
                assert form.value == pytest.approx(truth, abs=1e-12), form


def test_closed_forms_of_mixtures():
    code = {"family": "binary", "n": 8, "s": 2}

    def exact(**slow):
        stragglers = {"model": "two-class", "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
        table = {"code": code, "stragglers": stragglers | slow, "measure": ["exact"]}
        (form,) = known.closed_forms(table)
        return form.value

    weights = np.zeros(2**8)
    for slow in itertools.combinations(range(8), 3):
        p = [0.8 if j in slow else 0.1 for j in range(8)]
        weights += [
            math.prod(1 - p[j] if v >> j & 1 else p[j] for j in range(8)) for v in range(2**8)
        ]
    truth = weights @ (families.errors(code) < 1e-9) / math.comb(8, 3)
    assert exact(slow=3) == pytest.approx(truth, abs=1e-12)
    assert exact(p_slow=0.5) == pytest.approx(binary.exact_probability(8, 2, p=0.45))
