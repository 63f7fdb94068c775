"""The command ``fastgc``: parses and prints, decides nothing.

Everything heavy is imported inside the commands, so that ``fastgc --help`` is immediate.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from fastgc import __version__
from fastgc.errors import FastgcError, StoppedError, StorageError, StudyError

DONE, DIFFERS, MISTAKE, BUG, DISK, RESUMABLE, INTERRUPTED = 0, 1, 2, 70, 74, 75, 130
LOG_SECONDS = 30.0
ECHO_SECONDS = 0.5  # a wrapper may hand on the Ctrl-C that the terminal has sent to us too


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="fastgc")
def cli() -> None:
    """Measure decoding errors of gradient codes, and check theorems against them."""


_checkpoint_seconds = click.option(
    "--checkpoint-seconds",
    type=float,
    metavar="S",
    help="With -o: seconds between checkpoints; the first comes sooner.  [default: 30 or more]",
)


@cli.command()
@click.argument("study")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="HDF5 file that keeps it all.")
@click.option("--trials", type=click.IntRange(1, 10**18), help="At most so many trials a point.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Replace the study's seed.")
@click.option("--threads", type=click.IntRange(1), help="Threads; changes no number.")
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "monte-carlo", "both"]),
    help="Road for every experiment.",
)
@click.option("--shard", metavar="i/N", help="Only every N-th block of trials, from the i-th.")
@click.option("--keep", type=click.Choice(["samples"]), help="Keep every error and pattern too.")
@click.option("--max-seconds", type=click.FloatRange(0), help="Stop after so long; resumable.")
@_checkpoint_seconds
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change the study, like experiment.frc.code.d=4.",
)
def run(
    study: str,
    out: Path | None,
    trials: int | None,
    seed: int | None,
    threads: int | None,
    method: str | None,
    shard: str | None,
    keep: str | None,
    max_seconds: float | None,
    checkpoint_seconds: float | None,
    assignments: tuple[str, ...],
) -> int:
    """Measure what STUDY asks for: a TOML file, or a packaged study like agc/main.

    The same command again continues an interrupted run, extends it to more trials, or does
    nothing if there is enough.
    """
    part = _shard(shard)
    if max_seconds is not None and max_seconds != max_seconds:
        raise click.BadParameter("must be a number of seconds", param_hint="'--max-seconds'")
    with _Meter() as meter, _signals() as asked:
        import fastgc
        from fastgc import report

        result = fastgc.run(
            study,
            out=out,
            trials=trials,
            seed=seed,
            threads=threads,
            method=method,
            shard=part,
            keep=keep,
            max_seconds=max_seconds,
            checkpoint_seconds=checkpoint_seconds,
            overrides=assignments,
            progress=meter.show,
            interrupted=asked.reason,
        )
    click.echo(report.results(result.rows(), result.title))
    if result.complete:
        where = "" if result.path is None else f"; kept in {result.path}"
        click.echo(f"done: stopped by {result.stopped_by}{where}", err=True)
        return DONE
    where = (
        "nothing was kept; name a file with -o to be able to go on"
        if result.path is None
        else f"kept in {result.path}; the same command goes on"
    )
    click.echo(f"stopped early by {result.stopped_by}: {where}", err=True)
    return asked.exit_code


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "form", flag_value="json", help="Rows as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Rows as CSV.")
def show(file: Path, form: str | None) -> int:
    """Print what FILE holds."""
    from fastgc import report, store

    stored = store.load(file)
    if form == "json":
        click.echo(report.as_json(stored.rows))
    elif form == "csv":
        click.echo(report.as_csv(stored.rows))
    else:
        is_validation = any("verdict" in row for row in stored.rows)
        table = report.kept_verdicts if is_validation else report.results
        click.echo(table(stored.rows))
        if not stored.complete:
            click.echo("this run is not complete; the same command goes on", err=True)
    return DONE


@cli.command()
@click.argument("claims", nargs=-1)
@click.option("--paper", help="All claims of one paper.")
@click.option("--trace", metavar="FILE", help="Check agc's model of stragglers on recorded times.")
@click.option("--threshold", help='Of the trace: a time, or like "1.5 median", the default.')
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="KEY=NAME",
    help="Of a long trace: the names of its columns worker, value and perhaps iteration.",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="HDF5 file of measurements.")
@click.option(
    "--trials", type=click.IntRange(1, 10**18), help="At most so many trials an experiment."
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), help="Threads; changes no number.")
@_checkpoint_seconds
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Chance that any true statement is refuted.",
)
@click.option("--json", "as_json", is_flag=True, help="Verdicts as JSON, with every case.")
def validate(
    claims: tuple[str, ...],
    paper: str | None,
    trace: str | None,
    threshold: str | None,
    columns: tuple[str, ...],
    out: Path | None,
    trials: int | None,
    seed: int,
    threads: int | None,
    checkpoint_seconds: float | None,
    alpha: float,
    as_json: bool,
) -> int:
    """Measure what theorems claim: CLAIMS by id or beginning of an id; by default all of them."""
    with _Meter() as meter, _signals() as asked:
        from fastgc import report, validation

        try:
            found = validation.validate(
                claims,
                paper=paper,
                trace=_trace(trace, columns),
                threshold=_time(threshold),
                out=out,
                checkpoint_seconds=checkpoint_seconds,
                trials=trials or validation.DEFAULT_TRIALS,
                seed=seed,
                threads=threads,
                alpha=alpha,
                progress=meter.step,
                interrupted=asked.reason,
            )
        except StoppedError as early:
            click.echo(str(early), err=True)
            return asked.exit_code
    if as_json:
        click.echo(report.as_json(report.verdict_rows(found)))
    else:
        click.echo(report.verdicts(found))
    return DONE if all(verdict.as_expected for verdict in found) else DIFFERS


@cli.command()
@click.argument("study")
@click.option("--json", "as_json", is_flag=True, help="As JSON: systems in order, the best first.")
def design(study: str, as_json: bool) -> int:
    """Rank all systems that fit a cluster by their completion time.

    STUDY is a TOML file with a table [design]: workers, latency, and what else is known.
    """
    with _Meter() as meter, _signals() as asked:
        import fastgc
        from fastgc import report

        try:
            found = fastgc.design(study, progress=meter.search, interrupted=asked.reason)
        except StoppedError as early:
            click.echo(str(early), err=True)
            return asked.exit_code
    click.echo(report.as_json(found.rows()) if as_json else report.design(found))
    return DONE


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def info(as_json: bool) -> int:
    """Print versions, places and what fastgc knows: for bug reports."""
    from fastgc import information, report

    found = information.collect()
    if as_json:
        click.echo(report.as_json(found))
    else:
        width = max(len(key) for key in found)
        for key, value in found.items():
            text = ", ".join(value) if isinstance(value, list) else value
            click.echo(f"{key:{width}}  {text}")
    return DONE


@cli.command()
@click.argument("study")
@click.option("--trial", type=click.IntRange(0), required=True, help="Number of the trial, from 0.")
@click.option("--experiment", help="Its name, where the study has several.")
@click.option("--point", "points", multiple=True, metavar="KEY=VALUE", help="A swept key's value.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Replace the study's seed.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="As for run.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def replay(
    study: str,
    trial: int,
    experiment: str | None,
    points: tuple[str, ...],
    seed: int | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Draw one trial of STUDY again, and print what happened in it."""
    import fastgc
    from fastgc import report

    found = fastgc.replay(
        study,
        trial=trial,
        experiment=experiment,
        point=dict(map(_point, points)),
        seed=seed,
        overrides=assignments,
    )
    click.echo(report.as_json(found) if as_json else report.trial(found))
    return DONE


