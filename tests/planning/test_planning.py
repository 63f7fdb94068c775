"""`fastgc design`: which system is best, held against looking at every system one by one."""

import json

import numpy as np
import pytest

import fastgc
from fastgc import planning, report
from fastgc.errors import StudyError
from fastgc.latency import Exponential, Weibull
from fastgc.study.design import parse
from fastgc.systems import CodedReduce, gradient_code, k_of_n, replication, uncoded
from fastgc.systems.coded_reduce import trees
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.rounds import Evaluator
from suite.checks import every, refusal

UNIT = {"distribution": "exponential", "mean": 1.0}
SHIFTED = {"distribution": "exponential", "shift": 0.5, "mean": 1.0}
PARETO = {"distribution": "pareto", "shape": 0.4, "scale": 1.0}


def families(ranking):
    return {choice.system["family"] for choice in ranking}


def of_family(ranking, family):
    return [choice for choice in ranking if choice.system["family"] == family]


# ---- what there is to choose from


def test_trees_are_all_that_fit():
    found = trees(156)
    assert (12, 2) in found and (5, 3) in found and (2, 6) in found
    for n, layers in found:
        assert sum(n**layer for layer in range(1, layers + 1)) <= 156
    assert max(layers for _, layers in found) == 6
    assert trees(5) == [] and trees(6) == [(2, 2)]


def test_every_parameter_is_a_candidate():
    keys = {"layers": 2, "tasks": 6, "stragglers": 2, "computation": "linear"}
    table = parse({"workers": 12, "latency": UNIT} | keys)
    lists = {scheme: table.candidates(scheme) for scheme in table.wanted}
    sizes = {scheme: sum(len(each.systems) for each in own) for scheme, own in lists.items()}
    # trees with n = 2 and 3, s < n
    assert sizes == {
        **{"uncoded": 1, "ignore-stragglers": 1, "gradient-code": 12, "replication": 6},
        **{"k-of-n": 12, "ring-all-reduce": 1, "coded-reduce": 5, "leave-out": 6},
        **{"balanced": 1, "spare": 11, "bounded-wait": 11, "local-sgd": 5, "hierarchical": 4},
    }


def test_schemes_that_lack_their_keys_are_left_out_by_default():
    wanted = "uncoded gradient-code replication ring-all-reduce coded-reduce leave-out balanced"
    wanted = (*wanted.split(), "spare", "bounded-wait", "local-sgd")
    assert parse({"workers": 12, "latency": UNIT}).wanted == wanted
    found = fastgc.design({"workers": 5, "latency": UNIT})
    assert "coded-reduce" not in families(found)
    counts = (1, 5, 2, 1, 2, 1, 4, 4, 5)
    schemes = [scheme for scheme in wanted if scheme != "coded-reduce"]
    assert found.looked_at == dict(zip(schemes, counts, strict=True))


@pytest.mark.night
def test_what_is_for_linear_computations_alone_is_ranked_if_asked():
    table = {"workers": 6, "latency": SHIFTED}
    found = fastgc.design(table)
    assert not families(found) & {"k-of-n", "hierarchical"}
    for asked in ({"computation": "linear"}, {"schemes": ["uncoded", "k-of-n"]}):
        linear = fastgc.design(table | asked)
        assert linear[0].system["family"] == "k-of-n"
        assert any("linear computations alone" in note for note in linear.notes)
    assert "hierarchical" in parse(table | {"layers": 2, "tasks": 6}).wanted
    assert "hierarchical" not in parse(table | {"computation": "linear"}).wanted


# ---- values


@pytest.mark.parametrize("receive", [0.0, 0.02])
@pytest.mark.parametrize("goal", ["mean", "quantile(0.9)"])
def test_the_best_of_all_one_by_one(receive, goal):
    law = Weibull(shape=0.6, scale=1.0, shift=0.2)
    n = 9
    systems = [uncoded(n), *(gradient_code(n, s) for s in range(n))]
    systems += [k_of_n(n, k) for k in range(1, n + 1)]
    systems += [
        CodedReduce(n=tree, layers=layers, s=s) for tree, layers in trees(n) for s in range(tree)
    ]
    value = {}
    for system in systems:
        known = distribution(system.structure(), [law.time(3 * system.share())], receive)
        value[json.dumps(system.settings())] = (
            known.mean() if goal == "mean" else float(known.quantile(0.9))
        )
    table = {"workers": n, "latency": law.settings(), "work": 3, "goal": goal}
    table |= {"schemes": ["uncoded", "gradient-code", "k-of-n", "coded-reduce"]}
    found = fastgc.design(table | {"port": {"receive": receive}})
    for choice in found:
        assert choice.value == pytest.approx(value[json.dumps(choice.system)], rel=1e-8)
        assert choice.low == choice.high == choice.value and choice.method == "exact"
    for family in families(found):
        own = [v for key, v in value.items() if json.loads(key)["family"] == family]
        assert of_family(found, family)[0].value == pytest.approx(min(own), rel=1e-8)
    assert [c.value for c in found] == sorted(c.value for c in found)
    assert found.separated and (receive > 0 or found.trials == 0)


