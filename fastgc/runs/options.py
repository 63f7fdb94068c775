"""Options of a run, which a dry run takes as well."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fastgc.errors import FastgcError
from fastgc.study.study import Study

#: What may be measured.
Given = Study | Mapping[str, Any] | str | Path


@dataclass(frozen=True)
class Options:
    """What is asked of a run beside its study; the same words as of `fastgc.run`."""

    out: Path | None = None
    trials: int | None = None
    seed: int | None = None
    method: str | None = None
    overrides: Sequence[str] = ()
    threads: int | None = None
    executor: str | Executor | None = None
    max_seconds: float | None = None
    shard: tuple[int, int] = (0, 1)
    checkpoint_seconds: float | None = None

    @classmethod
    def among(cls, given: Mapping[str, Any]) -> Self:
        """Return the options among the arguments of a function; None leaves a default."""
        own = {key: given.get(key) for key in cls.__dataclass_fields__}
        if own["out"] is not None:
            own["out"] = Path(own["out"])
        return cls(**{key: value for key, value in own.items() if value is not None})

    def study(self, given: Given) -> Study:
        """Return the study with what these options change in it."""
        return Study.parse(
            given, overrides=self.overrides, trials=self.trials, seed=self.seed, method=self.method
        )

    def check(self) -> None:
        """Raise FastgcError for what names no shard."""
        own, shards = self.shard
        if not 0 <= own < shards:
            raise FastgcError(f"shard: must be i/N with 0 ≤ i < N (got {own}/{shards})")
