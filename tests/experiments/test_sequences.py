"""Sequence experiments: sampled, enumerated and as a chain; recordings; refusals."""

import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Batch
from fastgc.experiments.sequence.chain import Pace, Pattern, Slowness, of_pasts, of_slow_workers
from fastgc.study.study import Study
from suite.raw_samples import raw_samples
from twins.sequences import sequence

pytestmark = pytest.mark.night

IID = {"model": "iid", "p": 0.1}
MARKOV = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.6}
TIMES = {"ok": 1.0, "straggle": 5.0}
SPREADS = ["seconds", "waits", "delay", "rounds", "seconds_per_job"]


def m_sgc(n, distinct, burst=1, window=2):
    return {"family": "m-sgc", "n": n, "burst": burst, "window": window, "distinct": distinct}


def sr_sgc(n, distinct, burst=1, window=2, **more):
    return m_sgc(n, distinct, burst, window) | {"family": "sr-sgc"} | more


def gradient_code(n, s):
    return {"family": "gradient-code", "n": n, "s": s}


def experiment(system, jobs, stragglers=IID, **more):
    workers = {} if "latency" in more else {"stragglers": stragglers, "times": TIMES}
    return {"kind": "sequence", "system": system, "jobs": jobs} | workers | more


def rows(table, **how):
    found = fastgc.run(table, **how).rows()
    return {(row["quantity"], row["statistic"], row["method"]): row for row in found}


def mean(table, quantity="seconds", method="exact", **how):
    return rows(table, method=method, **how)[quantity, "mean", method]["value"]


# ---- exact methods


def every_pattern(code, jobs, stragglers, mu=1.0, then="all", rule="paper"):
    """Mean and variance of the seconds, and mean waits, by the twin and all slow workers."""
    n, rounds = code["n"], jobs
    family = code["family"]
    if family == "gradient-code":
        twin = family, code["s"]
    else:
        twin = family, code["burst"], code["window"], code["distinct"]
        rounds += code["burst"] + (code["window"] - 2 if family == "m-sgc" else 0)
    if stragglers["model"] == "iid":
        first = again = after = stragglers["p"]
    else:
        after = stragglers["p_straggle_after_ok"]
        again = stragglers["p_straggle_after_straggle"]
        first = after / (1 - again + after)
    found = []
    for slow in itertools.product((0, 1), repeat=n * rounds):
        own = np.array(slow).reshape(rounds, n)
        p = 1.0
        for worker in own.T.tolist():
            now = first
            for is_slow in worker:
                p *= now if is_slow else 1 - now
                now = again if is_slow else after
        seconds, waits, done = sequence(twin, jobs, (1.0 + 4.0 * own).tolist(), mu, then, rule)
        decoded = sum(r is not None for r in done) / jobs
        found.append((p, sum(seconds), len(waits), decoded))
    p, seconds, waits, decoded = np.array(found).T
    average = float(np.sum(p * seconds))
    variance = float(np.sum(p * (seconds - average) ** 2))
    return average, variance, float(np.sum(p * waits)), float(np.sum(p * decoded))


