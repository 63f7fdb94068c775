"""What tests ask of files: their names, and what decides whether two of results are the same."""

from pathlib import Path
from typing import Any

from fastgc.results.stored import StoredUnit
from fastgc.statistics.tallies import Tally


def names(folder: Path) -> list[str]:
    """Names of all that lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def bits(tally: Tally | None) -> Any:
    """All that a tally holds."""
    return tally and (tally.trials, tally.sums.limbs().tobytes(), tally.histograms)


def state(unit: StoredUnit) -> tuple[Any, ...]:
    """Everything of a unit that must not depend on how it came about."""
    digests = unit.digests.tolist()
    return unit.key, unit.block, unit.done, digests, bits(unit.tally), bits(unit.partial)