@cli.command()
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
def theory(name: str | None, arguments: tuple[str, ...]) -> int:
    """Evaluate the closed form NAME, like agc.frc_mean_error n=8 d=2 survivors=5; or list them."""
    from fastgc import report
    from fastgc.theory import by_name

    if name is None:
        click.echo(report.definitions(by_name.names()))
    else:
        click.echo(report.as_json(by_name.evaluate(name, arguments)))
    return DONE


@cli.command()
@click.argument("code")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "-p",
    "p",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Probability to straggle for the comparison with the bound.",
)
@click.option(
    "--stragglers", metavar="S", help="Numbers of stragglers to look at: 3, 2,5, 0..6 or 0..n."
)
@click.option("--json", "form", flag_value="json", help="As JSON.")
@click.option("--latex", "form", flag_value="latex", help="As a LaTeX table.")
def inspect(
    code: str, arguments: tuple[str, ...], p: float, stragglers: str | None, form: str | None
) -> int:
    """Print the datasheet of CODE: a matrix file, or a family like binary n=11 s=3."""
    from fastgc import inspection, report

    made = inspection.code_from(code, arguments)
    numbers = None if stragglers is None else inspection.stragglers_from(stragglers, made.n)
    sheet = inspection.inspect(made, p, numbers)
    if form == "json":
        click.echo(report.as_json(sheet.as_dict()))
    else:
        click.echo(report.datasheet(sheet.as_dict(), latex=form == "latex"))
    return DONE


@cli.command()
def schema() -> int:
    """Print the JSON Schema of a study."""
    from fastgc import report
    from fastgc.schema import schema as made

    click.echo(report.as_json(made()))
    return DONE


