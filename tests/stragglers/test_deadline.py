"""Stragglers by being late: who is late with what probability, loads counted."""

import math

import numpy as np
import pytest

import fastgc
from fastgc import codes, registry
from fastgc.registry.complaints import check
from fastgc.stragglers import Deadline
from fastgc.study.study import Study
from suite.checks import close, refusal


def law(distribution, **keys):
    return {"distribution": distribution, **keys}


EXPONENTIAL = law("exponential", mean=2.0, shift=0.5)
UNEVEN = codes.binary(n=5, s=1)  # loads 3, 2, 2, 2, 1 of 5 in some order


def made(latency, deadline=1.0, **more):
    data = {"model": "deadline", "deadline": deadline, "latency": latency, **more}
    member, complaints = check(Deadline, data)
    assert not complaints
    return member


# ---- probabilities


def test_loads_count():
    shares = UNEVEN.loads / 5
    assert len(set(shares)) > 1
    late = made(EXPONENTIAL).bind(UNEVEN).p
    assert late == pytest.approx(np.exp(-(1 / shares - 0.5) / 2), rel=1e-14)
    plane = codes.bibd("ag(2,3)")  # 9 workers, each with 4 of 12 partitions
    late = made(EXPONENTIAL).bind(plane).p
    assert late == pytest.approx([math.exp(-(3 - 0.5) / 2)] * 9, rel=1e-14)
    late = made(EXPONENTIAL, scaling="data-dependent").bind(UNEVEN).p
    assert late == pytest.approx(np.exp(-(1 - 0.5 * shares) / 2), rel=1e-14)
    late = made(EXPONENTIAL, deadline=7.0, work=5, scaling="additive").bind(UNEVEN).p
    for load, p in zip(UNEVEN.loads.tolist(), late, strict=True):
        x = (7.0 - 0.5 * load) / 2
        erlang = math.exp(-x) * sum(x**i / math.factorial(i) for i in range(load))
        assert p == pytest.approx(erlang, rel=1e-13)


def test_work_counts():
    frc = codes.frc(n=4, d=2)
    assert made(EXPONENTIAL, work=6).bind(frc).p[0] == 1.0  # 3 loads of at least 0.5 each
    assert made(EXPONENTIAL, work=2).bind(frc).p == made(EXPONENTIAL, 2.0, work=4).bind(frc).p


def test_a_time_equal_to_the_deadline_is_in_time():
    certain, frc = law("deterministic", value=2.0), codes.frc(n=4, d=2)
    assert made(certain).bind(frc).p == (0.0,) * 4
    assert made(certain, deadline=math.nextafter(1.0, 0)).bind(frc).p == (1.0,) * 4


def test_far_tails_keep_their_digits():
    frc = codes.frc(n=4, d=2)
    late = made(law("exponential", mean=1.0), deadline=200.0).bind(frc).p[0]
    assert late == close(math.exp(-400), rel=1e-13) and 0 < late < 1e-170
    normal = law("lognormal", mu=0.0, sigma=1.0)
    late = made(normal, deadline=242582597.70489514).bind(frc).p[0]
    assert late == close(math.erfc(20 / math.sqrt(2)) / 2, rel=1e-12)


def test_a_worker_that_holds_nothing_is_never_late():
    rows = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    certain = law("deterministic", value=9.0)
    for scaling in ("server-dependent", "data-dependent", "additive"):
        model = made(certain, work=2, scaling=scaling)
        assert model.bind(codes.matrix(rows=rows)).p == (1.0, 1.0, 0.0)


def test_one_law_each(tmp_path):
    laws = [EXPONENTIAL, law("uniform", low=0, high=4), law("deterministic", value=3)]
    late = made(laws).bind(codes.uncoded(n=3)).p
    assert late == pytest.approx((math.exp(-1.25), 0.25, 0.0))
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,4\n4,5,9\n")
    trace = law("empirical", file=str(tmp_path / "t.csv"))
    assert made(trace).bind(codes.uncoded(n=3)).p == (4 / 6,) * 3
    assert made(trace | {"order": "workers"}).bind(codes.uncoded(n=3)).p == (0.5, 0.5, 1.0)
    chosen = trace | {"order": "workers", "workers": [2, 0]}
    assert made(chosen).bind(codes.uncoded(n=2)).p == (1.0, 0.5)


