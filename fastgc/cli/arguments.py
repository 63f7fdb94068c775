"""Options that several commands share, and how their words are read."""

import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fastgc.engine.executors import MPI, THREADS, listed_names

if TYPE_CHECKING:
    Base = click.ParamType[int]
else:  # click 8.2 knows it without the type
    Base = click.ParamType


F = TypeVar("F", bound=Callable[..., Any])


class Integer(Base):
    """A whole number from ``least`` to ``most``, perhaps written 1e9."""

    name = "count"

    def __init__(self, least: int, most: int | None = None) -> None:
        self.least = least
        self.most = most

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number, or say why it is none."""
        from fastgc.registry.number_types import count_of

        plain = str(value).strip()
        try:
            found = int(plain) if plain.lstrip("+-").isdecimal() else count_of(float(plain))
        except ValueError:
            found = None
        if found is None:
            self.fail(f"{value!r} is no whole number; write one like 1000000 or 1e6")
        if found < self.least or (self.most is not None and found > self.most):
            allowed = f"at least {self.least}" if self.most is None else ""
            self.fail(f"must be {allowed or f'{self.least} to {self.most}'} (got {value})")
        return found


TRIALS = Integer(1, 10**18)
SEED = Integer(0, 2**64 - 1)


def count(name: str, help: str, default: int | None = None) -> Callable[[F], F]:
    """Give a command an option for how many, from 1; its help says the default, if it has one."""
    is_shown, whole = default is not None, click.IntRange(1)
    return click.option(name, type=whole, default=default, show_default=is_shown, help=help)


trials = click.option("--trials", type=TRIALS, help="Most trials of each point or experiment.")
seed = click.option("--seed", type=SEED, help="Of all that is random.")
threads = count("--threads", "Threads, or processes of the executor; no number depends on it.")
_WHERE = f"{listed_names()}; no number depends on it.  [default: {THREADS}]"
executor = click.option("--executor", metavar="NAME", help=_WHERE)
as_json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")
every_row = click.option("--rows", is_flag=True, help="Every row: methods, statistics, intervals.")


def of_recording(command: F) -> F:
    """Give a command the options that say which columns and workers of a recording are meant."""
    said = "Of a long recording: names of its columns worker, value and perhaps iteration."
    column = click.option("--column", "columns", multiple=True, metavar="KEY=NAME", help=said)
    said = "Only workers whose names match, like 'pp0*'.  [default: all]"
    return column(click.option("--workers", metavar="PATTERN", help=said)(command))


def workers(command: F) -> F:
    """Give a command the options ``--threads`` and ``--executor``."""
    return threads(executor(command))


def method(*names: str) -> Callable[[F], F]:
    """Give a command the option ``--method``."""
    said = "How numbers are found.  [default: the study's, else the first of these]"
    return click.option("--method", type=click.Choice(names), help=said)


def to_file(help: str, metavar: str | None = None, *, required: bool = False) -> Callable[[F], F]:
    """Give a command the option ``-o``: the file that it writes."""
    path = click.Path(path_type=Path)
    return click.option("-o", "--out", type=path, metavar=metavar, required=required, help=help)


#: Help of the flags that choose a form.
FORMS = {
    "json": "As JSON.",
    "csv": "As CSV.",
    "latex": "As LaTeX: booktabs, siunitx.",
    "html": "One HTML page that stands alone.",
}


def in_form(name: str, help: str | None = None) -> Callable[[F], F]:
    """Give a command the flag --NAME, one of several for its argument ``form``."""

    def chosen(context: click.Context, option: click.Parameter, is_given: bool) -> None:
        before = context.params.get("form")
        if is_given and before is not None:
            raise click.BadParameter(f"leave out --{before} or --{name}: one form at a time")
        context.params["form"] = name if is_given else before

    said = help or FORMS[name]
    return click.option(f"--{name}", is_flag=True, expose_value=False, callback=chosen, help=said)


def read_trace(file: str, columns: tuple[str, ...], workers: str | None) -> str | dict[str, Any]:
    """Return a recording as the library takes it: a file, its columns, and whom to keep."""
    named = {key: name for key, _, name in (column.partition("=") for column in columns)}
    if not all(named.values()) or not named.keys() <= {"worker", "value", "iteration"}:
        raise click.BadParameter(
            "must be worker=NAME, value=NAME or iteration=NAME", param_hint="'--column'"
        )
    named |= {} if workers is None else {"workers": workers}
    return {"file": file, **named} if named else file


def read_load(text: str) -> tuple[str, float]:
    """Return a recording and the load that its workers had: "FILE:LOAD"."""
    file, _, load = text.rpartition(":")
    try:
        found = file, float(load)
    except ValueError:
        found = "", 0.0
    if not found[0]:
        raise click.BadParameter(f"must be FILE:LOAD (got {text!r})", param_hint="'--fit'")
    return found


def read_point(text: str) -> tuple[str, Any]:
    """Return a swept key and its value."""
    from fastgc.registry import toml

    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"must be KEY=VALUE (got {text!r})", param_hint="'--point'")
    try:
        return key, toml.value_of(value)
    except ValueError as problem:
        raise click.BadParameter(f"{key}: {problem}", param_hint="'--point'") from None


def read_shard(text: str | None) -> tuple[int, int]:
    """Return which of how many parts: "i/N"."""
    if text is None:
        return 0, 1
    from fastgc.registry.activity import MOST_SHARDS

    found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
    own, shards = (1, 0) if found is None else map(int, found.groups())
    if not own < shards <= MOST_SHARDS:
        said = f"must be i/N with 0 ≤ i < N ≤ {MOST_SHARDS} (got {text!r})"
        raise click.BadParameter(said, param_hint="'--shard'")
    return own, shards


@contextlib.contextmanager
def joined(executor: str | None) -> Iterator[str | Executor | None]:
    """Hand over where work runs; of an MPI job every rank comes here.

    The first rank gets an executor of all the others, which serve it here and then leave with 0.
    """
    if executor != MPI:
        yield executor
        return
    from fastgc.engine.executors.clusters import ranks

    with ranks() as ours:
        if ours is not None:
            yield ours
    if ours is None:
        raise click.exceptions.Exit(0)


def end_job_of_ranks() -> None:
    """Die of Ctrl-C, as a rank that was interrupted before it has met the others.

    They wait for it; mpiexec ends them after a signal, but not after an exit code.
    """
    if "PMI_RANK" in os.environ and "mpi4py.MPI" not in sys.modules:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
