"""Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

LOG_SECONDS = 30.0


class Meter:
    """Progress on stderr: a bar on a terminal, a line every 30 s elsewhere."""

    def __enter__(self) -> Meter:
        self._bar: Any = None
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + LOG_SECONDS
        if self._terminal:
            click.echo("fastgc: loading kernels …\r", err=True, nl=False)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._terminal:
            click.echo(" " * 40 + "\r", err=True, nl=False)

    def show(self, progress: Any) -> None:
        """Show how far a run is."""
        from fastgc.report.numbers import number

        now = ""
        if progress.estimate is not None:
            now = number(progress.estimate.value, progress.estimate.standard_error)
        label = f"[{progress.unit + 1}/{progress.units}] {progress.name}"
        self._update(label, progress.trials, progress.goal, now, progress.seconds, "trials")

    def step(self, step: Any) -> None:
        """Show how far a validation is."""
        trials = f"{step.trials / 1e6:.0f}M trials"
        self._update(step.name, step.done, step.total, trials, step.seconds, "experiments")

    def search(self, step: Any) -> None:
        """Show how far a search for the best system is."""
        trials = f"{step.trials:,} trials" if step.trials else ""
        self._update(step.name, step.done, step.total, trials, step.seconds, "parts")

    def blocks(self, step: Any) -> None:
        """Show how far an audit is."""
        self._update(step.name, step.done, step.total, "", step.seconds, "blocks")

    def say(self, text: str) -> None:
        """Print on stdout what is known already, above the bar."""
        if self._bar is not None:
            self._bar.clear()
        elif self._terminal:
            click.echo(" " * 40 + "\r", err=True, nl=False)
        click.echo(text)
        if self._bar is not None:
            self._bar.refresh()

    def _update(
        self, label: str, done: int, goal: int, now: str, seconds: float, unit: str
    ) -> None:
        if self._terminal:
            if self._bar is None:
                from tqdm import tqdm

                self._bar = tqdm(
                    total=goal, unit=f" {unit}", unit_scale=True, leave=False, dynamic_ncols=True
                )
            if self._bar.total != goal or done < self._bar.n:
                self._bar.reset(total=goal)
            self._bar.set_description_str(label, refresh=False)
            self._bar.set_postfix_str(now, refresh=False)
            if done > self._bar.n:
                self._bar.update(done - self._bar.n)
            else:
                self._bar.refresh()
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + LOG_SECONDS
            parts = [f"{done:,} of {goal:,} {unit}", f"{done / max(seconds, 1e-9):,.0f}/s"]
            if done:
                parts.append(f"about {seconds * (goal / done - 1):.0f} s left")
            click.echo(f"{label}: {', '.join([*parts, *filter(None, [now])])}", err=True)
