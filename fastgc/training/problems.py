"""The problems: linear, logistic and softmax regression."""

import functools
import json
import threading
from abc import abstractmethod
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pydantic
from pydantic import Field

from fastgc.arrays import Values
from fastgc.draws.streams import normals
from fastgc.errors import FastgcError
from fastgc.registry import Member, register
from fastgc.registry.number_types import Seed
from fastgc.training import scikit
from fastgc.training.data import Data, Kind, scale, select, targets
from fastgc_kernels.decode import jacobi

Count = Annotated[int, Field(ge=1)]
SYNTHETIC, REAL = 'data = "synthetic"', "real data"
#: What some keys go with.
NEEDS = dict.fromkeys(("features", "noise", "classes"), SYNTHETIC) | dict.fromkeys(
    ("labels", "order", "binarize", "standardize"), REAL
)


#: Features are kept as dense float64: 2²⁸ of them are 2 GiB.
LARGEST = 1 << 28
#: Classes that synthetic data may have.
MOST_CLASSES = 1000
#: Above this many multiplications LAPACK is asked, whose last bits depend on its build.
LARGEST_COMPILED = 1 << 30


def shortest(X: Values, y: Values) -> Values:
    """Return the shortest θ (f,) that minimises ‖Xθ − y‖², where gradient descent from 0 ends."""
    samples, features = X.shape
    cut = np.finfo(np.float64).eps * max(samples, features)
    if samples * features * min(samples, features) > LARGEST_COMPILED:
        return np.asarray(np.linalg.lstsq(X, y, rcond=cut)[0])
    S, V, coefficients, _ = jacobi.svd(X, y)
    rank = int(np.count_nonzero(cut * S[0] < S)) if S.size else 0
    if not rank:
        return np.zeros(features)
    return jacobi.combine(coefficients[:rank], V[:rank] / S[:rank, np.newaxis])


#: Data of problems by identity, those used last at the end: points of a study share them.
_loaded: dict[str, Data] = {}
_MOST_LOADED = 4
_LOCK = threading.Lock()