@pytest.mark.parametrize("stragglers", [IID, MARKOV], ids=["iid", "markov"])
@pytest.mark.parametrize(
    ("system", "jobs", "patience"),
    [
        (gradient_code(3, 1), 4, {}),
        (gradient_code(3, 2), 3, {"then": "never"}),
        (m_sgc(3, 2), 3, {}),
        (m_sgc(3, 1), 3, {"then": "never"}),
        (m_sgc(2, 1, window=3), 3, {"then": "enough", "factor": 0.5}),
        (sr_sgc(3, 2), 3, {}),
        (sr_sgc(3, 3, window=3, rule="peer"), 3, {}),
        (sr_sgc(3, 3, window=3), 2, {"factor": 9.0}),
    ],
    ids=str,
)
def test_enumeration_is_that_of_the_twin(system, jobs, patience, stragglers):
    table = experiment(system, jobs, stragglers, patience=patience)
    found = rows(table | {"measure": ["seconds", "waits", "exact"]}, method="exact")
    rule, mu = system.get("rule", "paper"), patience.get("factor", 1.0)
    expected = every_pattern(system, jobs, stragglers, mu, patience.get("then", "all"), rule)
    keys = [("seconds", "mean"), ("seconds", "variance"), ("waits", "mean"), ("exact", "mean")]
    values = [found[*key, "exact"]["value"] for key in keys]
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("system", "jobs", "seconds"),
    [
        (sr_sgc(3, 2), 3, 3.919939),
        (m_sgc(3, 2), 3, 5.370986),
        (m_sgc(3, 3), 3, 5.339511),
        (gradient_code(3, 1), 4, 5.42),
        (gradient_code(3, 0) | {"load": 2 / 3}, 4, 8.336),  # by the peer's rule of s = 1
        ({"family": "uncoded", "n": 3}, 4, 8.336),
        (m_sgc(16, 4), 80, 191.66799),
    ],
)
def test_mean_seconds_that_are_known(system, jobs, seconds):
    assert mean(experiment(system, jobs)) == pytest.approx(seconds, abs=1e-5)


def test_rules_differ_in_rounds_that_any_code_would_take():
    stragglers = {"model": "iid", "p": 0.3}
    found = [
        mean(experiment(sr_sgc(3, 3, window=3, rule=rule), 3, stragglers))
        for rule in ("peer", "paper")
    ]
    assert found == pytest.approx([6.473995, 6.331802], abs=1e-6)


@pytest.mark.parametrize(
    "system", [m_sgc(8, 3), m_sgc(8, 8, 2, 4), m_sgc(6, 1, 3, 5), sr_sgc(8, 4, 2, 5)], ids=str
)
def test_bursty_stragglers_are_never_waited_for_and_never_lose_a_job(system):
    bursts = {key: system[key] for key in ("burst", "window", "distinct")}
    stragglers = {"model": "bursty", "p": 0.4} | bursts
    for then in ("all", "never"):
        measure = ["waits", "exact", "seconds"]
        table = experiment(system, 20, stragglers, patience={"then": then}, measure=measure)
        found = rows(table, trials=512)
        assert found["exact", "mean", "monte-carlo"]["value"] == 1.0
        assert found["waits", "maximum", "monte-carlo"]["value"] == 0.0
        assert found["seconds", "maximum", "monte-carlo"]["value"] > 20.0


def test_closed_forms_stand_beside_exact_values():
    measure = ["seconds", "seconds_per_job", "load"]
    for system in (m_sgc(16, 4), gradient_code(16, 3), m_sgc(16, 4, 2, 3), sr_sgc(2, 2)):
        for patience in ({}, {"then": "enough", "factor": 0.5}, {"factor": 9.0}):
            table = experiment(system, 5, measure=measure, patience=patience)
            known = 0
            for row in rows(table, method="exact").values():
                if row["method"] == "exact" and row["theory"] is not None:
                    assert row["value"] == pytest.approx(row["theory"], rel=1e-12)
                    known += 1
            short = system["family"] == "gradient-code" or system == m_sgc(16, 4)
            timed = 2 if short and patience.get("factor") != 9.0 else 0
            assert known == timed + (system["family"] != "gradient-code")


@pytest.mark.night
def test_256_workers():
    """By the chain, and sampled."""
    for p, seconds, waits in ((0.05, 249.554570, 29.1849), (0.02, 182.5369, 6.9988)):
        stragglers = {"model": "iid", "p": p}
        table = experiment(m_sgc(256, 27), 80, stragglers, measure=["seconds", "waits"])
        found = rows(table, method="exact")
        assert found["seconds", "mean", "exact"]["value"] == pytest.approx(seconds, abs=1e-4)
        assert found["waits", "mean", "exact"]["value"] == pytest.approx(waits, abs=1e-4)
    sampled = rows(table, method="monte-carlo", trials=512)
    for (quantity, statistic, method), row in sampled.items():
        if method == "monte-carlo" and statistic in ("mean", "variance"):
            known = found[quantity, statistic, "exact"]["value"]
            assert abs(row["value"] - known) < 4.5 * row["standard_error"]


