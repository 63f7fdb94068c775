"""What is to be run: of a study, of what a design ranks, or of a function of the user's own."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastgc import planning
from fastgc.arrays import Values
from fastgc.codes.given import code_given
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.streams import Batch, normals
from fastgc.errors import FastgcError
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.table import TrainingTable
from fastgc.measuring.cutting import Averaged, joined, uncoded
from fastgc.measuring.rule import Rule
from fastgc.measuring.schemes import CodedGradient, CodedProduct, Gradient, Scheme, scheme_of
from fastgc.registry.cached import cached_property
from fastgc.registry.given import made
from fastgc.study import design
from fastgc.study.measure import Measured, MeasureTable, table
from fastgc.study.source import Source
from fastgc.study.study import Study
from fastgc.systems.coded import GradientCode
from fastgc.systems.schemes import numbers
from fastgc.systems.system import System
from fastgc.training.optimizers import Optimizer

#: Keys of a design that an experiment has, too.
_SHARED = ("latency", "work", "scaling", "port")


@dataclass(frozen=True)
class Plan:
    """A scheme, when its rounds are over, and how it is run.

    Parameters are ``start`` before the first round, and stay so without an optimizer; ``text``,
    ``experiment`` and ``point`` are the study's.
    """

    rule: Rule
    scheme: Scheme
    start: Values
    optimizer: Optimizer | None
    how: MeasureTable
    seed: int = 1
    text: str = ""
    experiment: str = "experiment1"
    point: Mapping[str, Any] | None = None

    @cached_property
    def identity(self) -> str:
        """What must be the same where a measurement goes on: all but the number of rounds."""
        how = {key: value for key, value in self.how.settings().items() if key != "rounds"}
        system = self.rule.system.settings()
        of = self.text, self.seed, self.experiment, dict(self.point or {})
        own = self.scheme.name, self.scheme.given(self.start)
        return json.dumps([*of, how, system, *own], sort_keys=True)

    def injected(self) -> Values | None:
        """Return the seconds that parts take at least, (rounds, n · parts); None for their own."""
        if self.how.inject == "none":
            return None
        if self.scheme.by_speed:
            return np.full((self.how.rounds, self.rule.n), np.nan)  # of shares that are not known
        return self.drawn(self.how.rounds)

    def drawn(self, rounds: int, shares: Values | None = None) -> Values:
        """Return the seconds of the first rounds, so many rows, for given shares of the work."""
        batch = Batch(self.seed, "measure", 0, 1, rounds)
        return np.ascontiguousarray(self.rule.drawn(self.rule.real, batch, shares)[..., 0])


def of_study(asked: Measured) -> Plan:
    """Return what a study says; a FastgcError if its system cannot be run for real."""
    own = asked.table
    assert own.system is not None
    rule = Rule(own.system, own)
    code = None if asked.code is None else asked.code.build()
    decoder: str | DecodingRule = "optimal"
    rho = None
    if isinstance(own, TrainingTable):
        decoder, rho = own.decoder, rho_of(own, code)
    real, seed = rule.real, asked.study.seed
    optimizer: Optimizer | None = asked.optimizer
    scheme: Scheme | None = uncoded(real.system, asked.problem, asked.optimizer, code)
    if scheme is None:
        scheme = joined(real.system, asked.problem, code)
        if scheme is not None and asked.measure.between_rounds == "finish":
            family = real.system.settings()["family"]
            sentence = f'must be "drain" or "cancel" with {family}, whose workers wait for others'
            raise FastgcError(sentence, "between_rounds")
    if scheme is None:
        scheme = scheme_of(real.system, real.structure, asked.problem, code, decoder, rho)
    if isinstance(scheme, CodedProduct):
        optimizer = None
        start = normals(seed, "measure/parameters", scheme.parameters)
    else:
        assert isinstance(scheme, CodedGradient | Averaged)
        assert scheme.data is not None
        start = np.ascontiguousarray(asked.problem.start(scheme.data), np.float64)
    said = asked.study.text(), asked.point.experiment, asked.point.sweep
    return Plan(rule, scheme, start, optimizer, asked.measure, seed, *said)


def of_function(
    gradient: Gradient | None,
    parameters: Any,
    partitions: Sequence[Any] | None,
    code: Any,
    system: System | None,
    changes: Mapping[str, Any],
) -> Plan:
    """Return what a function of the user's own makes; see `fastgc.measure`."""
    if gradient is None or parameters is None or partitions is None or code is None:
        raise FastgcError("gradient: goes with parameters, partitions and code")
    own = code_given(code, "code")
    start = np.ascontiguousarray(numbers("parameters", parameters, axes=1)).ravel()
    scheme = CodedGradient(gradient, list(partitions), start.size, own, Decoder(own))
    if system is None:
        system = GradientCode(n=own.n, s=own.tolerance or 0)
    if not isinstance(system, System):
        got = type(system).__name__
        raise FastgcError(f"system: must be what a function of fastgc.systems returns (got {got})")
    rule = Rule(system)
    if system.LOOKS_BACK or rule.real.structure.CUTS:
        family = system.settings()["family"]
        raise FastgcError(f"system: {family} cuts samples itself, and needs a study's problem")
    if rule.n != own.n:
        raise FastgcError(f"system: has {rule.n} workers, and the code {own.n}")
    given = {key: value for key, value in changes.items() if value is not None}
    if given.setdefault("inject", "none") != "none":
        raise FastgcError(f"inject: needs a study with latency (got {given['inject']!r})")
    how = made(table(), "measure", **given)
    return Plan(rule, scheme, start, how.optimizer, how)


