"""The cases of a claim: at each point the theory's value, and what is measured against it."""

import inspect
import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.complaints import Complaint, show
from fastgc.study.claims.points import ClaimPoint, claim_points, cross_field_errors
from fastgc.study.claims.table import ClaimTable, Formula, Index
from fastgc.study.expressions.expression import Deadline, Expression, Names, Steps
from fastgc.study.expressions.functions import Number, RefusedError, real
from fastgc.theory.papers.claim import Case, unfit_sizes

Theory = Callable[..., Any]

#: Two formulas of one theory agree to this share of it.
SAME = 1e-9
#: Theories below this share of the scale, or so near 1, are found in fractions as well, in so many
#: steps at most.
SMALL, RATIONAL = 1e-6, 10_000
#: Measures whose size is the number of partitions.
_ERRORS = ("error", "mean_error", "error_by_survivors")


def cases_of(
    claim: ClaimTable, folder: Path, deadline: Deadline, function: Theory | None = None
) -> tuple[list[Case], list[Complaint]]:
    """Return the cases of a claim, or everything that is wrong with it.

    ``folder``: where relative file names start; ``deadline``: of all expressions of the file;
    ``function``: in place of the claim's theory; its parameters are names at a point.
    """
    complaints = list(claim.conflicts())
    if claim.missing and not complaints:
        printed = float(claim.theory)
        at = Case(claim.experiment, printed, {}, claim.quantity, claim.statistic)
        return [replace(at, index=index, digits=claim.digits) for index in claim.indices], []
    points, wrong = claim_points(claim, folder)
    complaints += wrong
    for point in () if wrong else points:
        found = [Complaint(at, said + _at(point)) for at, said in cross_field_errors(claim, point)]
        if found:
            complaints += found
            break
    if complaints:
        return [], complaints
    formulas = _Formulas(claim, deadline, function)
    cases = []
    for point in points:
        for index in claim.indices:
            try:
                cases.append(formulas.case(point, index))
            except _NoValueError as problem:
                return [], [Complaint(problem.place, problem.sentence + _at(point))]
    if claim.holds == "as n grows":
        cases.sort(key=lambda case: case.size or 0.0)
        sizes = [case.size or 0.0 for case in cases]
        twice = next((b for b, a in itertools.pairwise(sizes) if a == b), None)
        if twice is not None:
            sentence = f"must differ at every point (got {twice:.6g} twice); make several claims"
            complaints.append(Complaint(("size",), sentence))
        elif wrong_sizes := unfit_sizes(sizes):
            complaints.append(Complaint(("size",), wrong_sizes))
        if claim.limit != "difference" and any(case.theory == 0 for case in cases):
            sentence = 'is 0 somewhere, of which there is no ratio; say limit = "difference"'
            complaints.append(Complaint(("theory",), sentence))
    return cases, complaints


class _NoValueError(FastgcError):
    """A formula has no value; ``place`` says which."""

    def __init__(self, place: tuple[str, ...], sentence: str) -> None:
        super().__init__(sentence)
        self.place = place