@pytest.mark.night
@pytest.mark.parametrize("stragglers", [IID, MARKOV], ids=["iid", "markov"])
@pytest.mark.parametrize("factor", [0.0, 1.0, 9.0])
@pytest.mark.parametrize(
    ("system", "jobs"),
    [
        *[(m_sgc(3, 2), 5), (m_sgc(3, 3), 4), (gradient_code(4, 2), 4), (m_sgc(2, 0), 5)],
        *[(m_sgc(3, 2, window=3), 4), (m_sgc(2, 1, 2, 3), 5), (m_sgc(2, 2, 2, 4), 4)],
    ],
    ids=str,
)
def test_the_chain_is_the_enumeration(system, jobs, factor, stragglers):
    if system.get("window", 2) > 2:
        stragglers = {"model": "iid", "p": 0.3 if stragglers is IID else 0.05}
    table = experiment(system, jobs, stragglers, measure=SPREADS, patience={"factor": factor})
    [point] = Study.parse(table).points()
    both = point.compiled.exact_method
    for quantity in SPREADS:
        law = {name: own.value for name, _, own in both._of_law(quantity)}
        for name, _, own in both._of_chain(quantity):
            assert own.value == pytest.approx(law[name], rel=1e-12, abs=1e-12), (quantity, name)


def test_rounds_of_a_gradient_code_are_binomial():
    """Mean seconds J (ok P(none) + 2 ok P(1 … s) + straggle P(more))."""
    n, s, p = 40, 3, 0.05
    share = [math.comb(n, w) * p**w * (1 - p) ** (n - w) for w in range(n + 1)]
    expected = 7 * (share[0] + 2 * sum(share[1 : s + 1]) + 5 * sum(share[s + 1 :]))
    table = experiment(gradient_code(n, s), 7, {"model": "iid", "p": p})
    assert mean(table) == pytest.approx(expected, rel=1e-12)


def test_rare_slow_workers_keep_their_digits():
    """The variance is not a difference of squares."""
    rare = Slowness(1e-9, 1e-9, 1e-9)
    chain = of_slow_workers(3, 0, rare, Pace(1.0, 5.0, 2.0), looks_back=False)
    expected = 16 * 10 * 3e-9
    assert chain.seconds(10).variance == pytest.approx(expected, rel=1e-7, abs=0)


def test_both_chains_are_the_same_where_both_hold():
    for n, distinct, p, factor in ((9, 3, 0.2, 2.0), (5, 5, 0.4, 1.0), (40, 6, 0.05, 3.0)):
        pace = Pace(1.0, 5.0, factor)
        one = of_slow_workers(n, distinct, Slowness(p, p, p), pace, looks_back=True)
        other = of_pasts(n, p, Pattern(1, 2, distinct), pace)
        for mine, own in ((one.seconds(30), other.seconds(30)), (one.waits(30), other.waits(30))):
            assert own.mean == pytest.approx(mine.mean, rel=1e-12)
            assert own.variance == pytest.approx(mine.variance, rel=1e-11)
            assert (own.minimum, own.maximum) == (mine.minimum, mine.maximum)


def test_samples_agree_with_the_chain_of_pasts():
    system = m_sgc(24, 4, burst=2, window=3)
    table = experiment(system, 30, {"model": "iid", "p": 0.04}, measure=["seconds", "waits"])
    found = rows(table, method="both", trials=8000)
    for quantity, statistic in itertools.product(["seconds", "waits"], ["mean", "variance"]):
        row = found[quantity, statistic, "monte-carlo"]
        exact = found[quantity, statistic, "exact"]["value"]
        assert abs(row["value"] - exact) < 4.5 * row["standard_error"], (quantity, statistic)


