"""Several measurements of one cluster made one: rounds one after the other, judged anew."""

import tomllib
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.errors import FastgcError
from fastgc.measuring import plans
from fastgc.measuring.judging import judged
from fastgc.registry.complaints import one_line
from fastgc.results import lock, measurements
from fastgc.results.checkpointer import provenance
from fastgc.results.measurements import ARRAYS, Measurement, by_parts
from fastgc.study.measure import Measured, MeasureTable, parse
from fastgc.study.study import Study

#: Arrays that are not rows of rounds: those of the last measurement stand for all.
_LAST = ("moments", "theta")


def merge(files: Sequence[str | Path], out: str | Path) -> Measurement:
    """Merge measurements of one study by the same workers, in the order of ``files``.

    Each one's rounds and provenance are kept under ``parts``. Injected times must differ: each is
    measured with another seed. Every part begins with the study's parameters.

    Raises FastgcError if a file is no whole measurement of a study, or does not go together with
    the first; or there is such an ``out`` already. Raises StorageError if it cannot be written.
    """
    found = [_whole(Path(each)) for each in files]
    same = [_same(each) for each in found]
    for i, each in enumerate(found):
        differ = [key for key in same[0] | same[i] if same[0].get(key) != same[i].get(key)]
        if differ:
            said = f"differs from {_name(found[0])} in its {differ[0]}, so that it does not fit"
            raise FastgcError(f"{_name(each)}: {said}")
        for before in found[:i]:
            _require_other(before, each)
    path, first = Path(out), found[0]
    measurements.require_new(path)
    arrays = {key: np.concatenate([each.arrays[key] for each in found]) for key in ARRAYS}
    arrays |= {key: found[-1].arrays[key] for key in _LAST}
    parts = [part for each in found for part in _parts(each)]
    begins = np.cumsum([0, *(len(each.measured) for each in found)]).tolist()
    lost = [
        [number + begin, *rest]
        for begin, each in zip(begins, found, strict=False)
        for number, *rest in each.facts["lost"]
    ]
    how = {"measure": first.facts["measure"] | {"rounds": begins[-1]}, "provenance": provenance()}
    facts = first.facts | how | {"parts": parts, "lost": lost}
    facts |= judged(plans.of_study(_asked(first)), arrays, [part["rounds"] for part in parts])
    merged = Measurement(first.study, facts, arrays, all(each.complete for each in found), path)
    with lock.writing(path):
        measurements.save(path, merged)
    return merged


def _whole(path: Path) -> Measurement:
    found = measurements.load(path)
    if found is None:
        raise FastgcError(f"{path}: is no measurement; merge what `fastgc measure -o` wrote")
    if found.facts["ended"] in (None, "asked"):
        raise FastgcError(f"{_name(found)}: is not complete; the same command goes on")
    if not found.study:
        said = "is of a gradient function, and no study says what was predicted of it"
        raise FastgcError(f"{_name(found)}: {said}")
    return found


def _asked(found: Measurement) -> Measured:
    """Return the point of its study that a measurement ran."""
    facts, study = found.facts, Study.parse(tomllib.loads(found.study))
    own = [(point.experiment, point.sweep) for point in study.points()]
    place = own.index((facts["experiment"], facts["point"])) + 1
    how = MeasureTable().model_dump() | facts["measure"]  # without keys that are as by default
    changes = ("rounds", "inject", "between_rounds")
    return parse(study, place, **{key: how[key] for key in changes})


def _same(found: Measurement) -> dict[str, Any]:
    """Return what must be the same in measurements that are merged, by what it is."""
    asked = _asked(found)
    own = {key: found.facts[key] for key in ("carrier", "workers", "system", "work")}
    own["experiment"] = asked.study.canonical(asked.point)
    return own | {key: value for key, value in found.facts["measure"].items() if key != "rounds"}


def _require_other(before: Measurement, other: Measurement) -> None:
    """Refuse rounds that are there already, or whose workers were injected the same times."""
    for key in ("measured", "injected"):
        parts = [by_parts(each.arrays[key], each.sizes) for each in (before, other)]
        for own, theirs in product(*parts):
            many = min(len(own), len(theirs))
            if np.isfinite(own[:many]).any() and np.array_equal(own[:many], theirs[:many], True):
                said = f"has the {key} times of {_name(before)}; name each measurement once, and"
                raise FastgcError(f"{_name(other)}: {said} measure each with another --seed")


def _parts(found: Measurement) -> list[dict[str, Any]]:
    """Return how many rounds a measurement has, and where they are from."""
    own = {key: found.facts[key] for key in ("ended", "why", "provenance")}
    file = "" if found.path is None else found.path.name
    return list(found.facts.get("parts", [own | {"file": file, "rounds": len(found.measured)}]))


def _name(found: Measurement) -> str:
    return one_line(str(found.path))