# ---- in a study


def table(latency, code=None, **more):
    return {
        "code": code or {"family": "binary", "n": 5, "s": 1},
        "stragglers": {"model": "deadline", "deadline": 1.0, "latency": latency, **more},
    }


def test_shuffles_are_refused_where_the_column_decides():
    line = refusal(fastgc.run, table(EXPONENTIAL) | {"shuffle": "random"})
    assert "stragglers.deadline: must come with shuffle = \"none\" (got 'random')" in line
    assert "loads differ, from 0.2 to 0.6" in line
    even = {"family": "frc", "n": 4, "d": 2}
    laws = [EXPONENTIAL, EXPONENTIAL | {"mean": 9.0}] * 2
    fastgc.run(table(laws, even) | {"shuffle": "cyclic"}, trials=64)
    # no worker feels the load: the worker decides
    certain = law("uniform", low=0.5, high=2.0)
    fastgc.run(table(certain, scaling="data-dependent") | {"shuffle": "random"}, trials=64)


def test_files_of_laws_count_by_content_and_are_kept(tmp_path):
    texts = []
    for name, text in (("t", "a\n1\n4\n"), ("u", "x\n4\n1\n"), ("v", "a\n1\n4.0\n")):
        (tmp_path / f"{name}.csv").write_text(text)
        fast = law("empirical", file=str(tmp_path / f"{name}.csv"))
        study = Study.parse(table(law("bimodal", p_slow=0.5, fast=fast, slow=EXPONENTIAL)))
        texts.append(study.canonical(study.points()[0]))
        assert str(tmp_path) not in texts[-1]
    assert texts[0] == texts[2] != texts[1]
    own, out = law("empirical", file=str(tmp_path / "t.csv")), str(tmp_path / "out.h5")
    result = fastgc.run(table(own) | {"method": "monte-carlo"}, trials=500, out=out)
    (tmp_path / "t.csv").unlink()
    assert fastgc.open(out).rows() == result.rows()


@pytest.mark.parametrize("change, sentence", [
    ({"deadline": 0}, "stragglers.deadline: must be more than 0 (got 0)"),
    ({"scaling": "additiv"}, "stragglers.scaling: must be 'server-dependent', 'data-"),
    ({"latency": 3}, "stragglers.latency: must be a table (got 3)"),
    ({"latency": [EXPONENTIAL] * 3}, "one law or a list of one per worker (got 3 for n=5)"),
    ({"latency": [EXPONENTIAL] * 4 + [law("pareto", shape=0, scale=1)]},
     "stragglers.latency[4].shape: must be more than 0 (got 0)"),
    ({"latency": law("empirical", file="two.csv", order="workers")},
     "stragglers.latency: file: two.csv has 2 workers, 5 are needed"),
    ({"latency": law("empirical", file="five.csv", order="replay")},
     'order: must be "pooled" or "workers"'),
    ({"scaling": "additive"}, "needs an integer load (got 0.4), for worker 0"),
    ({"scaling": "additive", "work": 5, "latency": law("weibull", shape=2, scale=1)},
     "the sum of 2 independent weibull times has no exact law here"),
])  # fmt: skip
def test_bad_input(change, sentence, here):
    (here / "two.csv").write_text("a,b\n1,2\n")
    (here / "five.csv").write_text("a,b,c,d,e\n1,2,3,4,5\n")
    data = table(EXPONENTIAL)
    data["stragglers"] |= change
    assert sentence in refusal(fastgc.run, data)


def test_a_law_without_a_tail_is_refused():
    class Dice(registry.Member):
        """A law that can only be drawn."""

        distribution: str = "dice"

    model = made(EXPONENTIAL).model_copy(update={"latency": (Dice(),)})
    ((field, sentence),) = model.complaints(5)
    assert field == "latency" and "make Dice a subclass of fastgc.latency.Law" in sentence
