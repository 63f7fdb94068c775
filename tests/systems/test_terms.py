"""Systems as terms: read, printed, evaluated, counted and known exactly, beside slow twins."""

from typing import Annotated, Literal

import numpy as np
import pydantic
import pytest

from fastgc import FastgcError
from fastgc.latency import Deterministic, Exponential, Pareto
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.uniform import Uniform
from fastgc.systems import Cluster, System, Term, answers, at_least, constant, term
from fastgc.systems.system import composed
from fastgc.systems.timing.gates import CompiledTerm, Composed
from fastgc.systems.timing.group_structures import Chunks, Layers, Replicated
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import decodable
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.timing.stars import Capped, Flat, Tree
from fastgc.systems.timing.terms import parse
from suite.checks import close, every
from suite.parts import BRANCHES, DEADLINE, RACKS, SERIES, SPARES, TERMS, TWICE


def drawn(of: Term, trials: int) -> np.ndarray:
    return np.random.default_rng(7).exponential(size=(of.workers, of.tasks, trials))


@pytest.mark.parametrize("of", TERMS, ids=str)
def test_a_text_says_the_term_that_it_prints(of):
    assert parse(str(of)) == of


@pytest.mark.parametrize(("text", "same"), [
    ("2 of (w0 .. w2)", at_least(2, *answers(3))),
    ("w1", Term(worker=1)),
    ("(w1)", Term(worker=1)),
    ("3 * w0 .. w1 + 1e-1", None),
    ("1 of (w0,2.5)", at_least(1, *answers(1), constant(2.5))),
    ("2*(1 of (w0, w1))+1", at_least(1, *answers(2)).after(delay=1.0, stretch=2.0)),
    ("w2[1]", answers(1, first=2, place=1)[0]),
])  # fmt: skip
def test_texts(text, same):
    if same is None:
        with pytest.raises(FastgcError, match="expected one term"):
            parse(text)
    else:
        assert parse(text) == same


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "expected a number after '' .got 'the end'"),
    ("3 of (w0, w1)", "3 of 2: a term waits for 1 or more of its inputs"),
    ("2 of w0, w1", r"expected \"\(\" after '2 of'"),
    ("w0 w1", "expected one term after 'w0' .got 'w1'"),
    ("1.5 of (w0, w1)", r"1\.5 of …: must be a whole number"),
    ("x0", "must be answers, numbers and k of"),
    ("w3 .. w1", "workers in rising order"),
    ("0 * w0", "stretch: must be a number above 0"),
    ("(" * 60 + "w0", "brackets must not stand more than 50 deep"),
    ("5.0", "must name 1 to 100000 workers"),
])  # fmt: skip
def test_what_is_no_term_gets_one_sentence(text, sentence):
    with pytest.raises(FastgcError, match=sentence) as caught:
        term(text)
    assert "\n" not in str(caught.value)


def test_terms_are_checked_when_they_are_made():
    for wrong in (
        lambda: at_least(1),
        lambda: at_least(2, constant(1.0)),
        lambda: constant(-1.0),
        lambda: answers(2, delays=[1.0]),
        lambda: constant(1.0).after(stretch=float("inf")),
    ):
        with pytest.raises(FastgcError):
            wrong()


@pytest.mark.parametrize(("structure", "text"), [
    (Layers(4, (2, 3)), "2 of (2 of (w0 .. w3), 3 of (2 * w0, 2 * w1, 2 * w2, 2 * w3))"),
    (Tree((0, 0, 1, 1), (1, 2, 0, 0, 0)), "1 of (2 of (w0, 2 of (w2, w3)), w1)"),
    (Chunks(((0, 1), (1, 2), (2, 0))), None),
    (Chunks(((0, 1), (1, 2), (2, 0)), fresh=True), None),
])  # fmt: skip
def test_other_structures_are_terms(structure, text):
    """The kernels of groups, layers and trees give the bits of the general one."""
    of = parse(text) if text else structure.of_term.term
    times = drawn(of, 200)
    times = times if times.shape[1] > 1 else times[:, 0]
    general = Evaluator(Composed(of.workers, of))
    assert (Evaluator(structure).done(times) == general.done(times)).all()


@pytest.mark.parametrize("receive", [0.0, 0.1])
def test_a_term_of_a_known_shape_has_its_kernels(receive):
    for text, known in (
        ("2 of (w0 .. w3)", Flat(4, 2)),
        ("2 of (1 of (w0, w1), 1 of (w2, w3), 1 of (w4, w5))", Replicated(6, 2, 2)),
    ):
        of = parse(text)
        assert composed(of.workers, of) == term(text).structure() == known
        times = drawn(of, 100)[:, 0]
        general, special = (Evaluator(each, receive) for each in (Composed(known.n, of), known))
        assert every(
            (one == other).all()
            for one, other in zip(general.counted(times), special.counted(times), strict=True)
        )
    assert isinstance(composed(4, parse("2 of (w1, w0, w2, w3)")), Composed)
    assert isinstance(composed(3, at_least(2, *answers(3)).after(delay=1.0)), Composed)


