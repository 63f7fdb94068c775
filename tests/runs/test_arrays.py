"""What people with an array in their hands give and get: codes, patterns, numbers, samples."""

import itertools
import re
from typing import Any

import networkx
import numpy as np
import pytest
import scipy.sparse

import fastgc
from fastgc import FastgcError
from fastgc.errors import FastgcWarning
from fastgc.registry import given
from suite.checks import close, refusal

#: Worker j holds partitions j, j + 1 and j + 4.
RULER = np.array([[float((i - j) % 12 in (0, 1, 4)) for j in range(12)] for i in range(12)])
MASKS = np.array(list(itertools.product((False, True), repeat=12)))


def least_squares(B: Any, mask: Any) -> float:
    x = np.linalg.lstsq(B[:, mask], np.ones(len(B)), rcond=None)[0]
    return float(np.square(B[:, mask] @ x - 1).sum())


@pytest.fixture(scope="module")
def errors() -> Any:
    return np.array([least_squares(RULER, mask) for mask in MASKS])


@pytest.mark.night
def test_the_error_of_an_array(errors: Any) -> None:
    lost = 12 - MASKS.sum(axis=1)
    found = fastgc.error(RULER, p=0.1)
    assert found.value == close(float(errors @ (0.1**lost * 0.9 ** (12 - lost))), rel=1e-9)
    assert float(found) == found.value == found.low == found.high
    assert (found.method, repr(found)) == ("exact", f"{found.value:.9g}")
    assert fastgc.error(RULER, stragglers=3).value == close(errors[lost == 3].mean(), rel=1e-9)
    one_step = fastgc.error(RULER, p=0.1, decoder="one-step")
    assert float(one_step) > float(found)
    away = ~MASKS[:, 11]
    given = float(errors[away] @ (0.1**lost * 0.9 ** (12 - lost))[away] / 0.1)
    assert fastgc.error(RULER, p=[0.1] * 11 + [1.0]).value == close(given, rel=1e-9)


@pytest.mark.night
def test_a_sampled_error_has_an_interval_and_says_so() -> None:
    found = fastgc.error(RULER, p=0.1, method="monte-carlo", trials=100_000)
    assert found.method == "monte-carlo" and found.low is not None and found.high is not None
    assert found.low < float(fastgc.error(RULER, p=0.1)) < found.high
    number, _, spread = repr(found).removesuffix(")").partition("(")
    unit = 10.0 ** -len(number.partition(".")[2])
    assert abs(float(number) - float(found)) <= unit / 2
    assert int(spread) * unit == close((found.high - found.low) / (2 * 1.96), rel=0.1)


@pytest.mark.night
@pytest.mark.parametrize("form", [
    RULER.tolist(),
    RULER.astype(int),
    scipy.sparse.csr_array(RULER),
    scipy.sparse.coo_matrix(RULER),
    fastgc.codes.code_of(RULER),
    {"family": "matrix", "rows": RULER},
], ids=["list", "int", "sparse array", "sparse matrix", "code", "table"])  # fmt: skip
def test_a_code_is_given_in_many_forms(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"stragglers": {"model": "iid", "p": 0.1}}
    study = fastgc.Study.parse({"code": {"family": "matrix", "rows": RULER}} | asked)
    assert fastgc.Study.parse({"code": form, "stragglers": 0.1}).identity() == study.identity()
    survivors = [0, 2, 5, 7, 8]
    assert fastgc.decode(form, survivors).error == fastgc.decode(RULER, survivors).error
    assert repr(fastgc.inspect(form, stragglers=1)).endswith("tolerance 0, broken by worker 9>")
    monkeypatch.setattr(given, "MOST_WRITTEN", 1)  # as if it were large
    assert fastgc.Study.parse({"code": form, "stragglers": 0.1}).identity() == study.identity()


def test_a_file_is_a_code(tmp_path: Any) -> None:
    file = tmp_path / "B.npy"
    np.save(file, np.eye(4))
    assert float(fastgc.error(file, p=0.1)) == float(fastgc.error(np.eye(4), p=0.1))
    assert fastgc.inspect(str(file), stragglers="0..1").k == 4


@pytest.mark.parametrize("kind", [bool, np.longdouble, np.clongdouble, np.float16])
def test_numbers_of_any_size_are_a_code(kind: type) -> None:
    B: Any = RULER.astype(kind)
    for form in (B, scipy.sparse.csr_array(B)) if kind is bool else (B,):
        assert fastgc.error(form, stragglers=3) == fastgc.error(RULER, stragglers=3)


MASKED: Any = np.ma.masked_less(RULER, 0.5)
EDGE = networkx.DiGraph([(0, 1)])
TWICE = networkx.MultiGraph([(0, 1), (1, 0)])