def _trace(file: str | None, columns: tuple[str, ...]) -> dict[str, str] | None:
    if file is None:
        if columns:
            raise click.BadParameter("belongs to --trace", param_hint="'--column'")
        return None
    named = {key: name for key, _, name in (column.partition("=") for column in columns)}
    if not all(named.values()) or not named.keys() <= {"worker", "value", "iteration"}:
        raise click.BadParameter(
            "must be worker=NAME, value=NAME or iteration=NAME", param_hint="'--column'"
        )
    return {"file": file} | named


def _time(text: str | None) -> float | str | None:
    """Read a number where it is one, else leave the text."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _point(text: str) -> tuple[str, Any]:
    from fastgc import toml

    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"must be KEY=VALUE (got {text!r})", param_hint="'--point'")
    try:
        return key, toml.value_of(value)
    except ValueError as problem:
        raise click.BadParameter(f"{key}: {problem}", param_hint="'--point'") from None


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 0, 1
    own, _, shards = text.partition("/")
    if not (own.isdigit() and shards.isdigit() and int(own) < int(shards)):
        raise click.BadParameter(
            f"must be i/N with 0 ≤ i < N (got {text!r})", param_hint="'--shard'"
        )
    return int(own), int(shards)


class _Asked:
    """Which signal asked to stop, and when.

    A handler runs wherever the interpreter happens to be, be it in a callback that swallows
    exceptions: so nothing is raised here.
    """

    signal: int | None = None
    at = 0.0

    def hear(self, number: int, _: Any) -> None:
        """Say at once what a signal does; a second one leaves."""
        urgent = number in (signal.SIGINT, signal.SIGTERM)
        if self.signal in (signal.SIGINT, signal.SIGTERM):
            if urgent and time.monotonic() - self.at >= ECHO_SECONDS:
                _leave_at_once(number)
            return
        if self.signal is not None and not urgent:
            return
        self.signal, self.at = number, time.monotonic()
        again = "Ctrl-C again" if number == signal.SIGINT else "a second SIGTERM"
        rest = f"; {again} leaves at once" if urgent else ""
        _say_at_once(f"stopping when the blocks under way are done{rest}")

    def reason(self) -> str | None:
        """Its name."""
        return None if self.signal is None else signal.Signals(self.signal).name

    @property
    def exit_code(self) -> int:
        """Of a run that was stopped early."""
        return INTERRUPTED if self.signal == signal.SIGINT else RESUMABLE


def _leave_at_once(number: int) -> None:
    """Leave, and wait for nothing that is under way: an orderly end would wait for threads."""
    _say_at_once(
        f"left at once by {signal.Signals(number).name}: the blocks under way are lost; with -o "
        "the same command goes on"
    )
    os._exit(INTERRUPTED if number == signal.SIGINT else RESUMABLE)


def _say_at_once(text: str) -> None:
    """Write a line from inside a signal handler, where buffers may be in use."""
    line = f"\r{text:60}\n" if sys.stderr.isatty() else f"{text}\n"
    with contextlib.suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), line.encode())


@contextlib.contextmanager
def _signals() -> Iterator[_Asked]:
    """Turn signals into a question that the run asks; a second one leaves at once."""
    asked = _Asked()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGUSR1") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), asked.hear) for name in names}
    try:
        yield asked
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


class _Meter:
    """Progress on stderr: a bar on a terminal, a line every 30 s elsewhere."""

    def __enter__(self) -> _Meter:
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
        from fastgc.report import number

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


def _one_line(error: click.ClickException) -> str:
    """A mistake in the command line, and where help is."""
    context = getattr(error, "ctx", None)
    command = (
        "fastgc" if context is None or context.parent is None else f"fastgc {context.info_name}"
    )
    said = " ".join(error.format_message().split())
    return f"{said.rstrip('.')}; see `{command} --help`"


def main() -> None:
    """Run the command and exit with its code; a mistake is a sentence, never a traceback."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = MISTAKE
    except click.ClickException as error:
        click.echo(f"fastgc: {_one_line(error)}", err=True)
        code = MISTAKE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except SystemExit:
        # only click leaves so: the reader of our output has gone, as in `fastgc show … | head`
        code = DONE
    except FastgcError as error:
        for line in error.complaints if isinstance(error, StudyError) else [str(error)]:
            click.echo(f"fastgc: {line}", err=True)
        code = DISK if isinstance(error, StorageError) else MISTAKE
    except OSError as error:
        click.echo(f"fastgc: cannot write ({error.strerror or error})", err=True)
        code = DISK
    except Exception:
        traceback.print_exc()
        click.echo("fastgc: this is a bug; please report it with `fastgc info`", err=True)
        code = BUG
    sys.exit(code)