class Problem(Member):
    """A model, whose loss is the mean over samples, and the data that it learns from.

    These are made, or a set that comes with scikit-learn (the extra ``data``).

    * ``data`` ({"synthetic", "diabetes", "iris", "digits", "breast-cancer"}): What is learnt from:
      data made from a true model (the default), or a set that comes with scikit-learn.
    * ``samples`` (int, optional): Samples N: how many to make, or of real data the first so many;
      all by default.
    * ``features`` (int, optional): Of synthetic data.
    * ``noise`` (float, optional): Standard deviation of the noise in synthetic data; 1 by default.
    * ``seed`` (int): Of synthetic data, and of a random order; 1 by default.
    * ``labels`` (tuple of int, optional): Learn only from samples with these targets, which
      number the classes in this order.
    * ``order`` ({"given", "random"}): Of the samples of real data, before the first ``samples`` are
      taken. Partitions are runs of consecutive samples: data sorted by class give partitions of one
      class each.
    * ``binarize`` ("median" or float, optional): Targets above this become +1, the others −1; for
      linear and logistic regression.
    * ``standardize`` (bool or "range"): Of real data: scale every feature to mean 0 and variance 1
      (true, the default for real data), or divide all by the largest absolute one ("range"; pixels
      come to [0, 1] and unused ones stay 0). Targets stay as they are.
    * ``intercept`` (bool, optional): Whether features get a last column of ones: by default for
      real data, not for synthetic ones.
    """

    ROOM: ClassVar[str | None] = "problem"
    #: What the model's targets are.
    TARGETS: ClassVar[Kind]

    model: str
    data: Literal["synthetic", "diabetes", "iris", "digits", "breast-cancer"] = "synthetic"
    samples: Count | None = None
    features: Count | None = None
    noise: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None
    seed: Seed = 1
    labels: Annotated[tuple[int, ...] | None, Field(min_length=2)] = None
    order: Literal["given", "random"] = "given"
    binarize: Annotated[float, Field(allow_inf_nan=False)] | Literal["median"] | None = None
    standardize: bool | Literal["range"] | None = None
    intercept: bool | None = None

    @pydantic.model_validator(mode="after")
    def _sound(self, info: pydantic.ValidationInfo) -> "Problem":
        for is_wrong, key, sentence in self._complaints():
            if is_wrong:
                raise FastgcError(sentence, key)
        # Results that were made where scikit-learn is can be looked at everywhere.
        carried = (info.context or {}).get("files", {})
        if self.data != "synthetic" and _carried_name(self.data) not in carried:
            scikit.require(self.data)
        return self

    def _complaints(self) -> Iterator[tuple[object, str | None, str]]:
        # whether something is wrong, the key that it is said of, and what is said
        data, labels, is_made = self.data, self.labels or (), self.data == "synthetic"
        for key in ("samples", "features"):
            is_missing = is_made and getattr(self, key) is None
            yield is_missing, key, "must be given for synthetic data (got nothing)"
        for key, needs in NEEDS.items():
            given = getattr(self, key, None) not in (None, False, "given")
            said = f'goes with {needs} only (got it with data = "{data}")'
            yield given and (needs == SYNTHETIC) != is_made, key, said
        said = "goes with linear and logistic only, whose targets it makes −1 and +1"
        is_of_classes = self.TARGETS == "class"
        yield (
            is_of_classes and self.binarize is not None,
            "binarize",
            f"{said}; choose classes by labels",
        )
        twice = f"must name each label once (got {list(labels)})"
        yield len(set(labels)) < len(labels), "labels", twice
        if is_made:
            numbers = (self.samples or 0) * (self.features or 0)
            said = f"samples × features must be at most {LARGEST} (got {numbers})"
            yield numbers > LARGEST, None, said
            return
        facts = scikit.SETS[data]
        said = f"{data} has {facts.samples} samples (got {self.samples})"
        yield (self.samples or 0) > facts.samples, "samples", said
        said = f"{data} has no classes to choose; binarize makes two (got {list(labels)})"
        yield labels and not facts.classes, "labels", said
        wrong = [each for each in labels if each not in range(facts.classes)]
        said = f"{data} has the classes 0 to {facts.classes - 1} (got {wrong[:1]})"
        yield wrong, "labels", said
        classes = len(labels) or facts.classes
        said = (
            f"logistic regression needs two classes ({data} has {classes}); choose two by labels, "
            "or say by binarize above what targets count as +1"
        )
        yield self.TARGETS == "sign" and classes != 2 and self._threshold() is None, None, said
        said = f"{data} has no classes for {self.model}; take linear or logistic"
        yield is_of_classes and not classes, None, said

    @abstractmethod
    def parameters(self, data: Data) -> int:
        """Return the number p of parameters that the model has for these data."""

    def start(self, data: Data) -> Values:
        """Return the parameters (p,) that descent starts from."""
        return np.zeros(self.parameters(data))

    @property
    def available(self) -> bool:
        """Whether the data can be loaded here; results can be looked at without them."""
        return self.data == "synthetic" or scikit.installed()

    def load(self) -> Data:
        """Return the data, read or made once and shared by all equal problems.

        It is refused where scikit-learn is missing.
        """
        key = json.dumps(self.settings(), sort_keys=True)
        with _LOCK:
            data = _loaded.pop(key, None) or self._prepared()
            _loaded[key] = data
            while len(_loaded) > _MOST_LOADED:
                del _loaded[next(iter(_loaded))]
        return data

    def files(self) -> dict[str, Any]:
        if self.data == "synthetic":
            return {}
        facts = scikit.SETS[self.data]
        return {_carried_name(self.data): {"samples": facts.samples, "features": facts.features}}

    # --- the data ---------------------------------------------------------------------------------

    def _threshold(self) -> float | str | None:
        # diabetes is cut at its median for logistic regression
        if self.binarize is None and self.data == "diabetes" and self.TARGETS == "sign":
            return "median"
        return self.binarize

    def _has_intercept(self) -> bool:
        return self.data != "synthetic" if self.intercept is None else self.intercept

    def _prepared(self) -> Data:
        if self.data == "synthetic":
            return self._synthetic()
        raw = scikit.read(self.data)
        rows, y = select(raw, self.labels, self.samples, self.order, self.seed)
        y, classes = targets(raw.name, y, self.TARGETS, self._threshold())
        X = scale(raw.X[rows], True if self.standardize is None else self.standardize)
        if self._has_intercept():
            X = np.hstack([X, np.ones((len(X), 1))])
        best = functools.partial(shortest, X, y) if self.TARGETS == "number" else None
        return Data(X, y, classes, best)

    @abstractmethod
    def _synthetic(self) -> Data:
        """Make the data from a true model."""

    def _scores(self, models: int) -> tuple[Values, Values, Values]:
        # features (N, f), true models (m, f), and noisy scores (N, m): (10) of ``codedreduce``
        samples, features, seed = self.samples or 0, self.features or 0, self.seed
        X = normals(seed, "synthetic/features", samples * features).reshape(samples, features)
        if self._has_intercept():
            X = np.hstack([X, np.ones((samples, 1))])
        width = X.shape[1]
        truth = normals(seed, "synthetic/model", models * width).reshape(models, width)
        noise = normals(seed, "synthetic/noise", samples * models).reshape(samples, models)
        found = (1.0 if self.noise is None else self.noise) * noise
        for j in range(width):  # not a product of matrices: BLAS builds round differently
            found += X[:, j, np.newaxis] * truth[:, j]
        return X, truth, found


