"""Laws as a study gives them: one table for all workers, or a list with one each."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from fastgc import registry
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import NOT_RECORDED, Law, Scaling


def laws() -> Any:
    """Return the type of such a key: a tuple of the laws now registered, given as one or more."""
    law: Any = registry.union("latency")
    each = tuple[law, ...]

    def listed(latency: Any) -> Any:
        laws = _frozen(latency)
        return laws if isinstance(laws, tuple) else (laws,)

    given = BeforeValidator(listed, json_schema_input_type=law | each)
    return Annotated[each, Field(min_length=1), given]


def _frozen(data: Any) -> Any:
    """Data with tuples for lists: what a validator returns is no JSON, whose lists would do."""
    if isinstance(data, dict):
        return {key: _frozen(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return tuple(_frozen(value) for value in data)
    return data


def complaints(laws: Sequence[Any], n: int) -> list[tuple[str, str]]:
    """Return (key, sentence) for whatever in a list of laws does not fit n workers."""
    if len(laws) not in (1, n):
        sentence = f"must be one law or a list of one per worker (got {len(laws)} for n={n})"
        return [("latency", sentence)]
    return [
        ("latency", f"{which(laws, i)}{field}: {sentence}")
        for i, law in enumerate(laws)
        for field, sentence in law.complaints(n)
    ]


def scaling_complaints(laws: Sequence[Any], scaling: Scaling) -> list[tuple[str, str]]:
    """Return (key, sentence) where a scaling and what recorded laws say of loads do not fit."""
    for i, law in enumerate(laws):
        parts = recorded(law)
        knowing = [part for part in parts if part.slope is not None]
        if knowing and scaling != "recorded":
            sentence = (
                f"{which(laws, i)}recorded_load: says nothing with scaling = {scaling!r}; give "
                'scaling = "recorded", or drop it'
            )
            return [("latency", sentence)]
        if scaling == "recorded" and not 0 < len(knowing) == len(parts):
            return [("scaling", NOT_RECORDED.format(f"{which(laws, i)}{law.distribution}"))]
    return []


def which(laws: Sequence[Any], i: int) -> str:
    """Say which law of several is meant."""
    return f"law {i}: " if len(laws) > 1 else ""


def of_workers(laws: Sequence[Law], n: int) -> list[Law]:
    """Return one law where all n workers have the same, else one for each."""
    own = [law for law in laws for _ in range(n // len(laws))]
    each = [law.of_worker(j) for j, law in enumerate(own)]
    return each[:1] if all(law is each[0] for law in each) else each


def recorded(law: Any) -> list[Empirical]:
    """Return the recorded laws in a law."""
    if isinstance(law, Empirical):
        return [law]
    return [part for _, part in law if isinstance(part, Empirical)]
