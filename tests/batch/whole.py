"""Whole packaged studies on an executor; as a program, so that ranks of MPI may run it."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

import fastgc
from fastgc.study.packaged import packaged
from fastgc.study.study import Study

#: Two blocks where a trial is short; training takes long.
TRIALS, TRAINED = 70_000, 100


def several() -> list[str]:
    """Names of the packaged studies that have several experiments."""
    return [name for name in packaged() if len(Study.parse(name).experiment) > 1]


def rows(executor: object, names: Iterable[str], folder: Path) -> dict[str, str]:
    """What a run of each study says, with few trials and all that is shown."""
    folder.mkdir(exist_ok=True)
    said = {}
    with patch("fastgc.runs.loop.PROGRESS_SECONDS", 0.0):
        for name in names:
            tables = Study.parse(name).experiment
            seen: list[object] = []
            told: list[dict[str, object]] = []
            result = fastgc.run(
                name,
                trials=TRAINED if any(each["kind"] == "training" for each in tables) else TRIALS,
                threads=2,
                batch=fastgc.Batch(executor=executor, progress=seen.append, found=told.extend),
                out=folder / f"{name.replace('/', '-')}.h5",
            )
            assert result.complete and len(seen) > 2 and told == result.rows()
            said[name] = json.dumps(told)
    return said


if __name__ == "__main__":
    place = Path(sys.argv[2])
    place.write_text(json.dumps(rows(sys.argv[1], several(), place.parent)))