def _carried_name(data: str) -> str:
    return f"scikit-learn/{data}"


@register("problem")
class Linear(Problem):
    """Loss ½(xᵀθ − y)²; θ (f,) starts at 0.

    Synthetic data are (10) of paper ``codedreduce``: features, true model and noise are standard
    normal, y = xᵀθ* + noise · z. Distances are measured from θ*; with other data from the shortest
    least-squares solution. The parameters are those of `Problem`.

    >>> data = Linear(samples=100, features=3, noise=0.0).load()
    >>> bool(abs(data.X @ data.best - data.y).max() < 1e-12)
    True
    """

    TARGETS: ClassVar[Kind] = "number"
    model: Literal["linear"] = "linear"

    def parameters(self, data: Data) -> int:
        return data.features

    def _synthetic(self) -> Data:
        X, models, scores = self._scores(1)
        return Data(X, scores[:, 0], best=models[0])


@register("problem")
class Logistic(Problem):
    """Loss log(1 + exp(−y xᵀθ)) with y = ±1; θ (f,) starts at 0.

    Of targets with two values the larger one is +1; of two ``labels`` the second; diabetes is cut
    at its median. Synthetic targets are the sign of xᵀθ* + noise · z, features, true model and z
    standard normal. The parameters are those of `Problem`.

    >>> sorted(set(Logistic(samples=100, features=3).load().y.tolist()))
    [-1.0, 1.0]
    """

    TARGETS: ClassVar[Kind] = "sign"
    model: Literal["logistic"] = "logistic"

    def parameters(self, data: Data) -> int:
        return data.features

    def _synthetic(self) -> Data:
        X, _, scores = self._scores(1)
        return Data(X, np.where(scores[:, 0] > 0.0, 1.0, -1.0))


@register("problem")
class Softmax(Problem):
    """Cross-entropy of the scores Θx; Θ (C, f), its rows one after the other, starts at 0.

    Each class of synthetic data is a true model, and the class of a sample is the one that scores
    highest, noise · z added to every score. The parameters are those of `Problem`, and:

    * ``classes`` (int, optional): Classes of synthetic data; 3 by default.

    >>> problem = Softmax(samples=100, features=5, classes=4)
    >>> problem.start(problem.load()).size
    20
    """

    TARGETS: ClassVar[Kind] = "class"
    model: Literal["softmax"] = "softmax"
    classes: Annotated[int | None, Field(ge=2, le=MOST_CLASSES)] = None

    def parameters(self, data: Data) -> int:
        """Return f·C: features times classes."""
        return data.features * data.classes

    def _synthetic(self) -> Data:
        classes = 3 if self.classes is None else self.classes
        X, _, scores = self._scores(classes)
        return Data(X, np.argmax(scores, axis=1), classes)
