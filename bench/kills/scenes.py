"""What is killed: a run, a validation, a merge, each small enough for a thousand of them."""

import contextlib
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fastgc
from fastgc.draws import streams
from fastgc.engine import blocks
from fastgc.results import checkpointer

OUT = "a.h5"
BLOCK = 1024
SHARDS = 3
ALL_THE_TIME = 1e-9  # seconds between checkpoints

STUDY = tomllib.loads(Path(__file__).with_name("study.toml").read_text(encoding="utf-8"))
CLAIMS = ["agc.remark2", "agc.lemma1"]

#: What goes on with all there is, in a folder, until it is complete.
Call = Callable[[Path], object]


@dataclass(frozen=True)
class Scene:
    """Something that writes a file, and may be killed.

    ``call``: does it in a folder, going on with what is there; ``before``: makes what lies in the
    folder before; ``own``: names of what lies there before and stays.
    """

    name: str
    call: Call
    before: Call = lambda folder: None
    own: frozenset[str] = field(default_factory=frozenset)

    def prepare(self, folder: Path, prepared: Path) -> None:
        """Make what lies in a folder before the first run, from a copy where there is one."""
        if not prepared.exists():
            prepared.mkdir()
            with small():
                self.before(prepared)
        shutil.copytree(prepared, folder)

    def tries(self, folder: Path, each: Iterable[Any]) -> Iterator[tuple[Any, Path]]:
        """Yield a folder as it is before the first run, for each; afterwards it goes."""
        for one in each:
            self.prepare(folder / str(one), folder / "before")
            yield one, folder / str(one)
            shutil.rmtree(folder / str(one))


def scenes(blocks_a_unit: int, seconds: float = ALL_THE_TIME) -> dict[str, Scene]:
    """Return all scenes by name: so many blocks, and seconds between checkpoints."""
    trials = blocks_a_unit * BLOCK + 100
    fewer = blocks_a_unit // 3 * BLOCK + 50

    def run(trials: int = trials) -> Call:
        return lambda folder: fastgc.run(
            STUDY,
            out=folder / OUT,
            trials=trials,
            batch=fastgc.runs.Batch(checkpoint_seconds=seconds),
            threads=2,
        )

    def validate(folder: Path) -> object:
        return fastgc.validate(
            CLAIMS,
            out=folder / OUT,
            method="monte-carlo",
            trials=trials,
            threads=2,
            batch=fastgc.runs.Batch(checkpoint_seconds=seconds),
        )

    def shards(folder: Path) -> None:
        for i in range(SHARDS):
            out = folder / "shards" / f"{i}.h5"
            out.parent.mkdir(exist_ok=True)
            fastgc.run(STUDY, out=out, trials=trials, batch=fastgc.runs.Batch(shard=(i, SHARDS)))

    def merge(folder: Path) -> object:
        files = [folder / "shards" / f"{i}.h5" for i in range(SHARDS)]
        return fastgc.runs.merge(files, folder / OUT)

    own = frozenset({"shards"})
    listed = [
        Scene("run", run()),
        Scene("extension", run(), run(fewer)),
        Scene("validate", validate),
        Scene("merge", merge, shards, own),
    ]
    return {scene.name: scene for scene in listed}


@contextlib.contextmanager
def small() -> Iterator[None]:
    """Small blocks, one a task, so that a short run has many."""
    with (
        patch.object(streams, "LARGEST_BLOCK", BLOCK),
        patch.object(blocks, "MOST_BLOCKS", 1),
        patch.object(checkpointer, "FIRST_CHECKPOINT", 0.0),
    ):
        yield
