"""The table of codes: its values are true, and its words no larger than its values."""

import json
import re
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

import fastgc
from bench import found as check
from fastgc.report import handbook
from fastgc.searching import bounds, rational, table

DATA = json.loads(check.FILE.read_text("utf-8"))
IMPROVED = [c for c in DATA["cells"] if c["value"] < c["family"] * (1 - check.LESS)]
#: All cells take `python -m bench.found` a few minutes.
SAMPLE = [c for c in IMPROVED if c["n"] <= 8][::5] + [c for c in IMPROVED if "p" in c][::11]
#: Values above a bound by a smaller share are equal to it.
EQUAL = 1e-9


def is_better(cell, than="family"):
    """Whether a code has less error than every family, or ``than`` every other construction."""
    return cell["value"] < cell[than] * (1 - check.LESS)


@pytest.mark.parametrize(
    "cell", SAMPLE, ids=lambda c: f"{c['n']}-{c['d']}-{c.get('p')}-{c.get('s')}"
)
def test_an_improvement_stands_when_numpy_alone_judges_it(cell):
    assert check.wrong(DATA, cell) is None


def test_a_false_value_and_a_load_too_large_are_noticed():
    cell = next(c for c in IMPROVED if c["n"] == 5 and c.get("p"))
    assert "the error is" in check.wrong(DATA, cell | {"value": cell["value"] * 0.99})
    assert "more than d" in check.wrong(DATA, cell | {"d": cell["d"] - 1})
    assert "below the lower bound" in check.wrong(DATA, cell | {"bound": 1.0})


@pytest.mark.night
def test_mean_errors_as_fractions_are_less_by_no_more_than_the_page_says():
    small = {name: np.array(B, float) for name, B in DATA["parts"].items() if len(B) <= 8}
    sums, some = {name: rational.spectrum(B).sums for name, B in small.items()}, 0
    for cell in DATA["cells"]:
        if "p" in cell and all(name in sums for name in cell["parts"]):
            p, value = Fraction(repr(cell["p"])), Fraction(0)
            for own in (sums[name] for name in cell["parts"]):
                n = len(own) - 1
                value += sum(p**s * (1 - p) ** (n - s) * each for s, each in enumerate(own))
            assert float(value) * (1 - 1e-9) <= cell["value"] <= 1.005 * float(value)
            some += 1
    assert some > 260


def test_values_and_weights_are_those_of_the_decoder():
    for n, d, p in ((5, 3, 0.1), (6, 4, 0.1)):
        cell = next(each for each in table.cells(n, d) if each.get("p") == p)
        masks = np.array(list(np.ndindex(*[2] * n)), bool)
        found = fastgc.error(table.matrix(cell), p=p).value
        assert found == pytest.approx(cell["value"], rel=1e-3, abs=0)
        vectors = fastgc.decode(table.matrix(cell), masks).vectors
        assert np.abs(vectors).max() == pytest.approx(cell["weight"], rel=0.01)


def test_families_are_no_worse_than_repetition_in_blocks_of_any_sizes():
    for n, d, p, blocks in ((11, 4, 0.1, [4, 4, 3]), (7, 4, 0.2, [4, 3]), (5, 2, 0.1, [2, 2, 1])):
        cell = next(each for each in table.cells(n, d) if each.get("p") == p)
        assert cell["family"] <= sum(w * p**w for w in blocks) * (1 + 1e-9)


def test_chosen_seeds_are_families():
    for n in (3, 4, 5, 6):
        for cell in table.cells(n, n - 1):
            if "p" in cell:
                name, *keys = cell["family_name"].split()
                own = {key: int(value) for key, value in (each.split("=") for each in keys)}
                found = fastgc.error(fastgc.codes.ye_abbe(**own), p=cell["p"]).value
                assert name == "ye-abbe" and found == pytest.approx(cell["family"], rel=1e-3, abs=0)
                assert is_better(cell) == (n == 6)


@pytest.mark.night
def test_the_page_is_right_about_complex_codes():
    for n, d, least, most in ((3, 2, 0.90, 0.92), (4, 3, 0.9999, 1), (5, 4, 0.96, 0.97)):
        code = fastgc.codes.cyclic_mds(n=n, d=d, field="complex")
        for cell in table.cells(n, d):
            if "p" in cell:
                assert least < check.mean_error(code.B, cell["p"]) / cell["value"] <= most
    code = fastgc.codes.cyclic_mds(n=5, d=2, field="complex")
    assert check.worst_error(code.B, 3) < 2.13 < 2.33 < table.cells(5, 2)[4]["value"]


def test_every_cell_is_there_once():
    keys = {(c["n"], c["d"], c.get("p"), c.get("s")) for c in DATA["cells"]}
    assert len(keys) == len(DATA["cells"])
    for d in range(1, 6):
        for n in range(d, 21):
            own = table.cells(n, d)
            assert [c["p"] for c in own if "p" in c] == [0.05, 0.1, 0.2]
            assert [c["s"] for c in own if "s" in c] == list(range(d, min(5, n - 1) + 1))


def test_no_value_is_below_its_bound_or_above_the_best_family():
    for c in DATA["cells"]:
        assert c["value"] >= c["bound"] * (1 - 1e-9)
        assert c["value"] <= c["family"] * (1 + (1e-6 if c["d"] == c["n"] - 1 else 1e-9))
        size = c["n"], c["d"]
        own = bounds.mean_error(*size, c["p"]) if "p" in c else bounds.worst_error(*size, c["s"])
        assert c["bound"] == float(own)


def test_the_page_counts_what_is_better_and_what_is_least():
    _, mean, worst = " ".join(handbook.page("codes-found").text.split()).split("There are ")
    for key, said in (("p", mean), ("s", worst)):
        cells = [cell for cell in DATA["cells"] if key in cell]
        better = [cell for cell in cells if is_better(cell)]
        new = [cell for cell in better if is_better(cell, "construction")]
        least = [cell for cell in cells if cell["value"] <= cell["bound"] * (1 + EQUAL)]
        both = [cell for cell in least if is_better(cell)]
        counts = list(map(len, (cells, better, new, least, both)))
        if key == "p":  # in words: "in as many", "always by a code of a family"
            assert counts.pop(2) == len(better) and counts.pop() == 0
        assert [int(each) for each in re.findall(r"\b\d+\b", said.split("##")[0])] == counts


def least_lost(n, d, s):
    """The least number of partitions that the worst s of n workers hold alone, by brute force."""
    holdings = [set(own) for own in combinations(range(n), d)]
    return min(
        max(n - len(set().union(*left)) for left in combinations(code, n - s))
        for code in combinations_with_replacement(holdings, n)
    )


@pytest.mark.parametrize("n, d", [(3, 1), (3, 2), (4, 2), (4, 3), (5, 2)])
def test_bounds_of_the_worst_error_hold_for_all_holdings(n, d):
    for s in range(n):
        assert bounds.worst_error(n, d, s) <= least_lost(n, d, s)


def test_bounds_of_the_mean_error_hold_for_random_codes():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        d = min(d, n)
        B = np.zeros((n, n))
        for j in range(n):
            B[rng.choice(n, d, replace=False), j] = rng.normal(size=d)
        assert check.mean_error(B, 0.3) >= float(bounds.mean_error(n, d, 0.3)) * (1 - 1e-9)
    assert bounds.mean_error(4, 3, Fraction(1, 2), k=5) == 3 * Fraction(1, 4) + 2 * Fraction(1, 8)