def test_what_a_chain_leaves_out_is_sampled():
    table = experiment(m_sgc(20, 4), 10, quantiles=[0.5], thresholds=[20.0])
    found = rows(table, trials=640)
    assert found["seconds", "mean", "exact"]["value"] > 11
    assert "chain" in found["seconds", "mean", "monte-carlo"]["note"]
    assert found["seconds", "quantile(0.5)", "monte-carlo"]["value"] >= 11
    only = rows(table, method="exact")
    assert only["seconds", "P(>20.0)", "exact"]["value"] is None


def test_laws_of_enumerated_sequences():
    table = experiment(gradient_code(2, 1), 1, quantiles=[0.5, 0.9, 0.995], thresholds=[1.0, 2.0])
    found = rows(table, method="exact")
    values = [found["seconds", f"quantile({q})", "exact"]["value"] for q in (0.5, 0.9, 0.995)]
    assert values == [1.0, 2.0, 5.0]
    above = [found["seconds", f"P(>{t})", "exact"]["value"] for t in (1.0, 2.0)]
    assert above == pytest.approx([0.19, 0.01], rel=1e-12)


# ---- sampling


@pytest.mark.parametrize(
    ("system", "jobs", "patience"),
    [
        (sr_sgc(3, 2), 4, {}),
        (m_sgc(3, 2, window=3), 3, {"then": "enough"}),
        (gradient_code(4, 1), 4, {"then": "never"}),
    ],
    ids=str,
)
def test_samples_agree_with_enumeration(system, jobs, patience):
    measure = ["seconds", "waits", "rounds", "exact", "seconds_per_job"]
    if patience.get("then") != "never":
        measure.append("delay")
    table = experiment(system, jobs, MARKOV, patience=patience, measure=measure)
    found = rows(table | {"thresholds": [8.0]}, method="both", trials=20_000)
    compared = 0
    for (quantity, statistic, method), row in found.items():
        if method == "monte-carlo" and row["standard_error"]:
            exact = found[quantity, statistic, "exact"]["value"]
            assert abs(row["value"] - exact) < 4.5 * row["standard_error"], (quantity, statistic)
            compared += 1
    assert compared >= 8


LAW = {"distribution": "exponential", "mean": 1.0, "shift": 1.0}


def test_trials_are_those_of_the_twin_at_the_load():
    """Times of a trial are drawn as those of a completion experiment's workers are."""
    table = experiment(sr_sgc(5, 4, burst=2, window=3), 6, latency=LAW, work=10.0)
    [point] = Study.parse(table).points()
    own = point.compiled
    for trial in (0, 70):
        found = own.replay(1, "s", trial)
        batch = Batch(1, "s", trial - trial % 64, 1, own.iterations)
        times = own.scenario.draws.times(batch)[..., trial % 64]
        seconds, waits, done = sequence(("sr-sgc", 2, 3, 4), 6, times.tolist(), 1.0)
        assert [row["seconds"] for row in found] == seconds
        assert [r for r, row in enumerate(found) if row["waited"]] == waits
        assert [row["decoded"] for row in found] == [
            [job for job, when in enumerate(done) if when == r] for r in range(8)
        ]
        for row, x in zip(found, times, strict=True):
            late = np.flatnonzero(x > row["seconds"]) if row["seconds"] else []
            assert row["stragglers"] == list(late)
    assert times.min() >= 10.0 * point.table.system.share()


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_a_constant_needs_no_trials(method):
    code = {"family": "sr-sgc", "n": 256, "burst": 3, "window": 4, "distinct": 8}
    law = {"distribution": "exponential", "mean": 1.0}
    study = {"system": code, "latency": law, "jobs": 1000, "method": method}
    for row in fastgc.run(study | {"measure": ["load"]}).rows():
        assert row["method"] in ("exact", "closed-form") and row["value"] == 5 / 256
    if method == "exact":  # times are none
        with pytest.raises(fastgc.FastgcError, match="no exact method for drawn times"):
            fastgc.run(study | {"measure": ["load", "seconds"]})


