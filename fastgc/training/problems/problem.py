"""What all problems share: their data, and the parameters that descent starts from."""

from __future__ import annotations

import functools
import json
import threading
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.training.data import files, npz_files, preparing, scikit, synthetic
from fastgc.training.data.data import Data, Values
from fastgc.training.data.raw import Raw
from fastgc.training.problems.best import shortest
from fastgc.training.problems.keys import FILE, NEEDS, DataKeys

#: Data of problems by identity, those used last at the end: points of a study share them.
_loaded: dict[str, Data] = {}
_MOST_LOADED = 4
_LOCK = threading.Lock()


class Problem(DataKeys):
    """A model and the data that it learns from, which `DataKeys` are the parameters of.

    The loss is the mean over samples. The data are ``"synthetic"``, a set that comes with
    scikit-learn (the extra ``data``), or ``"file"``, the user's own.
    """

    ROOM: ClassVar[str | None] = "problem"

    _found: files.Found | None = pydantic.PrivateAttr(default=None)

    @pydantic.model_validator(mode="after")
    def _sound(self, info: pydantic.ValidationInfo) -> Problem:
        context = info.context or {}
        if self.data == "synthetic":
            numbers = (self.samples or 0) * (self.features or 0)
            if numbers > npz_files.LARGEST:
                raise FastgcError(
                    f"samples × features must be at most {npz_files.LARGEST} (got {numbers})"
                )
        elif self.data == "file":
            layout = files.Layout(self.target, self.columns, self.x, self.y)
            self._found = files.find(self.file or "", layout, context)
            if self._found.raw is not None:
                self._targets(self._found.raw)
        else:
            self._fits_set()
            # Results that were made where scikit-learn is can be looked at everywhere.
            if _carried_name(self.data) not in context.get("files", {}):
                scikit.require(self.data)
        return self

    @abstractmethod
    def parameters(self, data: Data) -> int:
        """Return the number p of parameters that the model has for these data."""

    def hidden_units(self) -> int:
        """Return the number of units in the model's hidden layer, 0 where it has none."""
        return 0

    def start(self, data: Data) -> Values:
        """Return the parameters (p,) that descent starts from."""
        return np.zeros(self.parameters(data))

    @property
    def available(self) -> bool:
        """Whether the data can be loaded here; results can be looked at without them."""
        if self._found is not None:
            return self._found.raw is not None
        return self.data == "synthetic" or scikit.installed()

    def load(self) -> Data:
        """Return the data, read or made once and shared by all equal problems.

        Raises
        ------
        FastgcError
            If scikit-learn is needed and missing, or the file is not what it was when the study
            was made.

        Examples
        --------
        >>> from fastgc.training.problems import Linear
        >>> Linear(samples=6, features=2).load().X.shape
        (6, 2)
        """
        key = json.dumps(self.identity(), sort_keys=True)
        with _LOCK:
            data = _loaded.pop(key, None) or self._prepared()
            _loaded[key] = data
            while len(_loaded) > _MOST_LOADED:
                del _loaded[next(iter(_loaded))]
        return data

    def identity(self) -> dict[str, Any]:
        """Return what changes the data; a file counts by its content."""
        found = self.settings()
        if self._found is not None:
            found = {key: value for key, value in found.items() if NEEDS.get(key) != FILE}
            found |= {"content": self._found.identity}
        return found

    def files(self) -> dict[str, Any]:
        """Return what results carry: a small file, and of other data what they were."""
        if self._found is not None:
            return self._found.carried(self.file or "")
        if self.data == "synthetic":
            return {}
        facts = scikit.SETS[self.data]
        return {_carried_name(self.data): {"samples": facts.samples, "features": facts.features}}

    # --- the data ---------------------------------------------------------------------------------

    def _fits_set(self) -> None:
        """Refuse what a set's facts say already that it is not fit for."""
        facts = scikit.SETS[self.data]
        classes = facts.classes if self.labels is None else len(self.labels)
        if self.TARGETS == "sign" and classes != 2 and self._threshold() is None:
            raise FastgcError(
                f"logistic regression needs two classes ({self.data} has {classes}); choose two by "
                "labels, or say by binarize above what targets count as +1"
            )
        if self.TARGETS == "class" and not classes:
            raise FastgcError(
                f"{self.data} has no classes for {self.model}; take linear or logistic"
            )

    def _threshold(self) -> float | str | None:
        """What ``binarize`` comes to: diabetes is cut at its median for logistic regression."""
        if self.binarize is None and self.data == "diabetes" and self.TARGETS == "sign":
            return "median"
        return self.binarize

    def _has_intercept(self) -> bool:
        return self.data != "synthetic" if self.intercept is None else self.intercept

    def _targets(self, raw: Raw) -> tuple[NDArray[np.intp], Values, int]:
        rows, y = preparing.select(raw, self.labels, self.samples, self.order, self.seed)
        return rows, *preparing.targets(raw.name, y, self.TARGETS, self._threshold())

    def _prepared(self) -> Data:
        if self.data == "synthetic":
            return self._synthetic()
        raw = self._raw()
        rows, y, classes = self._targets(raw)
        standardize = True if self.standardize is None else self.standardize
        X = preparing.scale(raw.X[rows], standardize)
        if self._has_intercept():
            X = preparing.with_intercept(X)
        best = functools.partial(shortest, X, y) if self.TARGETS == "number" else None
        return Data(X, y, classes, best)

    def _raw(self) -> Raw:
        if self.data != "file":
            return scikit.read(self.data)
        if self._found is None or self._found.raw is None:
            raise FastgcError(
                f"{self.file}: is missing or has changed since the study was made, and was too "
                "large to be carried in results; put it back where it was"
            )
        return self._found.raw

    @abstractmethod
    def _synthetic(self) -> Data:
        """Make the data from a true model."""

    def _scores(self, models: int) -> synthetic.Scores:
        return synthetic.scores(
            self.samples or 0,
            self.features or 0,
            1.0 if self.noise is None else self.noise,
            self.seed,
            models=models,
            intercept=self._has_intercept(),
        )


def _carried_name(data: str) -> str:
    return f"scikit-learn/{data}"
