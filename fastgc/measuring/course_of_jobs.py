"""The course of a measurement whose gradients take several rounds."""

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.measuring.carrier import Carrier
from fastgc.measuring.course import Course
from fastgc.measuring.faults import Faults
from fastgc.measuring.jobs import JobsGradient
from fastgc.measuring.plans import Plan
from fastgc.measuring.sequences import Master, SequenceRule
from fastgc.results.measurements import Measurement
from fastgc_kernels.train import optimizing


class JobsCourse(Course):
    """Rounds of sequences; whatever job can be decoded at the end of one moves its model."""

    def __init__(
        self,
        carrier: Carrier,
        plan: Plan,
        faults: Faults,
        exact: bool = False,
        before: Measurement | None = None,
    ) -> None:
        super().__init__(carrier, plan, faults, exact, before)
        assert isinstance(plan.scheme, JobsGradient) and isinstance(plan.rule, SequenceRule)
        self._jobs, self._sequences = plan.scheme, plan.rule
        self._thetas = self.theta.reshape(self._jobs.models, -1)  # the same memory
        self._truths = [self._jobs.truth(theta) for theta in self._thetas]
        #: The answers of jobs that are not decoded, and the gradients of those that a round ends.
        self._known: dict[int, dict[int, Values]] = {}
        self._ended: dict[int, Values] = {}
        self._made = self._jobs.steps(np.array(self.rows["used"], np.bool_))[-1]
        if self.done:
            self._go_on()

    def _go_on(self) -> None:
        """Find again what the master knew after the rounds before.

        Answers of jobs that are not decoded are computed here, for their models have not moved.
        """
        used, last = np.array(self.rows["used"], np.bool_), self.done - self._jobs.models
        recent: list[tuple[int, NDArray[np.int64]]] = []
        for number, master in enumerate(self._sequences.masters(used)):
            self._master, begins = master, master.round == 0
            recent = [] if begins else recent
            recent += [(number, master.tasks())] if number > last else []
        pieces = self._jobs.pieces()
        for number, tasks in recent:
            job = tasks // self._master.kinds
            late = job + self._jobs.models <= self._master.round
            tasks[late | (self._master.done[job] >= 0)] = -1
            message = self._jobs.order(number, self.theta, tasks)
            came = np.flatnonzero(used[number]).tolist()
            self._keep(tasks, {j: pieces[j].compute(message, lambda: None) for j in came})

    def _keep(self, tasks: NDArray[np.int64], answers: dict[int, Values]) -> None:
        """Keep answers by their jobs."""
        for worker, values in answers.items():
            of_slots = values.reshape(tasks.shape[1], -1)
            for task, own in zip(tasks[worker].tolist(), of_slots, strict=True):
                if task >= 0:
                    job, kind = divmod(task, self._master.kinds)
                    self._known.setdefault(job, {})[kind * self._rule.n + worker] = own

    def _warm(self) -> None:
        n, master = self._rule.n, Master(self._sequences.table, self._sequences.experiment)
        master.over(np.ones(n))
        master.end(np.zeros(n, np.bool_))
        own = np.zeros(self._jobs.own)
        self._jobs.result(dict.fromkeys(range(n * master.kinds), own))

    def _prepare(self, number: int) -> None:
        if number % self._jobs.period == 0:
            self._master = Master(self._sequences.table, self._sequences.experiment)
            self._known = {}
        self._share = np.full(self._rule.n, 0.0 if self._master.is_free else self._rule.share)
        self._tasks = self._master.tasks()
        self._message = self._jobs.order(number, self.theta, self._tasks)
        self._truth = np.empty(0), float(np.mean([loss for _, loss in self._truths]))

    def _over(self) -> float:
        over, came = self._master.over(self._arrived), np.isfinite(self._arrived)
        if np.isfinite(over) or not came.any() or (self._alive & ~came).any():
            return over
        return float(self._arrived[came].max())  # nobody is waited for who is lost

    def _decode(self, answers: dict[int, Values]) -> Values:
        late = np.ones(self._rule.n, np.bool_)
        late[list(answers)] = False
        self._keep(self._tasks, answers)
        number, done = self._master.round, self._master.done
        self._master.end(late)
        ended = np.flatnonzero(done == number).tolist()
        self._ended = {job: self._jobs.result(self._known.pop(job)) for job in ended}
        self._known.pop(number + 1 - self._jobs.models, None)  # it is lost
        return np.empty(0)

    def _conclude(self, number: int, result: Values) -> None:
        """Hold each gradient against that of all samples, and step; outside of the round's time."""
        errors = []
        for job, gradient in self._ended.items():
            model, own = self._jobs.models_of(number, job), self._jobs.own
            theta, part = self._thetas[model], slice(model * own, (model + 1) * own)
            errors.append(self._off(gradient, self._truths[model][0]))
            moments = self.moments[:, part].copy()
            step = self._steps[self._made[model]]
            optimizing.advance_one(self._settings, step, gradient, theta, moments)
            self.moments[:, part] = moments
            self._made[model] += 1
            self._truths[model] = self._jobs.truth(theta)
        self.rows["gradient_error"].append(max(errors, default=np.nan))
        self._warm()
        self._prepare(number + 1)
        self.rows["loss"].append(self._truth[1])