@pytest.mark.night
def test_the_same_bits_on_threads_and_shards(tmp_path):
    table = experiment(m_sgc(40, 6), 300, latency=LAW, measure=["seconds", "delay"])
    study = {"experiment": [table | {"method": "monte-carlo"}]}
    one = fastgc.run(study, trials=1024, threads=1).rows()
    assert one == fastgc.run(study, trials=1024, threads=2).rows()
    for i in range(2):
        fastgc.run(study, trials=1024, shard=(i, 2), out=tmp_path / f"{i}.h5")
    fastgc.merge([tmp_path / "0.h5", tmp_path / "1.h5"], out=tmp_path / "both.h5")
    assert one == fastgc.open(tmp_path / "both.h5").rows()


def test_common_draws_are_those_before_the_load():
    """A code with all of the work on each worker takes n times as long as uncoded work."""
    systems = {"one": gradient_code(4, 0), "four": gradient_code(4, 0) | {"load": 1.0}}
    tables = [experiment(own, 5, latency=LAW) | {"name": name} for name, own in systems.items()]
    study = {"common_random_numbers": True, "ratio": [["four", "one"]], "experiment": tables}
    result = fastgc.run(study, trials=256)
    [ratio] = [row for row in result.rows() if row["statistic"] == "ratio"]
    assert ratio["value"] == pytest.approx(4.0, rel=1e-12)
    assert ratio["standard_error"] < 1e-9


def test_raw_samples_are_the_seconds_of_rounds():
    table = experiment(sr_sgc(4, 3), 5) | {"name": "s", "method": "monte-carlo"}
    study = {"experiment": [table]}
    result = fastgc.run(study, trials=128)
    seconds = raw_samples(study, 128)["seconds"]
    assert seconds.shape == (128, 6)
    assert seconds.sum(axis=1).mean() == pytest.approx(result["s"]["seconds"].mean.value)


def test_times_without_a_mean_have_none():
    heavy = {"distribution": "pareto", "shape": 0.9, "scale": 1.0}
    for system, then, is_infinite in (
        (gradient_code(3, 1), "all", True),
        (gradient_code(3, 1), "enough", False),  # the second of three
        (m_sgc(3, 1), "enough", True),
        (m_sgc(3, 1), "never", False),
        (sr_sgc(3, 1), "enough", False),
        (sr_sgc(3, 2), "enough", True),
    ):
        table = experiment(system, 3, latency=heavy, patience={"then": then})
        row = rows(table, trials=64)["seconds", "mean", "monte-carlo"]
        assert (row["value"] is None) is is_infinite, (system, then)


# ---- recordings

RECORDED = "a,b,c,d\n" + "\n".join(
    ["1,1.5,1,2", "1,5,1,1", "1,6,1.5,1", "5,1,1,3", "1,1,7,8", "9,9,8,9", "1,4,1,1"]
)


def replayed(system, jobs, **more):
    latency = {
        "distribution": "empirical",
        "file": "t.csv",
        "order": "replay",
        "recorded_load": system.pop("at", 0.0),
        "rate": more.pop("rate", 0.0),
    }
    table = experiment(system, jobs, latency=latency, scaling="recorded", **more)
    return {"files": {"t.csv": RECORDED}, "experiment": [table]}


def test_a_recording_from_its_first_row():
    study = replayed(m_sgc(4, 2), 6, start="first", measure=["seconds", "waits", "delay", "exact"])
    found = rows(study)
    values = {key[0]: row["value"] for key, row in found.items() if key[1:] == ("mean", "exact")}
    assert values["seconds"] == 2 + 2 + 6 + 2 + 8 + 9 + 2
    assert values["waits"] == 2
    assert values["exact"] == 1
    assert values["delay"] == pytest.approx((4 + 8 + 8 + 10 + 17 + 11) / 6)
    sampled = rows(study, method="monte-carlo", trials=64)["seconds", "maximum", "monte-carlo"]
    assert sampled["value"] == 31


