"""`fastgc.runs.merge`: shards together are the run of one process, bit for bit, or are refused."""

import shutil
from collections.abc import Mapping
from dataclasses import replace

import h5py
import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.results import store
from fastgc.results.rows import with_all_keys
from fastgc.results.stored import Interleaving
from fastgc.runs import merging, plan
from fastgc.runs.merging import UnitPrecision
from suite.checks import every
from suite.files import state
from suite.raw_samples import raw_samples
from suite.studies import descent, ring
from twins import shards as twin

BLOCK = 128
SWEPT = ring(
    5, 0.3, iterations=2, shuffle="random", measure=["error", "survivors"], quantiles=[0.5, 0.99],
    thresholds=[0.5, 1.5], sweep={"stragglers.p": [0.1, 0.3]},
)  # fmt: skip
TIMED = {
    "name": "code",
    "kind": "completion",
    "system": {"family": "gradient-code", "n": 6, "s": 2},
    "latency": {"distribution": "pareto", "scale": 1.0, "shape": 2.5},
    "method": "monte-carlo",
    "measure": ["time", "load"],
    **{"quantiles": [0.9], "thresholds": [1.5]},
}
EXACT = SWEPT | {"name": "exact", "method": "exact", "shuffle": "none", "iterations": 1}
OTHER = SWEPT | {"name": "b", "code": {"family": "frc", "n": 5, "d": 5}}
COMMON = {"seed": 9, "common_random_numbers": True, "ratio": [["a", "b"]]}
COMMON["experiment"] = [SWEPT | {"name": "a"}, OTHER]
MIXED = {"seed": 4, "experiment": [SWEPT, SWEPT | {"name": "known", "method": "both"}, EXACT]}
STUDIES = {
    "decoding": {"seed": 4, "experiment": [SWEPT]},
    "completion": {"seed": 4, "experiment": [TIMED]},
    "training": {"seed": 4, "experiment": [descent(4, 40, 3, 3) | {"measure": ["loss"]}]},
    "common": COMMON,
    "mixed": MIXED,
    "all exact": EXACT,
}
RING = STUDIES["decoding"]


@pytest.fixture(autouse=True)
def small(small_blocks):
    """Blocks of 128 trials."""


@pytest.fixture
def out(tmp_path):
    return tmp_path / "all.h5"


def sharded(folder, shards, study=RING, which=None, trials=None):
    """Run shards, each to a file of its own; trials may differ, by shard."""
    files = []
    for own in trials if isinstance(trials, Mapping) else which or range(shards):
        files.append(folder / f"s_{own}.h5")
        asked = trials[own] if isinstance(trials, Mapping) else trials
        fastgc.run(study, out=files[-1], batch=fastgc.runs.Batch(shard=(own, shards)), trials=asked)
    return files


def content(path):
    run = store.load(path)
    said = run.study, run.identity, run.shard, run.rows, run.complete, run.provenance["points"]
    return said, list(map(state, run.units)), [u.stopped_by for u in run.units]


def datasets(path):
    """Bytes of all datasets by name, but of what tells where the trials came from."""
    found = {}

    def take(name, item):
        own = name.split("/")[-1]
        if isinstance(item, h5py.Dataset) and own not in ("merged", "provenance"):
            found[name] = item[()].tobytes()

    with h5py.File(path) as file:
        file.visititems(take)
    return found


def refused(files, out, **more):
    before = out.read_bytes() if out.exists() else None
    with pytest.raises(FastgcError) as error:
        fastgc.runs.merge(files, out, **more)
    assert (out.read_bytes() if out.exists() else None) == before
    return str(error.value).splitlines()


# ---- the same as one process


@pytest.mark.parametrize("shards", [2, *(pytest.param(n, marks=pytest.mark.night) for n in (1, 5))])
@pytest.mark.parametrize("name", STUDIES)
def test_merged_is_one_process_bit_for_bit(tmp_path, out, name, shards):
    trials = 11 * BLOCK + 37
    files = sharded(tmp_path, shards, STUDIES[name], trials=trials)
    whole = fastgc.run(STUDIES[name], out=tmp_path / "whole.h5", trials=trials)
    before = [file.read_bytes() for file in files]
    merged = fastgc.runs.merge(files[::-1], out)
    assert content(out) == content(tmp_path / "whole.h5")
    assert datasets(out) == datasets(tmp_path / "whole.h5")
    assert merged.rows() == whole.rows() == fastgc.open(out).rows()
    assert (merged.complete, merged.path, merged.missing) == (True, out, [])
    assert [file.read_bytes() for file in files] == before, "shards stay as they are"


