"""Long tables that are not said to be long: known by names of columns, or by whole numbers."""

import numpy as np
import pytest

from fastgc.errors import LongTableError
from fastgc.latency.traces import parse


def _long(head, rounds=60, *, by_worker=False):
    """Return a table of four workers: who, when, how long, in the order of the three names."""
    draw = np.random.default_rng(1)
    lines = [(j, i, f"{draw.uniform(1, 2):.4f}") for i in range(rounds) for j in range(4)]
    if by_worker:
        lines.sort()
    if head.startswith("step"):
        lines = [(i, j, s) for j, i, s in lines]
    return "".join([f"{head}\n", *("{},{},{}\n".format(*line) for line in lines)])


@pytest.mark.parametrize(
    ("head", "named"),
    [
        (
            "rank,step,seconds",
            "--column worker=rank --column iteration=step --column value=seconds",
        ),
        ("gpu,iter,time", "--column worker=gpu --column iteration=iter --column value=time"),
        ("host,epoch,x", "--column worker=host --column iteration=epoch --column value=x"),
        ("step,node_id,ms", "--column worker=node_id --column iteration=step --column value=ms"),
        ("a,b,c", "--column worker=a --column iteration=b --column value=c"),
    ],
)
@pytest.mark.parametrize("by_worker", [False, True])
def test_long_tables_of_numbers_are_not_three_workers(head, named, by_worker):
    with pytest.raises(LongTableError) as caught:
        parse(_long(head, by_worker=by_worker), "t.csv")
    assert caught.value.in_command == f"t.csv looks like a long table; give {named}"


def test_a_long_table_with_measurements_missing_is_known_by_its_names():
    lines = _long("rank,step,seconds").splitlines()
    with pytest.raises(LongTableError, match='iteration = "step"'):
        parse("\n".join([lines[0], *lines[1::3]]), "t.csv")


def test_whole_numbers_alone_make_no_long_table():
    draw = np.random.default_rng(2)
    for head in ("node,gpu,cpu", "a,b,c"):
        times = draw.integers(10, 40, (60, 3))
        text = "".join([f"{head}\n", *(f"{a},{b},{c}\n" for a, b, c in times)])
        assert parse(text, "t.csv").rows.tolist() == times.tolist()
    assert parse("gpu,time\n1,2\n1,3\n", "t.csv", workers=[1]).rows.tolist() == [[2.0], [3.0]]