# ---- Systems that a design ranks


def _design(source: Study | Mapping[str, Any] | str | Path) -> Mapping[str, Any] | None:
    """Return what a study says that has a table ``[design]``; None for any other."""
    given = {} if isinstance(source, Study) else Source.of(source).data
    return given if "design" in given else None


def many(source: Study | Mapping[str, Any] | str | Path, top: int | None) -> int:
    """Return how many systems are run: of a design the ``top`` ones, else one for each point."""
    if _design(source) is not None:
        return top or 1
    if top is not None:
        raise FastgcError("top: is for studies with a table [design], whose systems are ranked")
    return len(Study.parse(source).points())


def ranked(
    source: Study | Mapping[str, Any] | str | Path,
    places: Sequence[int],
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[tuple[Study | Mapping[str, Any] | str | Path, int]]:
    """Return the studies of the systems at some places, from 1, of a design's ranking, and a place.

    That is 1; a study without a table ``[design]`` stays as it is, with its places. Raises
    FastgcError if so many systems are not ranked.
    """
    given = _design(source)
    if given is None:
        return [(source, place) for place in places]
    assert not isinstance(source, Study)
    ranking = planning.design(source, interrupted=interrupted)
    if max(places) > len(ranking):
        raise FastgcError(f"top: the design ranks {len(ranking)} systems (got {max(places)})")
    own, table = given["design"], design.parse(source)
    files = dict(given.get("files", {}))
    for each in table.latency:
        files |= each.files()
    found: list[tuple[Study | Mapping[str, Any] | str | Path, int]] = []
    for place in places:
        system, law = dict(ranking[place - 1].system), own["latency"]
        experiment = {"name": f"place {place}", "kind": "completion", "system": system}
        experiment |= {key: own[key] for key in _SHARED if key in own}
        rows = isinstance(law, Mapping) and law.get("order") == "rows"
        if rows and design.schemes()[str(system["family"])].LOOKS_BACK:  # as the design does
            experiment["latency"] = {**law, "order": "replay"}
        study = {"title": str(given.get("title", "")), "seed": table.seed, "files": files}
        study |= {"experiment": [experiment], "measure": given.get("measure", {})}
        found.append((study, 1))
    return found