@pytest.mark.night
def test_what_has_no_exact_law_is_sampled():
    table = {"workers": 12, "schemes": ["replication"], "latency": SHIFTED, "trials": 200_000}
    table |= {"port": {"receive": 0.05}}
    found = fastgc.design(table)
    assert found[0].method == "monte-carlo" and found[0].trials >= 16_384
    rng = np.random.default_rng(3)
    times = 0.5 + rng.exponential(size=(12, 100_000))
    for choice in found:
        d = choice.system["d"]
        done = Evaluator(replication(12, d).structure(), 0.05).done(d / 12 * times)
        spread = np.hypot((choice.high - choice.low) / 3.92, done.std() / done.size**0.5)
        assert abs(choice.value - done.mean()) < 5 * spread
        assert choice.low < choice.value < choice.high
    assert fastgc.design(table).rows() == found.rows()
    assert fastgc.design(table | {"seed": 2})[0].value != found[0].value


def test_trials_that_run_out_are_said():
    table = {"workers": 4, "schemes": ["replication", "hierarchical"], "latency": UNIT}
    table |= {"port": {"receive": 1e-3}, "layers": 2, "tasks": 4, "trials": 100}
    found = fastgc.design(table)
    assert not found.separated and found.trials == 100
    assert "100 trials do not tell" in found.verdict
    assert "not certainly" in report.remedies(found)


def test_equal_systems_are_not_unresolved():
    found = fastgc.design({"workers": 4, "schemes": ["replication", "k-of-n"], "latency": UNIT})
    assert found[0].value == pytest.approx(0.25) and found.separated
    assert found[0].also == ({"family": "k-of-n", "n": 4, "k": 1},)
    assert "1 is the same as k-of-n n=4 k=1." in report.remedies(found).splitlines()
    assert replication(4, 4).structure() != k_of_n(4, 1).structure()


def test_a_law_for_each_worker():
    laws = [UNIT | {"mean": 1.0 + j} for j in range(6)]
    found = fastgc.design({"workers": 6, "latency": laws, "schemes": ["uncoded", "coded-reduce"]})
    each = [Exponential(mean=1.0 + j).time(1 / 6) for j in range(6)]
    known = distribution(uncoded(6).structure(), each).mean()
    assert of_family(found, "uncoded")[0].value == pytest.approx(known, rel=1e-9)


@pytest.mark.night
def test_hierarchical_rules_are_compared():
    table = {"workers": 10, "schemes": ["hierarchical"], "latency": UNIT | {"shift": 1.0}}
    found = fastgc.design(table | {"work": 20, "layers": 4, "tasks": 20})
    assert found[0].system["k"] == [9, 7, 4, 0] and "optimal" in found[0].note
    assert found[0].value == pytest.approx(4.6517, abs=1e-4)
    [second] = [choice for choice in found if choice.system["k"] == [9, 6, 4, 1]]
    assert second.value == pytest.approx(4.7133, abs=1e-4)
    assert found[0].load == pytest.approx(3 / 20)


def test_loads_that_cannot_be_are_left_out():
    table = {"workers": 6, "latency": UNIT, "scaling": "additive", "schemes": ["k-of-n"]}
    found = fastgc.design(table | {"work": 12})
    assert {choice.system["k"] for choice in found} <= {1, 2, 3, 4, 6}
    assert any(note.startswith("1 k-of-n cannot be timed") for note in found.notes)
    said = refusal(fastgc.design, table | {"work": 0.5})
    assert "no system can be timed" in said and "integer" in said


@pytest.mark.night
def test_infinite_means_come_last():
    found = fastgc.design({"workers": 20, "latency": PARETO, "schemes": ["uncoded", "k-of-n"]})
    assert found[-1].system["family"] == "uncoded"
    assert found[-1].value == np.inf and "infinite" in found[-1].note
    assert found.rows()[-1]["value"] is None
    assert any("quantile" in note for note in found.notes)
    json.dumps(found.rows(), allow_nan=False)
    assert "infinite" in report.remedies(found)
    table = {"workers": 3, "latency": PARETO, "schemes": ["uncoded"]}
    assert 'infinite under this latency; take goal = "quantile' in refusal(fastgc.design, table)
    assert fastgc.design(table | {"goal": "quantile(0.5)"})[0].value < np.inf


@pytest.mark.night
def test_events_rarer_than_the_trials_show_do_not_deceive():
    # one answer in 10⁷ takes 10⁸ times as long: no trial sees it, and it makes all the mean
    rare = {"distribution": "bimodal", "p_slow": 1e-7, "fast": UNIT, "slow": UNIT | {"mean": 1e8}}
    table = {"workers": 8, "schemes": ["gradient-code"], "latency": rare, "port": {"receive": 1.0}}
    found, law = fastgc.design(table), parse(table).latency[0]
    exact = {
        s: distribution(gradient_code(8, s).structure(), [law.time((s + 1) / 8)], 1.0).mean()
        for s in range(8)
    }
    assert found[0].system["s"] == min(exact, key=exact.get)
    assert found[0].value == pytest.approx(min(exact.values()), rel=1e-8)