@pytest.mark.night
def test_extended_shards_are_merged_again_and_more_trials_go_on(tmp_path, out):
    """Shards that were extended one by one, into the same file; then that file, twice."""
    whole = tmp_path / "whole.h5"
    for trials in (300, 1000):
        fastgc.runs.merge(sharded(tmp_path, 3, trials=trials), out)
        fastgc.run(RING, out=whole, trials=trials)
        assert content(out) == content(whole)
    for trials in (1200, 1500):
        result = fastgc.run(RING, out=out, trials=trials)
        assert result.rows() == fastgc.run(RING, out=whole, trials=trials).rows()
        assert content(out) == content(whole)
    assert store.load(out).merged.shards == 3, "still says what it began with"


# ---- blocks in their order


def test_blocks_of_uneven_shards_stand_in_their_order_and_short_ones_are_known():
    """Against blocks listed and sorted one by one."""
    generator, found = np.random.default_rng(1), []
    for _ in range(500):
        shards = int(generator.integers(1, 7))
        there = sorted(generator.permutation(shards)[: generator.integers(1, shards + 1)].tolist())
        done = {shard: int(generator.integers(0, 9)) for shard in there}
        weave, places = Interleaving(shards, done), twin.order(shards, done)
        assert sorted(weave.numbers().tolist()) == list(places)
        digests = {
            shard: np.array([shard + shards * turn for turn in range(count)], np.uint64)
            for shard, count in done.items()
        }
        assert weave.woven(digests).tolist() == list(places)
        done = {shard: 3 + count % 3 for shard, count in done.items()}
        rest = {shard for shard in there if generator.random() < 0.3}
        found.append(Interleaving(shards, done).short(rest))
        assert list(found[-1]) == twin.short(shards, done, rest)
    assert any(found) and not every(found)


# ---- missing and short shards


