"""The data sets that come with scikit-learn."""

import functools
import importlib
import importlib.util
from typing import Literal, NamedTuple

import numpy as np

from fastgc.errors import FastgcError
from fastgc.training.data import RawData

Name = Literal["diabetes", "iris", "digits", "breast-cancer"]


class Facts(NamedTuple):
    """What is known of a set before it is read; ``classes`` is 0 where targets are any numbers."""

    samples: int
    features: int
    classes: int


SETS: dict[str, Facts] = {
    "diabetes": Facts(442, 10, 0),
    "iris": Facts(150, 4, 3),
    "digits": Facts(1797, 64, 10),
    "breast-cancer": Facts(569, 30, 2),
}


def installed() -> bool:
    """Whether scikit-learn, which brings the sets, is here."""
    return importlib.util.find_spec("sklearn") is not None


def require(name: str) -> None:
    """Refuse a set where scikit-learn, which brings it, is not installed."""
    if not installed():
        raise FastgcError(
            f"{name} comes with scikit-learn, which is not installed; install the extra "
            "data: pip install 'fastgc-sim[data]'",
            "data",
        )


@functools.cache
def read(name: str) -> RawData:
    """Return a set as scikit-learn has it, which must be installed."""
    require(name)
    datasets = importlib.import_module("sklearn.datasets")  # 1 s that few problems need
    found = getattr(datasets, f"load_{name.replace('-', '_')}")()
    return RawData(name, np.asarray(found.data, np.float64), np.asarray(found.target, np.float64))
