"""What is said of training runs, whoever trains them: brute force here, fastgc beside it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from fastgc.validation.enumerations.training import Record, least_loss, train


class Runs:
    """Numbers of runs that ``train`` makes of their tables.

    Parameters
    ----------
    train : callable
        Takes the arguments of `fastgc.validation.enumerations.training.train`.
    """

    def __init__(self, train: Callable[..., Record]) -> None:
        self._train = train

    def trained_loss(self, **run: Any) -> float:
        """Loss after the last iteration."""
        return self._train(**run).losses[-1]

    def selections(self, **run: Any) -> int:
        """Count the groups that upload, over all iterations."""
        return self._train(**run).uploads[-1]

    def selected(self, **run: Any) -> float:
        """Groups that upload in an iteration, on average over the run."""
        return self._train(**run).uploads[-1] / int(run["iterations"])

    def communication(self, **run: Any) -> float:
        """Downloads and uploads of an iteration, on average over the run."""
        record = self._train(**run)
        return (record.downloads[-1] + record.uploads[-1]) / int(run["iterations"])

    def computation(self, **run: Any) -> float:
        """Gradients of single samples of an iteration, on average over the run."""
        return self._train(**run).gradients[-1] / int(run["iterations"])

    def gradients_per_download(self, **run: Any) -> float:
        """Gradients of single samples over downloads."""
        record = self._train(**run)
        return record.gradients[-1] / record.downloads[-1]

    def load_ratio(self, **run: Any) -> float:
        """Downloads and uploads over gradients."""
        record = self._train(**run)
        return (record.downloads[-1] + record.uploads[-1]) / record.gradients[-1]

    def copies(self, **run: Any) -> float:
        """How often the data are stored: all gradients of a first iteration with all data."""
        return self._train(**run).gradients[1] / len(self._samples(run))

    def largest_age(self, **run: Any) -> int:
        """Most iterations from one upload to the next, of units that are selected together."""
        sent = self._train(**run).uploads
        when = [k for k in range(len(sent) - 1) if sent[k + 1] > sent[k]]
        return max(later - sooner for sooner, later in itertools.pairwise(when))

    def ratio_to_loss(
        self, load: str, first: Mapping[str, Any], second: Mapping[str, Any], share: float
    ) -> float:
        """Load "communication" or "computation" of a run over that of another, to a loss.

        The loss exceeds the least by a ``share`` of what it does at the start.
        """
        loads = []
        for run in (first, second):
            record, least = self._train(**run), least_loss(run["data"])
            target = least + share * (record.losses[0] - least)
            done = next(k for k, loss in enumerate(record.losses) if loss <= target)
            sent = record.downloads[done] + record.uploads[done]
            loads.append(sent if load == "communication" else record.gradients[done])
        return loads[0] / loads[1]

    def excess_loss(self, runs: Mapping[str, Mapping[str, Any]]) -> float:
        """Loss after the last iteration above the least, over that at the start; worst of runs."""
        worst = 0.0
        for run in runs.values():
            losses, least = self._train(**run).losses, least_loss(run["data"])
            worst = max(worst, (losses[-1] - least) / (losses[0] - least))
        return worst

    def _samples(self, run: Mapping[str, Any]) -> range:
        data = run["data"]
        return range(data["samples"] if "seed" in data else len(data["y"]))

    @property
    def statements(self) -> dict[str, Callable[..., Any]]:
        """Everything above by its name."""
        return {
            function.__name__: function
            for function in (
                self.trained_loss,
                self.selections,
                self.selected,
                self.communication,
                self.computation,
                self.gradients_per_download,
                self.load_ratio,
                self.copies,
                self.largest_age,
                self.ratio_to_loss,
                self.excess_loss,
            )
        }


#: By brute force.
MEASURES = Runs(train).statements