@pytest.mark.parametrize("of", [RACKS, BRANCHES, SPARES], ids=str)
def test_the_law_of_disjoint_workers_is_known(of):
    """Against the empirical law of 20 000 trials: a Kolmogorov bound of 1 in 10⁵."""
    laws = [Exponential(mean=1.0).time(), Pareto(shape=3.0, scale=0.5).time()]
    each = [laws[worker % 2] for worker in range(of.workers)]
    law = distribution(Composed(of.workers, of), each)
    rng = np.random.default_rng(3)
    times = np.stack([time.quantile(rng.random(20_000)) for time in each])
    done = np.sort(CompiledTerm(of).done(times))
    points = np.quantile(done, [0.05, 0.3, 0.5, 0.8, 0.99])
    seen = np.searchsorted(done, points, side="right") / done.size
    assert np.abs(law.cdf(points) - seen).max() < 2.5 / np.sqrt(done.size)
    assert law.mean() == pytest.approx(done.mean(), abs=5 * done.std() / np.sqrt(done.size))


def test_laws_of_moved_terms_and_of_later_tasks():
    time = [Exponential(mean=1.0).time()]
    for n, text, mean, rel in (
        (2, "2 * (1 of (w0, w1)) + 0.5", 1.5, 1e-12),
        (2, "2 * (1 of (w0 + 3, w1 + 3))", 7.0, 1e-12),
        (1, "w0[2]", 3.0, 1e-9),
    ):
        assert distribution(Composed(n, parse(text)), time).mean() == close(mean, rel=rel)
    apart = Tree((0, 0, 1, 1, 2, 2), (1, 2, 2, 0, 0, 0, 0))
    free = [Deterministic(value=0.0).time()] * 2 + time * 4
    same = distribution(apart, free)
    term_of = distribution(Composed(4, parse("1 of (2 of (w0, w1), 2 of (w2, w3))")), time)
    assert term_of.mean() == pytest.approx(same.mean(), rel=1e-14)


@pytest.mark.parametrize(("of", "why"), [
    (TWICE, "workers who are waited for at several places"),
    (SERIES, "workers who are waited for at several places"),
    (DEADLINE, "a term with a moment that comes in any case"),
])  # fmt: skip
def test_laws_that_are_not_known(of, why):
    with pytest.raises(FastgcError, match=f"{why} (have|has) no exact law"):
        distribution(Composed(of.workers, of), [Exponential(mean=1.0).time()])


def test_a_deadline_beside_answers_is_known():
    structure = term("1 of (2 of (w0 .. w2), 0.8)").structure()
    assert structure == Capped(Flat(3, 2), 0.8)
    assert distribution(structure, [Exponential(mean=1.0).time()]).maximum == 0.8


def test_how_likely_enough_workers_answer():
    groups = Composed(4, parse("2 of (1 of (w0, w1), 1 of (w2, w3))"))
    assert decodable(groups, Iid(p=0.5)) == pytest.approx(0.5625, rel=1e-14)
    assert decodable(groups, Uniform(stragglers=2)) == pytest.approx(2 / 3, rel=1e-14)
    deadline = Composed(2, parse("1 of (2 of (w0, w1), 3.5)"))
    assert decodable(deadline, Iid(p=0.5)) == 1.0


class Racks(System):
    """Any so many of four racks, each any five of its six workers."""

    family: Literal["racks-of-a-test"] = "racks-of-a-test"
    k: int

    def term(self) -> Term:
        return at_least(self.k, *RACKS.of)


@pytest.mark.parametrize(("text", "runs", "begins"), [
    ("1 of (2 of (w0 .. w2), w4, 3)", True, (0, 0, 0, 0, 0)),
    ("2 of (1 of (w0, w1 + 2), 1 of (w2, w3 + 0.5)) + 1", True, (0, 2, 0, 0.5)),
    ("2 of (w0, w1, w0[1])", False, (0, 0)),
    ("2 of (w0, 2 * w1, 2 * w2)", False, (0, 0, 0)),
    ("1 of (2 of (w0, w1), w0 + 1, 3 of (w0 .. w2))", False, (1, 0, 0)),
])  # fmt: skip
def test_a_term_runs_for_real_where_each_worker_answers_once(text, runs, begins):
    structure = term(text).structure()
    assert structure.runs is runs
    assert not runs or structure.begins == begins


def test_design_looks_at_a_term_that_needs_no_more_than_n():
    class Halves(System):
        family: Literal["halves-of-a-test"] = "halves-of-a-test"
        n: Annotated[int, pydantic.Field(multiple_of=2)]

        def term(self) -> Term:
            half = self.n // 2
            return at_least(2, *(at_least(1, *answers(half, first=i)) for i in (0, half)))

    fits = Halves.candidates(Cluster(workers=6))
    assert [each.systems for each in fits] == [(Halves(n=6),)]
    assert Halves.candidates(Cluster(workers=7)) == ()
    assert Racks.candidates(Cluster(workers=24)) == ()  # which k is not said
