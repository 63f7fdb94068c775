"""Files of measurements: what happened in each round, and to each worker in it.

They are written as files of results are, as whole sealed images.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.trace_tables import of_equal_work, recording
from fastgc.registry.complaints import one_line
from fastgc.registry.display import NotebookTable, finite
from fastgc.registry.files import USER_BLOCK, unsealed, with_seal
from fastgc.results import sound
from fastgc.results.frames import describe
from fastgc.results.image import replace, writing
from fastgc.results.rows import Row
from fastgc.results.sound import h5py, write_text
from fastgc.results.store import REMEDY
from fastgc.results.stored import ArrayMeaning
from fastgc.statistics.estimates import Estimate

VERSION = 1
_ATTRIBUTE = "fastgc_measurement"

_ROUND, _EACH, _WORKER = ("round",), ("round", "answer"), ("round", "worker")
#: What is kept of the rounds. A worker has one answer, or one for each part of its work; those of
#: worker 0 come first, in order of part.
ARRAYS: Mapping[str, ArrayMeaning] = {
    "measured": ArrayMeaning("when the result of a round was decoded", _ROUND, "seconds"),
    "over": ArrayMeaning("when the rule of the system was met", _ROUND, "seconds"),
    "predicted": ArrayMeaning("the same by the workers' own seconds", _ROUND, "seconds"),
    "gradient_error": ArrayMeaning(
        "squared distance from the full gradient, over the square of it or of the first round's, "
        "whichever is more",
        _ROUND,
    ),
    "decoding_error": ArrayMeaning("of the answers that were used", _ROUND),
    "loss": ArrayMeaning("mean loss after 0, 1, … rounds", ("step",)),
    "began": ArrayMeaning("when each worker was free for its order", _WORKER, "seconds"),
    "own": ArrayMeaning("what each worker itself measured; NaN: not known", _EACH, "seconds"),
    "share": ArrayMeaning("of the work that each worker was given", _WORKER),
    "arrived": ArrayMeaning("when each answer came; infinite: after the round", _EACH, "seconds"),
    "injected": ArrayMeaning("what each piece took at least", _EACH, "seconds"),
    "used": ArrayMeaning("1 where the answer was decoded", _EACH),
    "predicted_used": ArrayMeaning("1 where it was predicted to be", _EACH),
    "theta": ArrayMeaning("parameters after the last round", ("parameter",)),
}


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(NotebookTable):
    """What a scheme did when it was run for real.

    ``study``: the study's text; ``facts``: how it was measured, by whom and when, and the
    comparisons; ``arrays``: those of `ARRAYS`, by name; ``complete``: whether all rounds were run;
    ``path``: the file, where it is kept.
    """

    study: str
    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    complete: bool
    path: Path | None = None

    def __repr__(self) -> str:
        """Return the rounds, and what was found."""
        said = ", ".join(f"{each['comparison']} {each['verdict']}" for each in self.verdicts)
        return f"<Measurement of {len(self.measured)} rounds: {said}>"

    @property
    def measured(self) -> Values:
        """When the result of each round was decoded, seconds, float64 array (rounds,)."""
        return self.arrays["measured"]

    @property
    def predicted(self) -> Values:
        """The same by the workers' own seconds, (rounds,)."""
        return self.arrays["predicted"]

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """The comparisons, each with a verdict and a sentence."""
        return list(self.facts["comparisons"])

    @property
    def workers(self) -> list[str]:
        """The workers' names."""
        return list(self.facts["workers"])

    @property
    def recording(self) -> Values:
        """Each worker's own seconds for a part of its work on average, (rounds, workers).

        NaN where it left off or was lost. Where its share of the work is not that of the first
        round they are what they would be with it, if they were in proportion.
        """
        return of_equal_work(self.arrays["own"], self.arrays["share"])

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """One row a round, as `fastgc show --json` prints it.

        Among its keys are ``predicted`` and ``measured`` seconds, the ``error`` of the gradient,
        ‖ĝ − g‖²/max(‖g‖², ‖g₀‖²) with g₀ that of the first round, and the workers that were
        ``late`` with any of their answers.
        """
        place = self.facts["experiment"], self.facts["point"], "round", "value"
        used, n = self.arrays["used"], len(self.workers)
        rows, late = [], (used.reshape(len(used), n, used.shape[1] // n) == 0).any(axis=2)
        for i, value in enumerate(map(finite, self.measured.tolist())):
            row = Row(*place, i, "measured", Estimate(value, None, None), unit="seconds").as_dict()
            for key, name in (("predicted", "predicted"), ("error", "gradient_error")):
                row[key] = finite(float(self.arrays[name][i]))
            rows.append(row | {"measured": value, "late": np.flatnonzero(late[i]).tolist()})
        return rows

    def save_recording(self, path: str | Path) -> Path:
        """Write the workers' own seconds as `fastgc trace record` does, rounds that all finished.

        Raises FastgcError if there is such a file already, or no round in which all workers
        finished. Raises StorageError if it cannot be written.
        """
        place, text = Path(path), recording(self.workers, self.recording)
        require_new(place)
        with writing(place):
            replace(place, memoryview(text.encode()))
        return place

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: how it was measured, verdicts, and a row a round."""
        return {**self.facts, "rounds": self.rounds}


def require_new(path: Path) -> None:
    """Raise a FastgcError where there is such a file already, or no folder for it."""
    if not path.parent.is_dir():
        raise FastgcError(f"{path}: there is no folder {path.parent}; make it first")
    if path.exists():
        raise FastgcError(f"{path} is there already; name another file or remove it")


def save(path: Path, found: Measurement) -> None:
    """Write a measurement as a whole new image and rename it over ``path``.

    Raises StorageError if it cannot be written; the old file is as it was.
    """
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver="v110", userblock_size=USER_BLOCK) as file:
        file.attrs[_ATTRIBUTE] = VERSION
        file.attrs["complete"] = np.int8(found.complete)
        write_text(file, "study", found.study)
        write_text(file, "facts", json.dumps(found.facts, allow_nan=False))
        group = file.create_group("rounds")
        for name, said in ARRAYS.items():
            dataset = group.create_dataset(name, data=found.arrays[name])
            describe(dataset, said)
    with writing(path):
        replace(path, with_seal(buffer))


def load(path: Path) -> Measurement | None:
    """Read a file of a measurement; None if it is one of fastgc's of another kind, or none.

    Raises FastgcError if it is damaged.
    """
    name = one_line(str(path))
    try:
        image = unsealed(path, REMEDY) if path.is_file() else None
    except OSError as error:
        raise FastgcError(f"{name}: cannot be read ({error.strerror})") from None
    if image is None:
        return None
    with sound.reading(name, REMEDY), h5py.File(io.BytesIO(image), "r") as file:
        if _ATTRIBUTE not in file.attrs:
            return None
        if int(file.attrs[_ATTRIBUTE]) != VERSION:
            raise FastgcError(f"{name}: was measured by another fastgc; measure again")
        group = sound.group(file, "rounds")
        arrays = {
            key: np.asarray(sound.dataset(group, key)[()], group[key].dtype) for key in ARRAYS
        }
        sound.require(
            all(
                array.ndim == len(ARRAYS[key].dimensions)
                and (ARRAYS[key].dimensions[0] != "round" or len(array) == len(arrays["measured"]))
                for key, array in arrays.items()
            )
        )
        return Measurement(
            sound.text(file, "study"),
            dict(json.loads(sound.text(file, "facts"))),
            arrays,
            bool(file.attrs["complete"]),
            path,
        )
