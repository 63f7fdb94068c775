"""Which file a run goes on from where several are there."""

import pytest

import fastgc
from fastgc.results import store
from fastgc.results.checkpointer import Checkpointer
from suite.studies import ring

STUDY = {"seed": 3, "experiment": [ring(6)]}
BLOCK = 128


pytestmark = pytest.mark.usefixtures("small_blocks")


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
