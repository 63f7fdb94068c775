"""The keys that say what a model learns from, and which of them go together."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import pydantic
from pydantic import Field

from fastgc.registry import Member
from fastgc.registry.complaints import show
from fastgc.registry.numbers import Seed
from fastgc.training.data import scikit
from fastgc.training.data.preparing import Kind

Count = Annotated[int, Field(ge=1)]
SYNTHETIC, FILE, REAL = 'data = "synthetic"', 'data = "file"', "real data"
#: What some keys go with.
NEEDS = (
    dict.fromkeys(("features", "noise"), SYNTHETIC)
    | dict.fromkeys(("file", "target", "columns", "x", "y"), FILE)
    | dict.fromkeys(("labels", "order", "binarize", "standardize"), REAL)
)


class DataKeys(Member):
    """What a problem's data are.

    Parameters
    ----------
    data : {"synthetic", "diabetes", "iris", "digits", "breast-cancer", "file"}
        What is learnt from: data made from a true model (the default), a set that comes with
        scikit-learn, or the user's own file.
    samples : int, optional
        Samples N: how many to make, or of real data the first so many; all by default.
    features : int, optional
        Of synthetic data.
    noise : float, optional
        Standard deviation of the noise in synthetic data; 1 by default.
    seed : int
        Of synthetic data, of a random order, and of where a network starts; 1 by default.
    file : str, optional
        A csv or npz file.
    target, columns : str and tuple of str, optional
        The column of a csv that is to be learnt, and those that hold features: all others by
        default.
    x, y : str, optional
        The arrays of an npz that hold features and targets. Without them the usual names are
        tried: X, x, images, data, features; y, Y, labels, target, targets.
    labels : tuple of int or str, optional
        Learn only from samples with these targets, which number the classes in this order.
    order : {"given", "random"}
        Of the samples of real data, before the first ``samples`` are taken. Partitions are runs of
        consecutive samples: data sorted by class give partitions of one class each.
    binarize : "median" or float, optional
        Targets above this become +1, the others −1; for linear and logistic regression.
    standardize : bool or "range"
        Of real data: scale every feature to mean 0 and variance 1 (true, the default for real
        data), or divide all by the largest absolute one ("range"; pixels come to [0, 1] and
        unused ones stay 0). Targets stay as they are.
    intercept : bool, optional
        Whether features get a last column of ones: by default for real data, not for synthetic
        ones, and not for a network, which has its own.
    """

    #: What the model's targets are.
    TARGETS: ClassVar[Kind]

    model: str
    data: Literal["synthetic", "diabetes", "iris", "digits", "breast-cancer", "file"] = "synthetic"
    samples: Count | None = Field(None, validate_default=True)
    features: Count | None = Field(None, validate_default=True)
    noise: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None
    seed: Seed = 1
    file: str | None = Field(None, validate_default=True)
    target: str | None = None
    columns: Annotated[tuple[str, ...] | None, Field(min_length=1)] = None
    x: str | None = None
    y: str | None = None
    labels: Annotated[tuple[int | str, ...] | None, Field(min_length=2)] = None
    order: Literal["given", "random"] = "given"
    binarize: Annotated[float, Field(allow_inf_nan=False)] | Literal["median"] | None = None
    standardize: bool | Literal["range"] | None = None
    intercept: bool | None = None

    @pydantic.field_validator("samples", "features", "file")
    @classmethod
    def _needed(cls, value: Any, info: pydantic.ValidationInfo) -> Any:
        data = info.data.get("data")
        if value is None and data == "synthetic" and info.field_name != "file":
            raise ValueError("must be given for synthetic data (got nothing)")
        if not value and data == "file" and info.field_name == "file":
            raise ValueError('must name a csv or npz file for data = "file" (got nothing)')
        return value

    @pydantic.field_validator(*NEEDS)
    @classmethod
    def _goes_with(cls, value: Any, info: pydantic.ValidationInfo) -> Any:
        data = info.data.get("data")
        needs = NEEDS[info.field_name or ""]
        fits = {SYNTHETIC: data == "synthetic", FILE: data == "file"}.get(
            needs, data != "synthetic"
        )
        if data is not None and value not in (None, False, "given") and not fits:
            raise ValueError(only_with(needs, info))
        return value

    @pydantic.field_validator("columns")
    @classmethod
    def _once(cls, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if columns is not None and len(set(columns)) < len(columns):
            raise ValueError(f"must name each column once (got {list(columns)})")
        return columns

    @pydantic.field_validator("samples")
    @classmethod
    def _enough(cls, samples: int | None, info: pydantic.ValidationInfo) -> int | None:
        facts = scikit.SETS.get(info.data.get("data", ""))
        if samples is not None and facts is not None and samples > facts.samples:
            raise ValueError(f"{info.data['data']} has {facts.samples} samples (got {samples})")
        return samples

    @pydantic.field_validator("labels")
    @classmethod
    def _known_labels(
        cls, labels: tuple[int | str, ...] | None, info: pydantic.ValidationInfo
    ) -> tuple[int | str, ...] | None:
        if labels is None:
            return None
        if len(set(labels)) < len(labels):
            raise ValueError(f"must name each label once (got {list(labels)})")
        facts = scikit.SETS.get(info.data.get("data", ""))
        if facts is not None and not facts.classes:
            raise ValueError(f"{info.data['data']} has no classes to choose; binarize makes two")
        wrong = [each for each in labels if facts and each not in range(facts.classes)]
        if facts is not None and wrong:
            raise ValueError(
                f"{info.data['data']} has the classes 0 to {facts.classes - 1} "
                f"(got {show(wrong[0])})"
            )
        return labels

    @pydantic.field_validator("binarize")
    @classmethod
    def _two(cls, binarize: float | str | None) -> float | str | None:
        if binarize is not None and cls.TARGETS == "class":
            raise ValueError(
                "goes with linear and logistic only, whose targets it makes −1 and +1; "
                "choose classes by labels"
            )
        return binarize


def only_with(needs: str, info: pydantic.ValidationInfo) -> str:
    """Say that a key goes with other data."""
    return f'goes with {needs} only (got it with data = "{info.data["data"]}")'