@pytest.mark.parametrize(("B", "asked", "said"), [
    (np.ones(3), {"p": 0.1}, r"two axes, partitions × workers \(got shape \(3,\)\)"),
    (np.ones((2, 2, 2)), {"p": 0.1}, "two axes"),
    (MASKED, {"p": 0.1}, r"masked entries; .*B.filled\(0\)"),
    (EDGE, {"p": 0.1}, "without directions"),
    (TWICE, {"p": 0.1}, r"each edge once; take networkx\.Graph"),
    (RULER, {"p": 0.1, "stragglers": 1}, r"either p or stragglers \(got both\)"),
    (RULER, {"stragglers": True}, "stragglers: .*must be a number or a table"),
    (RULER, {"trails": 5}, "there is no argument 'trails'; did you mean 'trials'"),
])  # fmt: skip
def test_mistakes_are_one_sentence(B: Any, asked: dict[str, Any], said: str) -> None:
    assert re.search(said, refusal(fastgc.error, B, **asked))
    if B is MASKED:
        assert re.search(said, refusal(fastgc.decode, B, [0, 1]))


def test_the_edges_of_a_graph_are_workers() -> None:
    graph = networkx.relabel_nodes(networkx.cycle_graph(5), lambda v: f"vertex {v}")
    named = {"family": "graph", "name": "cycle", "vertices": 5}
    assert fastgc.error(graph, p=0.2) == fastgc.error(named, p=0.2)
    assert fastgc.decode(networkx.MultiGraph([(0, 1), (1, 2)]), [0]).error == 1
    with pytest.raises(FastgcError, match=r"differ|different vertices"):
        fastgc.inspect(networkx.Graph([(0, 0)]))


def test_a_code_is_an_array() -> None:
    code = fastgc.codes.frc(n=4, d=2)
    assert np.asarray(code) is code.B and np.asarray(code, np.float32).dtype == np.float32
    copied = np.array(code)
    copied[0, 0] = 5
    assert code.B[0, 0] == 1 and (np.eye(4) @ code == code.B).all()


@pytest.mark.night
def test_many_patterns_are_decoded_at_once(errors: Any) -> None:
    some = MASKS[::37]
    for decoder in ("optimal", "one-step"):
        found = fastgc.decode(RULER, some, decoder=decoder)
        each = [fastgc.decode(RULER, mask, decoder=decoder) for mask in some]
        assert found.errors == pytest.approx([one.error for one in each], abs=1e-9)
        assert found.vectors.shape == some.shape and not found.vectors[~some].any()
        vectors = np.concatenate([one.vector for one in each])
        assert found.vectors[some] == pytest.approx(vectors, abs=1e-9)
    assert fastgc.decode(RULER, MASKS).errors == pytest.approx(errors, abs=1e-9)
    wide = np.eye(70)
    assert fastgc.decode(wide, np.arange(70) < [[70], [69], [3]]).errors.tolist() == [0, 1, 67]
    assert fastgc.decode(RULER, np.zeros((0, 12), bool)).errors.shape == (0,)
    for wrong in (some.astype(int), some[:, :5]):
        with pytest.raises(FastgcError, match=r"survivors: .* shape \(patterns, 12\)"):
            fastgc.decode(RULER, wrong)


def test_the_names_of_the_package_are_the_public_ones() -> None:
    named = """FastgcError Study advise claim codes decode design error inspect latency measure open
    plot run runs stragglers systems theory traces validate"""
    assert dir(fastgc) == fastgc.__all__ == named.split()
    for name, said in (("merge", "fastgc.merge lies in fastgc.runs"), ("erorr", "mean 'error'")):
        with pytest.raises(AttributeError, match=said):
            getattr(fastgc, name)


def test_a_matrix_that_can_hardly_be_meant_gets_a_sentence() -> None:
    turned = np.vstack([np.eye(3), np.ones(3)])  # four workers × three partitions
    for use in (
        lambda: fastgc.error(turned, p=0.1),
        lambda: fastgc.run(code=turned, stragglers=1),
        lambda: fastgc.decode(turned, [0]) and fastgc.inspect(turned.tolist()),
    ):
        with pytest.warns(FastgcWarning, match="transpose") as warned:
            use()
        assert {each.filename for each in warned} == {__file__}
    with pytest.warns(FastgcWarning, match="no worker holds partition 1"):
        fastgc.inspect([[1, 0], [0, 0]])
    assert repr(fastgc.inspect(fastgc.codes.code_of([[1, 1], [0, 0]]))).endswith(
        "no exact decoding, even with all workers>"
    )