def test_most_load():
    table = {"workers": 12, "latency": UNIT, "schemes": ["gradient-code", "k-of-n"]}
    found = fastgc.design(table)
    light = fastgc.design(table | {"most_load": 0.1})
    assert light and every(choice.load <= 0.1 for choice in light)
    assert light[0].value > found[0].value
    assert "most_load" in refusal(fastgc.design, table | {"most_load": 0.01})
    assert "most_load: must be at most 1" in refusal(fastgc.design, table | {"most_load": 1.5})


def test_schemes_that_need_a_key_are_named():
    table = {"workers": 4, "latency": UNIT, "most_load": 0.3}
    assert "drop-late (deadline), partial (chunks), block" in fastgc.design(table).notes[-1]
    notes = fastgc.design(table | {"schemes": ["uncoded"]}).notes
    assert "without their keys" not in " ".join(notes)


@pytest.mark.night
def test_long_lists_are_searched_from_coarse_to_fine(monkeypatch):
    table = {"workers": 30, "latency": SHIFTED, "schemes": ["k-of-n"], "port": {"receive": 1e-3}}
    whole = fastgc.design(table)
    monkeypatch.setattr(planning, "_LONGEST", 8)
    thinned = fastgc.design(table)
    assert list(thinned) == list(whole)
    assert any("were looked at" in note for note in thinned.notes)
    assert not any("were looked at" in note for note in whole.notes)


# ---- what is returned


def test_a_ranking_is_a_sequence():
    found = fastgc.design({"workers": 5, "schemes": ["k-of-n"], "latency": UNIT})
    assert len(found) == len(found.choices) and list(found) == list(found.choices)
    assert found[-1] == found.choices[-1] and found[:2] == found.choices[:2]
    assert found == fastgc.design({"workers": 5, "schemes": ["k-of-n"], "latency": UNIT})


# ---- mistakes


GOAL = 'goal: must be "mean", or "quantile(q)"'


@pytest.mark.parametrize(("change", "sentences"), [
    ({"workers": 0}, "workers: must be at least 1 (got 0)"),
    ({"worker": 3}, "worker: unknown key; did you mean 'workers'?"),
    ({"goal": "quantile(2)"}, GOAL), ({"goal": "time_to_loss(0.1)"}, GOAL),
    ({"goal": "man"}, "did you mean 'mean'?"), ({"schemes": ["kofn"]}, "schemes[0]: must be"),
    ({"schemes": []}, "schemes: must name at least one scheme"),
    ({"schemes": ["uncoded", "uncoded"]}, "schemes: must name each scheme once"),
    ({"schemes": ["hierarchical"], "layers": 2}, "tasks: missing"),
    ({"layers": 2}, "tasks: missing"),
    ({"schemes": ["uncoded"], "tasks": 3}, "tasks: belongs to hierarchical"),
    ({"layers": 2, "tasks": 17}, "tasks: must be at most layers · workers = 16 (got 17)"),
    ({"schemes": ["ignore-stragglers"]}, "stragglers: missing"),
    ({"stragglers": 8}, "stragglers: must be less than workers"),
    ({"workers": 5, "schemes": ["coded-reduce"]}, "no tree of two or more layers fits 5"),
    ({"latency": [UNIT, UNIT]}, "latency: must be one law or a list of one per worker"),
    ({"latency": {"distribution": "expo"}}, "latency.distribution: unknown distribution"),
    ({"port": {"receive": -1}}, "port.receive: must be at least 0"),
    ({"schemes": ["uncoded", "k-of-n"], "computation": "gradient"},
     'computation: must be "linear" for k-of-n, or schemes without'),
    ({"layers": 2, "tasks": 4, "computation": "gradient"},
     "layers: belongs to hierarchical|tasks: belongs to hierarchical"),
    ({"trials": 0, "confidence": 1.0}, "confidence: must be at most 0.999999|trials: must be"),
])  # fmt: skip
def test_mistakes(change, sentences):
    with pytest.raises(StudyError) as caught:
        fastgc.design({"workers": 8, "latency": UNIT} | change)
    for line, said in zip(sorted(caught.value.complaints), sentences.split("|"), strict=True):
        assert line.startswith("study: ") and said in line


def test_what_is_no_design(tmp_path, command):
    (tmp_path / "study.toml").write_text('title = "x"\n')
    code, out, err = command("design", tmp_path / "study.toml")
    assert code == 2 and not out and "design: missing" in err and "Traceback" not in err
    code, _, err = command("design", "agc/main")
    assert code == 2 and "experiments are for `fastgc run`" in err
    with pytest.raises(StudyError, match="study: design: must be a table"):
        fastgc.design({"design": 3})
    with pytest.raises(StudyError, match="workers: missing"):
        fastgc.design({})
