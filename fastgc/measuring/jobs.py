"""Gradients that take several rounds: jobs of a sequence, run for real.

One job begins in each round, and must be decoded ``delay`` rounds later. So there are delay + 1
models, which learn side by side: job j of all is of model j modulo so many, and begins when the
last job of that model is decoded, or lost.
"""

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.measuring.schemes import CodedGradient, Scheme, code_of_load
from fastgc.measuring.sequences import SequenceRule, shape
from fastgc.measuring.several import TasksPiece
from fastgc.measuring.worker import gradient_of
from fastgc.systems.gradient_code import GradientCode
from fastgc.systems.sequential import MSgc, SrSgc
from fastgc.training.coded import Descent
from fastgc.training.data.data import bounds
from fastgc.training.gradients import sums
from fastgc.training.optimizers import Optimizer
from fastgc.training.problems import Problem


class JobsGradient(Scheme):
    """The gradient of a problem's mean loss, by the tasks of a sequential code.

    Orders carry the parameters of all models, one after the other, and each worker's tasks; answers
    the result of each. What is decoded is the gradient of a job, of answers numbered kind · n +
    worker.
    """

    def __init__(self, rule: SequenceRule, problem: Problem, code: Code | None) -> None:
        self.rule, self.problem, self.data = rule, problem, problem.load()
        self.n, self.period = rule.n, rule.period
        self.models = rule.table.delay + 1
        self.own = int(problem.parameters(self.data))
        self.parameters = self.models * self.own
        self.slots = shape(rule.table)[1]
        self.sizes = [self.slots * self.own] * self.n
        how = problem.model, self.data.classes, problem.hidden_units()
        self._function = partial(gradient_of, *how)
        self._kinds = self._of_system(code)
        #: Partitions of a job.
        self.partitions = sum(kind.code.k for kind in self._kinds)
        family = rule.system.settings()["family"]
        self.name = f"gradients of {self.models} {problem.model} models by {family}"
        if self.models == 1:
            self.name = f"gradient of a {problem.model} model by {self._kinds[0].code.name}"

    def _of_system(self, code: Code | None) -> list[CodedGradient]:
        """Return what is decoded of each kind of task."""
        system, n = self.rule.system, self.n
        if isinstance(system, MSgc):
            if code is not None:
                raise FastgcError("must be left out with m-sgc, which has several", "code")
            return self._of_m_sgc(system)
        s = system.s if isinstance(system, GradientCode | SrSgc) else 0
        own = code_of_load(n, s + 1) if code is None else code
        if own.n != n:
            raise FastgcError(f"has {n} workers, and the code {own.n}; give both as many", "system")
        if own.pieces > 1 or (own.tolerance or 0) < s:
            sentence = f"must be decoded whole without any {s} of its workers"
            raise FastgcError(f"{sentence} (got {own.name})", "code")
        return [self._coded(self._cut(own.k), own)]

    def _of_m_sgc(self, system: MSgc) -> list[CodedGradient]:
        """Return the workers' own chunks, then coded groups; a task of each is as long."""
        n, own = self.n, system.window - 1
        each = system.distinct + 1 if system.distinct < n else 1
        groups = system.burst if system.distinct < n else 0
        cut = self._cut(n * (own * each + groups))
        chunks, coded = cut[: n * own * each : each], cut[n * own * each :]
        ends = [*chunks[1:], coded[0] if coded else (self.data.samples,)]
        whole = [(a[0], b[0]) for a, b in zip(chunks, ends, strict=True)]
        found = [self._coded(whole[c::own], codes.uncoded(n=n)) for c in range(own)]
        code = code_of_load(n, each)
        return found + [self._coded(coded[g * n : (g + 1) * n], code) for g in range(groups)]

    def _cut(self, many: int) -> list[tuple[int, int]]:
        """Return where each of so many pieces of the samples begins and ends."""
        cuts = bounds(self.data.samples, many).tolist()
        return list(itertools.pairwise(cuts))

    def _coded(self, cuts: list[tuple[int, int]], code: Code) -> CodedGradient:
        parts = [(self.data.X[i:j], self.data.y[i:j]) for i, j in cuts]
        return CodedGradient(self._function, parts, self.own, code, Decoder(code))

    @property
    def carried(self) -> int:
        """Parameters, and tasks."""
        return self.parameters + self.n * self.slots

    def pieces(self) -> list[Any]:
        """Return what each worker may be asked for."""
        each: list[list[Any]] = [kind.pieces() for kind in self._kinds]
        how = self.slots, self.models, self.own
        return [TasksPiece(own, j, *how) for j, own in enumerate(zip(*each, strict=True))]

    def models_of(self, number: int, jobs: Any) -> Any:
        """Return the models of jobs of the sequence to which a round belongs, int or an array."""
        return (number // self.period * self.rule.table.jobs + jobs) % self.models

    def order(self, number: int, theta: Values, tasks: NDArray[np.int64]) -> Values:
        """Return what orders of a round carry: ``tasks`` (n, slots) are a master's."""
        job, kind = np.divmod(tasks, len(self._kinds))
        wanted = self.models_of(number, job) * len(self._kinds) + kind
        return np.concatenate([theta, np.where(tasks >= 0, wanted, -1).ravel()])

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the gradient of a job."""
        known: list[dict[int, Values]] = [{} for _ in self._kinds]
        for place, values in answers.items():
            known[place // self.n][place % self.n] = values
        total = np.zeros(self.own)
        for kind, own in zip(self._kinds, known, strict=True):
            total += kind.result(own)
        return np.asarray(total / self.data.samples)

    def truth(self, message: Values) -> tuple[Values, float]:
        """Return gradient and mean loss of the first model."""
        how = self.data.classes, self.problem.hidden_units()
        theta, many = message[: self.own], self.data.samples
        loss, gradient = sums(self.problem.model, self.data.X, self.data.y, theta, *how)
        return gradient / many, loss / many

    def errors(self, survivors: Mask) -> Values:
        """Return the partitions of the job whose time is up in a round, if it is not decoded."""
        found = np.zeros(len(survivors))
        for sequence, done in enumerate(self.rule.decoded(survivors)):
            due = sequence * self.period + np.flatnonzero(done < 0) + self.models - 1
            found[due[due < len(found)]] = self.partitions
        return found

    def steps(self, used: Mask) -> NDArray[np.int64]:
        """Return how many steps each model has made after 0, 1, … rounds, (rounds + 1, models).

        It makes one for each of its jobs that is decoded by these answers, (rounds, n).
        """
        found = np.zeros((len(used) + 1, self.models), np.int64)
        for sequence, done in enumerate(self.rule.decoded(used)):
            begin = sequence * self.period
            for job in np.flatnonzero(done >= 0).tolist():
                found[begin + int(done[job]) + 1 :, self.models_of(begin, job)] += 1
        return found

    def losses(self, optimizer: Optimizer, used: Mask) -> Values:
        """Return the simulation's mean loss of all models after 0, 1, … rounds, by steps made."""
        steps = self.steps(used)
        many = max(1, int(steps.max()))
        descent = Descent(self.problem, self.data, 1, optimizer, many)
        loss = descent.run(np.ones((1, 1)), np.zeros((many, 1), np.int64)).loss[:, 0]
        return np.asarray(loss[steps].mean(axis=1))