class _Formulas:
    """The formulas of a claim, with one allowance of arithmetic for all its points."""

    def __init__(self, claim: ClaimTable, deadline: Deadline, function: Theory | None) -> None:
        self._claim = claim
        self._function = function
        self._steps = Steps(deadline=deadline)
        self._read: dict[str, Expression] = {}

    def case(self, point: ClaimPoint, index: Index | None) -> Case:
        """Return the case of a point and an index."""
        claim = self._claim
        names = self._names(point.names, index)
        scale = self._optional("scale", names)
        if scale is None:  # errors count partitions, probabilities are at most 1
            counts = claim.quantity in _ERRORS and not claim.statistic.startswith("P")
            power = 2 if claim.statistic == "variance" else 1
            scale = float(point.partitions) ** power if counts else 1.0
        if self._function is None:
            theory = float(self._value(("theory",), claim.theory, names))
        else:
            theory = _called(self._function, names)
        if claim.second is not None:
            other = float(self._value(("second",), claim.second, names))
            if abs(other - theory) > SAME * max(abs(other), abs(theory), scale * SAME):
                sentence = f"is {other:.12g}, but the theory is {theory:.12g}"
                raise _NoValueError(("second",), sentence)
        return Case(
            point=point.shown | ({} if index is None else {"index": index}),
            theory=theory,
            experiment=point.experiment,
            quantity=claim.quantity,
            statistic=claim.statistic,
            index=index,
            against=point.against,
            scale=scale,
            how=claim.how,
            digits=claim.digits,
            tolerance=claim.tolerance,
            size=self._optional("size", names),
            rate=self._optional("rate", names),
            rounding=self._rounding(point.names, index, theory, scale),
        )

    def _rounding(
        self, names: Names, index: Index | None, theory: float, scale: float
    ) -> float | None:
        """Return what rounding has changed the theory by; None where arithmetic does not say.

        It is asked only where it matters: of what is small, or of a probability near 1.
        """
        if self._function is not None or min(abs(theory), abs(theory - 1)) > SMALL * scale:
            return None
        kept, self._steps = self._steps, Steps(RATIONAL, Deadline(1.0), is_rational=True)
        try:
            exact = self._value(("theory",), self._claim.theory, self._names(names, index))
        except _NoValueError:
            return None
        finally:
            self._steps = kept
        if isinstance(exact, float) and isinstance(self._claim.theory, str):
            return None
        return abs(float(Fraction(theory) - exact))

    def _names(self, names: Names, index: Index | None) -> Names:
        if isinstance(index, int):
            names = names.adding("index", index)
        for name, formula in self._claim.where.items():
            if name in names:
                sentence = "is the name of something at the point already; take another"
                raise _NoValueError(("where", name), sentence)
            names = names.adding(name, self._value(("where", name), formula, names))
        return names

    def _optional(self, key: str, names: Names) -> float | None:
        formula = getattr(self._claim, key)
        if formula is None:
            return None
        found = float(self._value((key,), formula, names))
        if found <= 0:
            raise _NoValueError((key,), f"must be more than 0 (got {found:.6g})")
        return found

    def _value(self, place: tuple[str, ...], formula: Formula, names: Names) -> Number:
        """Return a formula's value; integers stay exact until they are compared."""
        if not isinstance(formula, str):
            return formula
        expression = self._read.setdefault(formula, Expression(formula))
        try:
            found = expression.value(names, self._steps)
            float(found)
        except OverflowError:
            raise _NoValueError(place, "is too large for a number") from None
        except StoppedError:
            raise
        except FastgcError as problem:
            raise _NoValueError(place, problem.sentence) from None
        return found


def _called(function: Theory, names: Names) -> float:
    name = getattr(function, "__name__", "theory")
    given = {}
    try:
        for each in inspect.signature(function).parameters.values():
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD, each.POSITIONAL_ONLY):
                raise FastgcError(f"the parameters of {name} must be names at a point (got {each})")
            if each.name in names or each.default is each.empty:
                given[each.name] = names.value_of(each.name)
        found = function(**given)
    except FastgcError as problem:
        raise _NoValueError(("theory",), problem.sentence) from problem
    except Exception as problem:
        said = f"{name} failed ({type(problem).__name__}: {problem})"
        raise _NoValueError(("theory",), said) from problem
    if isinstance(found, np.generic | np.ndarray) and found.size == 1:
        found = found.item()
    try:
        return float(real(found))
    except RefusedError as problem:
        said = f"the value of {name} {problem} (got {show(found)})"
    except OverflowError:
        said = f"the value of {name} is too large for a number"
    raise _NoValueError(("theory",), said)


def _at(point: ClaimPoint) -> str:
    swept = [f"{key} = {show(value)}" for key, value in point.point.sweep.items()]
    return f" (at {', '.join(swept)})" if swept else ""