@pytest.mark.night
def test_partial_says_so_in_every_row(tmp_path, out):
    files = sharded(tmp_path, 3, MIXED, which=[0, 2], trials=1000)
    merged = fastgc.runs.merge(files, out, partial=True)
    assert merged.missing == [1]
    rows = merged.rows()
    assert every("merged without shard 1/3" in row["note"] for row in rows)
    assert {row["method"] for row in rows} >= {"monte-carlo", "exact", "closed-form"}
    kept = list(map(with_all_keys, store.load(out).rows))
    assert fastgc.open(out).rows() == rows == kept
    ring = merged["ring", {"stragglers.p": 0.1}]["error"].mean
    numbers = [t for t in range(1000) if t // BLOCK % 3 != 1]
    assert ring.trials == len(numbers)
    mean = raw_samples(MIXED, 1000)["error"][numbers].mean()
    assert ring.value == pytest.approx(mean, rel=1e-12)
    for trials in (1000, 2000):
        with pytest.raises(FastgcError, match=r"was merged without shard 1/3.*merge all shards"):
            fastgc.run(MIXED, out=out, trials=trials)
    fastgc.runs.merge([*files, *sharded(tmp_path, 3, MIXED, which=[1], trials=1000)], out)
    fastgc.run(MIXED, out=tmp_path / "whole.h5", trials=1000)
    assert content(out) == content(tmp_path / "whole.h5")


def test_shards_that_do_not_fit_are_named(tmp_path, out):
    files = sharded(tmp_path, 2, trials={0: 2 * BLOCK, 1: 1000})
    [line] = refused(files, out)
    assert line.startswith(f"{files[0]}: has {BLOCK} trials of ring stragglers.p=0.1, less than")
    assert "--trials 1000" in line and "--partial" in line
    files = sharded(tmp_path, 2, trials={0: 4 * BLOCK + 5, 1: 15 * BLOCK + 5})
    [line] = refused(files, out, partial=True)
    assert line.startswith(f"{files[0]}: ends in an incomplete block of ring stragglers.p=0.1")
    assert f"so does {files[1]}" in line
    for more in ({}, {"partial": True}):  # what is proposed is done, and works
        [line] = refused(files, out, **more)
        assert f"--trials {15 * BLOCK + 5}" in line and "--partial" not in line
    fastgc.runs.merge(sharded(tmp_path, 2, trials=15 * BLOCK + 5), out)


@pytest.mark.night
def test_partial_accepts_shards_of_unequal_length(tmp_path, out):
    ends = {0: 3 * BLOCK + 44, 1: 13 * BLOCK, 2: 8 * BLOCK}  # a partial block in the first
    merged = fastgc.runs.merge(sharded(tmp_path, 3, trials=ends), out, partial=True)
    assert {row["note"].split("; ")[-1] for row in merged.rows()} == {
        "merged from shards of unequal length"
    }
    taken = [t for t in range(2000) if t < ends[t // BLOCK % 3]]
    assert sum(t // BLOCK == 3 for t in taken) == 44
    mean = merged["ring", {"stragglers.p": 0.1}]["error"].mean
    assert mean.trials == len(taken)
    assert mean.value == pytest.approx(raw_samples(RING, 2000)["error"][taken].mean())
    assert f"trials = {ends[1]}" in store.load(out).study, "that of the most trials"
    audited = fastgc.runs.audit(out, share=1)
    assert audited.passed and audited.checked == audited.blocks == 2 * (1 + 4 + 2 + 1)
    with pytest.raises(FastgcError, match="merged from shards of unequal length, and no run"):
        fastgc.run(RING, out=out, trials=3000)


@pytest.mark.night
@pytest.mark.parametrize("which", [[0, 1, 2], [0, 2], [1]])
def test_merged_files_are_audited(tmp_path, out, which):
    """Blocks keep their numbers in the study, also where shards are missing."""
    files = sharded(tmp_path, 3, which=which, trials=10 * BLOCK + 7)
    fastgc.runs.merge(files, out, partial=True)
    audit = fastgc.runs.audit(out, share=1)
    assert audit.passed and audit.checked == audit.blocks > 0
    assert every(unit.sums_compared for unit in audit.units)
    run = store.load(out)
    numbers = [t for t in range(11) if t % 3 in which]
    assert [list(run.blocks_of(unit)) for unit in run.units] == [numbers, numbers]
    run.units[0].digests[2] ^= 1
    store.save(out, run)
    [found] = fastgc.runs.audit(out, share=1).differences
    assert found.block == numbers[2]
    if len(which) < 3:
        parts = [replace(run.merged.parts[0], done=(1, 1)), *run.merged.parts[1:]]
        run.merged = replace(run.merged, parts=tuple(parts))
        store.save(out, run)
        assert "not those of the shards" in fastgc.runs.audit(out, share=1).differences[0].what


# ---- what does not belong together


def changed(**keys):
    return RING | {"experiment": [RING["experiment"][0] | keys]}


@pytest.mark.parametrize(("study", "said"), [
    (RING | {"seed": 5}, "seed is 5, there 4"),
    (changed(iterations=3), "ring's iterations is 3, there 2"),
    (changed(code={"family": "circulant", "n": 5, "d": 3}), "ring's code.d is 3, there 2"),
    (changed(sweep={}), "the number of points is 1, there 2"),
    (changed(thresholds=[0.5]), "the number of ring's thresholds is 1, there 2"),
    (changed(name="other"), 'an experiment\'s name is "other", there "ring"'),
    (changed(sweep={"stragglers.p": [0.1, 0.4]}), "ring's swept stragglers.p is 0.4, there 0.3"),
    (changed(decoder="one-step"), 'ring\'s decoder is "one-step", there not given'),
])  # fmt: skip
def test_strangers_are_refused_with_the_difference(tmp_path, out, study, said):
    [first] = sharded(tmp_path, 2, trials={0: 300})
    [other] = sharded(tmp_path, 2, study, trials={1: 300})
    [line] = refused([first, other], out, partial=True)
    assert line.startswith(f"{other}: is of another study or seed than {first}: ")
    assert said in line and line.endswith("; leave one of the two out")


@pytest.mark.night
def test_every_mistake_at_once(tmp_path, out):
    files = sharded(tmp_path, 3, which=[0, 1], trials=300)
    again, other, whole, foreign, gone, verdicts, merged = (
        tmp_path / f"{name}.h5"
        for name in ("again", "other", "whole", "foreign", "gone", "verdicts", "merged")
    )
    shutil.copy(files[1], again)
    fastgc.run(RING, out=other, batch=fastgc.runs.Batch(shard=(2, 5)), trials=300)
    fastgc.run(RING, out=whole, trials=300)
    foreign.write_bytes(b"something else")
    fastgc.validate(["agc.theorem1"], out=verdicts, method="exact")
    fastgc.runs.merge(files, merged, partial=True)
    said = {
        again: f"is shard 1/3, as {files[1]} is",
        files[0]: "is named twice",
        other: f"is shard 2/5, {files[0]} is one of 3",
        whole: f"is shard 0/1, {files[0]} is one of 3",
        foreign: "is not a file of fastgc results",
        gone: "there is no such file",
        merged: "was merged itself",
        verdicts: "holds verdicts of a validation",
    }
    lines = refused([*files, *said], out)
    for line, (path, words) in zip(lines, said.items(), strict=True):
        assert line.startswith(f"{path}: {words}")
    assert refused([], out)[0].startswith("shards: name at least one file")


def test_shards_of_other_trials_are_refused(tmp_path, out, monkeypatch):
    files = sharded(tmp_path, 2, trials=300)
    old = store.load(files[1])
    old.provenance["stream_version"] = 0
    store.save(files[1], old)
    assert "s_1.h5: was sampled with stream version 0, this" in refused(files, out)[0]
    for file in files:
        file.unlink()
    monkeypatch.setattr(plan, "CHEAP_SECONDS", 0.0)
    study = changed(method="auto", iterations=1, shuffle="none")
    [line] = refused(sharded(tmp_path, 2, study, trials={0: 20, 1: 1000}), out)
    assert "s_1.h5: sampled other points than " in line and "same trials" in line


def test_incomplete_shards_are_refused(tmp_path, out):
    files = sharded(tmp_path, 2, which=[0], trials=900)
    stopped = fastgc.run(
        RING,
        out=tmp_path / "s_1.h5",
        batch=fastgc.runs.Batch(shard=(1, 2), interrupted=lambda: "SIGTERM"),
        trials=10**6,
    )
    assert stopped.path == tmp_path / "s_1.h5.part"
    [gap] = refused(files, out)
    assert gap == (
        "shard 1/2 is missing; there is only s_1.h5.part, with which its command goes on; "
        "run and name it, or accept that with --partial"
    )
    named, part = refused([*files, tmp_path / "s_1.h5", stopped.path], out)
    assert named.startswith(f"{tmp_path / 's_1.h5'}: is not complete, there is only s_1.h5.part")
    assert part.startswith(f"{stopped.path}: shard 1/2 is not complete")


# ---- what the merged file would replace


@pytest.mark.night
def test_nothing_else_is_replaced(tmp_path, out):
    files = sharded(tmp_path, 2, trials=300)
    for said, name, more in (
        ("holds another study or seed", "seed.h5", {"seed": 5}),
        ("holds 500 trials, the shards together 300", "more.h5", {"trials": 500}),
        ("holds shard 1/3", "shard.h5", {"batch": fastgc.runs.Batch(shard=(1, 3))}),
    ):
        fastgc.run(RING, out=tmp_path / name, **{"trials": 300} | more)
        assert said in refused(files, tmp_path / name)[0]
    assert "is one of the shards" in refused(files, files[0])[0]
    (tmp_path / "all.h5.part").write_bytes(files[0].read_bytes())
    assert "all.h5.part: is an unfinished run of the same name" in refused(files, out)[0]


# ---- precision


@pytest.mark.night
def test_precision_stops_no_shard_and_is_reported(tmp_path, out):
    study = changed(sweep={}, measure=["error"]) | {
        "stop": {"trials": 4000, "relative_error": 0.02, "events": 100}
    }
    assert fastgc.run(study).stopped_by == "trials"
    loose = study | {"stop": {"trials": 4000, "relative_error": 0.5}}
    [alone] = sharded(tmp_path, 1, loose)
    merged = fastgc.runs.merge([alone], tmp_path / "alone.h5")
    assert merged.stopped_by == "relative_error", "what stopped one process stays said"
    assert content(tmp_path / "alone.h5") == content(alone)
    alone.unlink()
    files = sharded(tmp_path, 2, loose)
    [done] = fastgc.runs.merge(files, tmp_path / "loose.h5").precision
    assert (done.trials, done.rule, done.more) == (4000, "relative_error", 0)
    for file in files:
        file.unlink()
    files = sharded(tmp_path, 2, study)
    assert {u.trials for f in files for u in store.load(f).units} == {16 * BLOCK, 15 * BLOCK + 32}
    [far] = fastgc.runs.merge(files, out).precision
    mean = fastgc.open(out)["ring"]["error"].mean
    ratio = 1.959964 * mean.standard_error / (0.02 * mean.value)
    assert ratio > 1 and far.rule is None and far.trials == 4000
    assert far.more == pytest.approx(4000 * (ratio**2 - 1), rel=0.11)
    # what it says is true: with so many more the rule holds
    files = sharded(tmp_path, 2, study, trials=4000 + int(1.2 * far.more))
    [near] = fastgc.runs.merge(files, out).precision
    assert near.rule == "relative_error" and near.more == 0


def test_precision_of_rare_events(tmp_path, out):
    """However narrow the interval looks, it takes the events that the study asks for."""
    study = changed(sweep={}, iterations=1, shuffle="none", measure=["error"]) | {
        "stop": {"trials": 2000, "absolute_error": 100.0, "events": 10**5}
    }
    [found] = fastgc.runs.merge(sharded(tmp_path, 2, study), out).precision
    assert found.rule is None and 0 < found.events < 2000
    assert found.more == pytest.approx(2000 * (10**5 / found.events - 1), rel=0.11)


def test_of_many_points_the_worst_is_named():
    far = [UnitPrecision(f"p{k}", 1000, 500.0, None, 10 * k or None) for k in range(9)]
    near = [UnitPrecision("near", 1000, 500.0, "absolute_error", 0)]
    assert merging.summary(near + far) == [
        "1 of 10 points have the precision that is asked for",
        "to get there, run each shard again with --trials 1177 and merge again; p8 takes most",
    ]
    assert merging.summary(near) == ["1 of 1 points have the precision that is asked for"]
    assert merging.summary([]) == []
