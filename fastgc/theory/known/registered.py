"""What is known registers here, by the name that a study gives to a code, system or selection."""

from __future__ import annotations

import functools
import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from fastgc.theory.known.completion import Completion
from fastgc.theory.known.decoding import Decoding
from fastgc.theory.known.training import Training
from fastgc.theory.papers.closed_form import ClosedForm

_Run = TypeVar("_Run", Decoding, Completion, Training)
_Rule = Callable[[_Run], Iterator[ClosedForm]]

_KINDS: dict[str, Callable[[Mapping[str, Any]], Decoding | Completion | Training]] = {
    "decoding": Decoding,
    "completion": Completion,
    "training": Training,
}
_rules: dict[tuple[str, ...], Callable[[Any], Iterator[ClosedForm]]] = {}


def code(*families: str, decoder: str = "optimal") -> Callable[[_Rule[Decoding]], _Rule[Decoding]]:
    """Register what is known of codes of these families under one decoder."""
    return _register(("decoding", family, decoder) for family in families)


def system(*families: str) -> Callable[[_Rule[Completion]], _Rule[Completion]]:
    """Register what is known of systems of these families."""
    return _register(("completion", family) for family in families)


def selection(*methods: str) -> Callable[[_Rule[Training]], _Rule[Training]]:
    """Register what is known of training that selects workers by these methods."""
    return _register(("training", method) for method in methods)


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form that applies to an experiment; what is infinite is left out.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied. Where it
        has ``measure``, only those quantities are returned. A table of which nothing is known
        (other codes, laws, decoders) gives an empty list; the table is not checked here.

    Examples
    --------
    >>> experiment = {
    ...     "kind": "decoding",
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.247},
    ...     "measure": ["error"],
    ... }
    >>> [(form.statistic, round(form.value, 6)) for form in closed_forms(experiment)]
    [('mean', 0.488072), ('variance', 0.91659)]
    """
    _load()
    kind = _KINDS.get(experiment.get("kind", "decoding"))
    if kind is None:
        return []
    run = kind(experiment)
    rule, measures = _rules.get(run.key), experiment.get("measure")
    return [
        form
        for form in (rule(run) if rule else ())
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


def _register(keys: Iterator[tuple[str, ...]]) -> Callable[[_Rule[_Run]], _Rule[_Run]]:
    def register(rule: _Rule[_Run]) -> _Rule[_Run]:
        for key in keys:
            if key in _rules:
                raise ValueError(f"known: there are two rules for {', '.join(key)}")
            _rules[key] = rule
        return rule

    return register


@functools.cache
def _load() -> None:
    """Import the files of this folder, which register what they hold."""
    folder = import_module(__package__)
    for file in pkgutil.iter_modules(folder.__path__, f"{__package__}."):
        import_module(file.name)
