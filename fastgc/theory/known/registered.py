"""What is known registers here, by the name that a study gives to a code, system or selection."""

from __future__ import annotations

import functools
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from fastgc.theory.known.completion import Known, Table, completion_forms
from fastgc.theory.known.decoding import Decoding, per_partition
from fastgc.theory.papers.claim import ClosedForm

_OfCode = Callable[[Decoding], Iterator[ClosedForm]]
_OfSystem = Callable[[Table, int], Known | None]
_OfSelection = Callable[[Table], Iterator[ClosedForm]]

#: By kind of experiment, name, and decoder (empty but for codes).
_rules: dict[tuple[str, str, str], Callable[[Table], Iterable[ClosedForm]]] = {}

#: Which table of an experiment names what is known, and under which key.
_NAMED = {
    "decoding": ("code", "family"),
    "completion": ("system", "family"),
    "training": ("selection", "method"),
}


def code(*families: str, decoder: str = "optimal") -> Callable[[_OfCode], _OfCode]:
    """Register the closed forms of codes of these families under one decoder."""

    def register(rule: _OfCode) -> _OfCode:
        def forms(experiment: Table) -> Iterator[ClosedForm]:
            run = Decoding(experiment)
            for form in rule(run):
                yield form
                yield from per_partition(form, run.partitions)

        for family in families:
            _add("decoding", family, forms, decoder)
        return rule

    return register


def system(*families: str) -> Callable[[_OfSystem], _OfSystem]:
    """Register what is known of systems of these families, given an experiment and its n ≥ 1."""

    def register(rule: _OfSystem) -> _OfSystem:
        def forms(experiment: Table) -> Iterable[ClosedForm]:
            if experiment["system"].get("patience"):
                return ()  # no formula knows of a master that waits on
            n = experiment["system"].get("n")
            known = rule(experiment, n) if isinstance(n, int) and n >= 1 else None
            return () if known is None else completion_forms(experiment, known)

        for family in families:
            _add("completion", family, forms)
        return rule

    return register


def selection(*methods: str) -> Callable[[_OfSelection], _OfSelection]:
    """Register the closed forms of training that selects workers by these methods."""

    def register(rule: _OfSelection) -> _OfSelection:
        for method in methods:
            _add("training", method, rule)
        return rule

    return register


def closed_forms(experiment: Table) -> list[ClosedForm]:
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
    kind, measures = experiment.get("kind", "decoding"), experiment.get("measure")
    table, key = _NAMED.get(kind, ("", ""))
    name = (experiment.get(table) or {}).get(key)
    decoder = experiment.get("decoder", "optimal") if kind == "decoding" else ""
    rule = _rules.get((str(kind), str(name), str(decoder)))
    return [
        form
        for form in (rule(experiment) if rule else ())
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


def _add(
    kind: str, name: str, rule: Callable[[Table], Iterable[ClosedForm]], decoder: str = ""
) -> None:
    if (kind, name, decoder) in _rules:
        raise ValueError(f"known: there are two rules for {kind} of {name} {decoder}".rstrip())
    _rules[kind, name, decoder] = rule


@functools.cache
def _load() -> None:
    """Import the files of this folder, which register what they hold."""
    folder = import_module(__package__)
    for file in pkgutil.iter_modules(folder.__path__, f"{__package__}."):
        import_module(file.name)
