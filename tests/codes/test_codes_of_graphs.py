"""Adjacency matrices and shifts of offsets, against networkx and counts of differences."""

import itertools

import networkx
import numpy as np
import pytest

import fastgc
from suite.checks import every


@pytest.mark.parametrize(
    ("given", "graph"),
    [
        ({"name": "petersen"}, networkx.petersen_graph()),
        ({"name": "cycle", "vertices": 7}, networkx.cycle_graph(7)),
        ({"name": "complete", "vertices": 5}, networkx.complete_graph(5)),
        ({"edges": list(networkx.cubical_graph().edges)}, networkx.cubical_graph()),
    ],
)
def test_adjacency(given: dict[str, object], graph: networkx.Graph) -> None:
    code = fastgc.codes.adjacency(**given)
    wanted = networkx.to_numpy_array(graph)
    if given.get("name") == "petersen":
        assert networkx.is_isomorphic(networkx.from_numpy_array(code.B), graph)
    else:
        assert np.array_equal(code.B, wanted)
    degree = wanted.sum(axis=0)[0]
    assert np.allclose(code.B.sum(axis=1) / degree, 1)  # exact without stragglers
    assert fastgc.run(code=code, stragglers=0)["error"].mean.value == pytest.approx(0, abs=1e-9)


def test_a_random_regular_graph_keeps_its_edges() -> None:
    edges = fastgc.codes.graph("random-regular", vertices=12, degree=3, seed=5)
    code = fastgc.codes.adjacency("random-regular", vertices=12, degree=3, seed=5)
    assert np.array_equal(code.B, edges.B @ edges.B.T - 3 * np.eye(12))
    study = {
        "code": {
            "family": "adjacency",
            "name": "random-regular",
            "vertices": 12,
            "degree": 3,
            "seed": 5,
        },
        "stragglers": 0.1,
    }
    assert fastgc.run(study)["error"].mean == fastgc.error(code, p=0.1)


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


def test_a_difference_set_is_a_design() -> None:
    code = fastgc.codes.difference_set(n=13, offsets=[0, 1, 3, 9])
    assert np.array_equal(code.B.T @ code.B, 3 * np.eye(13) + 1)
    plane = fastgc.codes.bibd("pg(2,3)")
    found = [fastgc.error(each, stragglers=4).value for each in (code, plane)]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    ruler = fastgc.codes.difference_set(n=12, offsets=[0, 1, 4])
    assert every(ruler.B[(j + o) % 12, j] for j in range(12) for o in (0, 1, 4))
    assert (ruler.loads == 3).all()
