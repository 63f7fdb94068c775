"""Raw samples: those that were drawn, complete after any interruption, never damaged in silence."""

import h5py
import numpy as np
import pytest

import fastgc
from fastgc.draws import streams
from fastgc.errors import FastgcError
from fastgc.results import sample_files, store
from suite.checks import every

TABLE = {
    "code": {"family": "circulant", "n": 5, "d": 2},
    "stragglers": {
        "model": "two-class",
        "p_slow": 0.4,
        "p_straggle_slow": 0.8,
        "p_straggle_active": 0.1,
    },
    "iterations": 3,
    "shuffle": "random",
    "method": "monte-carlo",
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of 128 trials, and a segment for every few of them."""
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 128)
    monkeypatch.setattr(sample_files, "SEGMENT_BYTES", 20_000)


def study(**changes):
    return {"seed": 5, "experiment": [{"name": "ring"} | TABLE | changes]}


def samples(path, experiment="ring", place=0):
    with h5py.File(path) as file:
        group = file[f"samples/{experiment}/point{place}"]
        return group["error"][()], group["patterns"][()]


def keep(path, trials=1000, given=None, **more):
    return fastgc.run(given or study(), out=path, trials=trials, keep="samples", **more)


def segments(path):
    folder = path.with_name(path.name + ".samples")
    return {file.name: file.stat().st_ino for file in folder.iterdir()}


def listed(path):
    """Names of the segments in use, and whether they are partial."""
    return {s.file.split("/")[1]: s.partial for u in store.load(path).units for s in u.segments}


def stops_after(asked):
    """An interruption after so many questions."""
    left = iter(range(asked))
    return lambda: "SIGTERM" if next(left, None) is None else None


def same(a, b):
    for mine, other in zip(samples(a), samples(b), strict=True):
        assert np.array_equal(mine, other)


def test_samples_are_the_trials(tmp_path):
    path = tmp_path / "a.h5"
    result = keep(path)
    error, patterns = samples(path)
    assert (error.shape, error.dtype) == ((1000, 3), np.float64)
    assert (patterns.shape, patterns.dtype) == ((1000, 3, 1), np.uint64)
    for trial in (0, 1, 63, 64, 127, 128, 500, 895, 896, 999):
        steps = fastgc.replay(study(), trial=trial)["iterations"]
        assert error[trial] == pytest.approx([step["error"] for step in steps], abs=1e-13)
        gone = [[j for j in range(5) if not int(word) >> j & 1] for word in patterns[trial, :, 0]]
        assert gone == [step["stragglers"] for step in steps]
    mean = result["ring"]["error"].mean
    assert mean.value == pytest.approx(error.mean(), rel=1e-12)
    deviation = error.mean(axis=1).std(ddof=1) / np.sqrt(1000)
    assert mean.standard_error == pytest.approx(deviation, rel=1e-10)
    assert len(listed(path)) > 2 and sum(listed(path).values()) == 1


def test_keeping_changes_no_number(tmp_path):
    kept, plain = keep(tmp_path / "a.h5"), fastgc.run(study(), trials=1000)
    assert kept.rows() == plain.rows()


def test_many_workers_and_frc_by_levels(tmp_path):
    """Two words a pattern; frc's errors are counted, not listed, where nothing is kept."""
    table = {"code": {"family": "frc", "n": 70, "d": 2}, "iterations": 1, "shuffle": "none"}
    result = keep(tmp_path / "a.h5", 300, study(**table))
    error, patterns = samples(tmp_path / "a.h5")
    assert patterns.shape == (300, 1, 2)
    alive = np.unpackbits(patterns.view(np.uint8), axis=-1, bitorder="little")[:, 0, :70]
    lost = 2.0 * (~alive.reshape(300, 35, 2).astype(bool).any(axis=2)).sum(axis=1)
    assert np.array_equal(error[:, 0], lost)
    assert (
        result["ring"]["error"].mean.value
        == fastgc.run(study(**table), trials=300)["ring"]["error"].mean.value
    )


@pytest.mark.parametrize("trials", [50, 128, 129, 256])
def test_partial_blocks(tmp_path, trials):
    keep(tmp_path / "a.h5", trials)
    keep(tmp_path / "b.h5", 600)
    for short, long in zip(samples(tmp_path / "a.h5"), samples(tmp_path / "b.h5"), strict=True):
        assert len(short) == trials
        assert np.array_equal(short, long[:trials])


def test_extension_is_an_uninterrupted_run(tmp_path):
    a, b = tmp_path / "a.h5", tmp_path / "b.h5"
    keep(a, 500)
    before = segments(a)
    partial = {name for name, is_partial in listed(a).items() if is_partial}
    assert partial
    contents = {name: (tmp_path / "a.h5.samples" / name).read_bytes() for name in before}
    keep(a, 1000)
    keep(b, 1000)
    same(a, b)
    assert fastgc.open(a).rows() == fastgc.open(b).rows()
    after = segments(a)
    for name in set(before) - partial:
        assert after[name] == before[name] and name in listed(a)
        assert (tmp_path / "a.h5.samples" / name).read_bytes() == contents[name]
    assert not partial & set(listed(a))
    again = segments(a), a.stat().st_ino
    keep(a, 1000)
    keep(a, 700)
    assert (segments(a), a.stat().st_ino) == again


@pytest.mark.night
@pytest.mark.parametrize("asked", [1, 3, 5])
def test_interruption_and_resumption(tmp_path, asked):
    a, b = tmp_path / "a.h5", tmp_path / "b.h5"
    stopped = keep(a, 2000, interrupted=stops_after(asked), threads=1)
    assert not stopped.complete and not a.exists()
    done = len(samples(stopped.path)[0])
    assert 0 < done < 2000 and done == store.load(stopped.path).units[0].tally.trials
    keep(a, 2000)
    keep(b, 2000)
    same(a, b)
    assert fastgc.open(a).rows() == fastgc.open(b).rows()


@pytest.mark.night
def test_interrupted_extension(tmp_path):
    a, b = tmp_path / "a.h5", tmp_path / "b.h5"
    keep(a, 300)
    first = samples(a)
    stopped = keep(a, 3000, interrupted=stops_after(2), threads=1)
    assert not stopped.complete
    assert every(np.array_equal(x, y) for x, y in zip(first, samples(a), strict=True))
    keep(a, 3000)
    keep(b, 3000)
    same(a, b)


def test_a_partial_block_that_is_dropped(tmp_path):
    """A precision rule met at a checkpoint before the partial block leaves no samples of it."""
    path = tmp_path / "a.h5"
    keep(path, 200)
    given = study() | {"stop": {"trials": 1000, "absolute_error": 100.0, "events": 1}}
    fastgc.run(given, out=path, keep="samples")
    assert len(samples(path)[0]) == store.load(path).units[0].tally.trials == 128


def test_a_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "a.h5"
    keep(path, 128)
    [name] = segments(path)
    segment = tmp_path / "a.h5.samples" / name
    with h5py.File(segment) as file:
        offset = file["0/error"].id.get_chunk_info(0).byte_offset
    content = bytearray(segment.read_bytes())
    content[offset + 1001] ^= 4
    segment.write_bytes(content)
    with pytest.raises(OSError):
        samples(path)
    with h5py.File(path) as file:  # the rest is unharmed
        assert file["samples/ring/point0/patterns"][()].shape == (128, 3, 1)


def test_common_random_numbers(tmp_path):
    path = tmp_path / "a.h5"
    frc = TABLE | {"name": "b", "code": {"family": "frc", "n": 5, "d": 5}}
    given = study() | {"common_random_numbers": True}
    given["experiment"] = [TABLE | {"name": "a"}, frc]
    keep(path, 400, given)
    (a, patterns), (b, other) = samples(path, "a"), samples(path, "b")
    assert np.array_equal(patterns, other) and len(a) == 400
    assert np.array_equal(b, np.where(patterns[..., 0] == 0, 5.0, 0.0))
    for trial in (0, 399):
        for name, error in (("a", a), ("b", b)):
            steps = fastgc.replay(given, trial=trial, experiment=name)["iterations"]
            assert error[trial] == pytest.approx([step["error"] for step in steps], abs=1e-13)


def test_sweeps(tmp_path):
    path = tmp_path / "a.h5"
    keep(path, 200, study(sweep={"iterations": [1, 2]}))
    for place, iterations in enumerate((1, 2)):
        error, patterns = samples(path, place=place)
        assert error.shape == (200, iterations) and patterns.shape == (200, iterations, 1)
        with h5py.File(path) as file:
            point = file[f"samples/ring/point{place}"].attrs["point"]
        assert point == f'{{"iterations": {iterations}}}'


def test_a_point_has_the_number_that_it_has_in_the_results(tmp_path):
    """Also where other points were not sampled."""
    path = tmp_path / "a.h5"
    table = {"shuffle": "none", "iterations": 1, "method": "auto", "measure": ["error"]}
    keep(path, 50, study(**table, sweep={"code.n": [5, 30]}))
    with h5py.File(path) as file:
        assert list(file["samples/ring"]) == ["point1"]
        assert file["results/ring/code_n"][1] == file["samples/ring/point1/code_n"][()] == 30


def test_shards(tmp_path):
    keep(tmp_path / "all.h5")
    whole = samples(tmp_path / "all.h5")
    for own in (0, 1):
        path = tmp_path / f"{own}.h5"
        keep(path, shard=(own, 2))
        trials = np.arange(1000)
        mine = trials[trials // 128 % 2 == own]
        for part, complete in zip(samples(path), whole, strict=True):
            assert np.array_equal(part, complete[mine])


def test_refusals(tmp_path):
    path = tmp_path / "a.h5"
    with pytest.raises(FastgcError, match=r'keep: must be "samples" \(got \'all\'\)'):
        fastgc.run(study(), out=path, keep="all")
    fastgc.run(study(), out=path, trials=100)
    with pytest.raises(FastgcError, match="was sampled without raw samples"):
        keep(path, 200)
    keep(tmp_path / "b.h5", 100)
    before = (tmp_path / "b.h5").read_bytes()
    with pytest.raises(FastgcError, match='holds raw samples; go on with keep="samples"'):
        fastgc.run(study(), out=tmp_path / "b.h5", trials=200)
    assert (tmp_path / "b.h5").read_bytes() == before
