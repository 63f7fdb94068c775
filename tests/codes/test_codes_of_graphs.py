"""Graphs whose workers share both ends, against least squares of all patterns."""

import itertools

import numpy as np
import pytest

import fastgc


@pytest.mark.night
@pytest.mark.parametrize(
    "edges",
    [
        [[0, 1], [1, 0]],
        [[0, 1], [0, 1], [1, 2], [0, 2]],
        [[0, 1], [0, 1], [1, 2], [2, 3], [3, 0]],
        [[0, 1], [1, 0], [1, 2], [1, 2], [2, 0], [3, 4]],
    ],
)
@pytest.mark.parametrize("decoder", ["optimal", "one-step"])
def test_workers_may_have_the_same_ends(edges: list[list[int]], decoder: str) -> None:
    """Every method, closed forms too, finds what least squares of all patterns finds."""
    n, p = len(edges), 0.2
    B = fastgc.codes.graph(edges=edges).B
    mean = exact = 0.0
    worst = np.zeros(n + 1)
    for pattern in itertools.product([False, True], repeat=n):
        A, r = B[:, pattern], sum(pattern)
        x = (
            np.linalg.lstsq(A, np.ones(len(B)), rcond=None)[0]
            if decoder == "optimal"
            else len(B) / max(2 * r, 1)
        )
        error = float(np.sum((A @ (x * np.ones(r)) - 1) ** 2))
        weight = p ** (n - r) * (1 - p) ** r
        mean, exact = mean + weight * error, exact + weight * (error < 1e-9)
        worst[n - r] = max(worst[n - r], error)
    study = {"code": {"family": "graph", "edges": edges}, "stragglers": p, "decoder": decoder}
    rows = fastgc.run(study | {"measure": ["error", "exact"]}).rows()
    found = {"error": mean, "exact": exact}
    for row in rows:
        if row["statistic"] == "mean":
            assert row["value"] == pytest.approx(found[row["quantity"]], rel=1e-9), row["method"]
    assert {row["method"] for row in rows} >= (
        {"exact", "closed-form"} if decoder == "optimal" else {"exact"}
    )
    if decoder == "optimal":
        tolerance = int(np.argmax(worst > 1e-9)) - 1
        assert fastgc.inspect(fastgc.codes.graph(edges=edges)).tolerance == tolerance