def test_a_load_costs_what_the_rate_says():
    for rate, load in ((0.0, 0.0), (2.0, 0.5)):
        system = gradient_code(4, 1)  # half of the data
        study = replayed(system, 7, start="first", rate=rate, patience={"factor": 0.0})
        times = np.loadtxt(RECORDED.splitlines()[1:], delimiter=",") + rate * load
        seconds = sequence(("gradient-code", 1), 7, times.tolist(), 0.0)[0]
        assert mean(study) == pytest.approx(sum(seconds), rel=1e-12)


def test_a_recording_from_any_row():
    study = replayed(m_sgc(4, 2), 9)
    times = np.loadtxt(RECORDED.splitlines()[1:], delimiter=",").tolist()
    totals = [
        sum(sequence(("m-sgc", 1, 2, 2), 9, (times[i:] + times * 2)[:10], 1.0)[0]) for i in range(7)
    ]
    assert mean(study) == pytest.approx(np.mean(totals), rel=1e-12)
    found = rows(study, method="monte-carlo", trials=64)
    assert found["seconds", "maximum", "monte-carlo"]["value"] == max(totals)


# ---- mistakes


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"stragglers": None, "times": None}, "latency: missing; give it, or stragglers with"),
        ({"latency": LAW}, "stragglers: must be left out with latency"),
        ({"times": None}, "times: missing; stragglers need it"),
        ({"stragglers": None, "latency": LAW}, "times: must be left out with latency"),
        ({"times": {"ok": 1.0, "straggle": 1.0}}, "times.straggle: must be more than ok"),
        ({"work": 2.0}, "work: must be left out with times"),
        ({"start": "first"}, 'start: "first" needs latency of a recording'),
        ({"jobs": 100_000, "system": m_sgc(30, 2)}, "jobs: rounds, jobs .* must be at most 69905"),
        ({"measure": ["delay"], "patience": {"then": "never"}}, "measure: delay is not known"),
        ({"system": {"family": "k-of-n", "n": 4, "k": 2}}, "system.family: must be uncoded, grad"),
        ({"system": gradient_code(4, 1) | {"patience": 1.0}}, "system.patience: must be left out"),
        ({"stragglers": {"model": "iid", "p": [0.1]}}, "stragglers.p: must be one number or one"),
        ({"stragglers": {"model": "adversarial", "stragglers": 1}}, "must say who straggles"),
        ({"system": sr_sgc(4, 2, burst=2, window=4)}, "system.window: window - 1 must be a mult"),
        ({"system": sr_sgc(1, 1)}, "system.distinct: needs a code for s=1"),
        ({"system": m_sgc(4, 2, burst=2)}, "system.window: must be more than burst"),
        ({"system": m_sgc(4, 5)}, "system.distinct: must be at most n"),
        ({"method": "exact", "stragglers": {"model": "uniform", "stragglers": 1}}, "not known"),
        ({"method": "exact", "system": sr_sgc(9, 2)}, "2.45 patterns .* which workers repeat a"),
        ({"method": "exact", "system": m_sgc(99, 90, 3, 5)}, "so are the pasts of workers"),
    ],
)
def test_mistakes(changes, sentence):
    table = experiment(m_sgc(4, 2), 4) | changes
    with pytest.raises(fastgc.FastgcError, match=sentence):
        fastgc.run({key: value for key, value in table.items() if value is not None}, trials=64)


@pytest.mark.parametrize("kind", ["completion", "training"])
def test_other_kinds_refuse_codes_over_rounds(kind):
    table = {"kind": kind, "system": m_sgc(4, 2), "latency": LAW}
    if kind == "training":
        table |= {
            "problem": {"model": "linear", "samples": 8, "features": 2},
            "code": {"family": "uncoded", "n": 4},
            "optimizer": {"method": "gradient-descent", "step": 0.1},
            "iterations": 2,
        }
    with pytest.raises(fastgc.FastgcError, match=r'system: m-sgc .* kind = "sequence"'):
        fastgc.run(table, trials=64)
