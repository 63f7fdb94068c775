"""Adjacency matrices and shifts of offsets, against networkx and counts of differences."""

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


def test_a_difference_set_is_a_design() -> None:
    code = fastgc.codes.difference_set(n=13, offsets=[0, 1, 3, 9])
    assert np.array_equal(code.B.T @ code.B, 3 * np.eye(13) + 1)
    plane = fastgc.codes.bibd("pg(2,3)")
    found = [fastgc.error(each, stragglers=4).value for each in (code, plane)]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    ruler = fastgc.codes.difference_set(n=12, offsets=[0, 1, 4])
    assert every(ruler.B[(j + o) % 12, j] for j in range(12) for o in (0, 1, 4))
    assert (ruler.loads == 3).all()
