"""What is to be run: a point of a study, or a function of the user's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc import registry
from fastgc.arrays import Values
from fastgc.codes.matrix import code_given
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.streams import Batch, normals
from fastgc.errors import FastgcError
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.table import TrainingTable
from fastgc.measuring.rule import Rule
from fastgc.measuring.schemes import CodedGradient, CodedProduct, Gradient, Scheme, scheme_of
from fastgc.registry.complaints import unknown
from fastgc.registry.given import made
from fastgc.study.measure import Measured, MeasureTable, table
from fastgc.systems.coded import GradientCode
from fastgc.systems.schemes import numbers
from fastgc.systems.system import System
from fastgc.training.optimizers import Optimizer


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
    scheme = scheme_of(real.system, real.structure, asked.problem, code, decoder, rho)
    if not rule.heard.all() and asked.measure.between_rounds == "finish":
        family = real.system.settings()["family"]
        sentence = f'must be "drain" or "cancel" with {family}, whose workers wait for others'
        raise FastgcError(sentence, "between_rounds")
    if isinstance(scheme, CodedProduct):
        optimizer = None
        start = normals(seed, "measure/parameters", scheme.parameters)
    else:
        assert isinstance(scheme, CodedGradient) and scheme.data is not None
        start = np.ascontiguousarray(asked.problem.start(scheme.data), np.float64)
    said = asked.study.text(), asked.point.experiment, asked.point.sweep
    return Plan(rule, scheme, start, optimizer, asked.measure, seed, *said)


def of_function(
    study: Mapping[str, Any], gradient: Gradient | None, parameters: Any, partitions: Any
) -> Plan:
    """Return what a function of the user's own makes; see `fastgc.measure`."""
    given = dict(study)
    code, system = given.pop("code", None), given.pop("system", None)
    if gradient is None or parameters is None or partitions is None or code is None:
        raise FastgcError("gradient: goes with parameters, partitions, and a code in the study")
    own = code_given(code, "code")
    start = np.ascontiguousarray(numbers("parameters", parameters, axes=1)).ravel()
    parts: Sequence[Any] = list(partitions)
    scheme = CodedGradient(gradient, parts, start.size, own, Decoder(own))
    if system is None:
        system = GradientCode(n=own.n, s=own.tolerance or 0)
    if isinstance(system, Mapping):
        members, family = registry.members("system"), str(system.get("family"))
        if family not in members:
            raise FastgcError(f"system: {unknown('family', family, members)}")
        system = made(members[family], "system", **system)
    if not isinstance(system, System):
        got = type(system).__name__
        raise FastgcError(f"system: must be a table, or of fastgc.systems (got {got})")
    rule = Rule(system)
    if system.LOOKS_BACK or rule.real.structure.CUTS:
        family = system.settings()["family"]
        raise FastgcError(f"system: {family} cuts samples itself, and needs a study's problem")
    if rule.n != own.n:
        raise FastgcError(f"system: has {rule.n} workers, and the code {own.n}")
    if given.setdefault("inject", "none") != "none":
        raise FastgcError(f"inject: needs a study with latency (got {given['inject']!r})")
    how = made(table(), "measure", **given)
    return Plan(rule, scheme, start, how.optimizer, how)
