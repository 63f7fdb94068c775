"""Which file a run goes on from where several are there."""

import pytest

import fastgc
from fastgc.results import store
from fastgc.results.checkpointer import Checkpointer
from suite.studies import ring
from suite.waiting import after

STUDY = {"seed": 3, "experiment": [ring(6)]}
BLOCK = 128


pytestmark = pytest.mark.usefixtures("small_blocks")


def trials_in(path):
    [unit] = store.load(path).units
    return unit.trials


@pytest.mark.night
def test_an_interrupted_extension_is_continued_not_begun_again(tmp_path):
    path, partial = tmp_path / "a.h5", tmp_path / "a.h5.part"
    wanted = 2000 * BLOCK
    fastgc.run(STUDY, out=path, trials=2 * BLOCK)
    sizes = []
    for _ in range(3):
        early = fastgc.run(
            STUDY, out=path, trials=wanted, threads=1, batch=fastgc.Batch(interrupted=after(3))
        )
        assert early.path == partial
        sizes.append(trials_in(partial))
    assert trials_in(path) == 2 * BLOCK, "the complete file stays as it is"
    assert 2 * BLOCK < sizes[0] < sizes[1] < sizes[2] < wanted
    # one that stops before it samples anything loses nothing of what there was
    fastgc.run(
        STUDY, out=path, trials=wanted, threads=1, batch=fastgc.Batch(interrupted=lambda: "SIGTERM")
    )
    assert trials_in(partial) >= sizes[-1]
    result = fastgc.run(STUDY, out=path, trials=wanted)
    assert not partial.exists() and trials_in(path) == wanted
    assert result.rows() == fastgc.run(STUDY, trials=wanted).rows()


@pytest.mark.parametrize(("more", "goes_on"), [(64, "part"), (0, "whole"), (-64, "whole")])
def test_a_partial_block_more_decides_which_file_goes_on(more, goes_on, tmp_path):
    path, other = tmp_path / "a.h5", tmp_path / "other.h5"
    partial = tmp_path / "a.h5.part"
    fastgc.run(STUDY, out=path, trials=2 * BLOCK + 32)
    fastgc.run(STUDY, out=other, trials=2 * BLOCK + 32 + more)
    image = store.load(other)
    image.complete = False
    store.save(partial, image)
    keeper = Checkpointer(path, image.study, image.identity)
    assert keeper.holder == (partial if goes_on == "part" else path)
    assert [unit.trials for unit in keeper.units.values()] == [2 * BLOCK + 32 + max(more, 0)]
    assert path.exists() and partial.exists() == (goes_on == "part")
