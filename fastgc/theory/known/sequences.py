"""What is known of codes over several rounds: loads, and seconds where slow workers are alike."""

from collections.abc import Iterator

from fastgc.theory.known.registered import Table, sequence
from fastgc.theory.literature.sequences import (
    multiplexed_seconds,
    repeating_load,
    round_of_code,
    sequential_load,
)
from fastgc.theory.papers.claim import ClosedForm

_KEYS = ("n", "burst", "window", "distinct")


@sequence("gradient-code")
def one_round(experiment: Table) -> Iterator[ClosedForm]:
    """Gradient codes under independent slow workers."""
    system, known = experiment["system"], _pace(experiment)
    if known is not None:
        seconds = experiment["jobs"] * float(round_of_code(system["n"], system["s"], *known))
        yield from _seconds(experiment, seconds)


@sequence("m-sgc")
def multiplexed(experiment: Table) -> Iterator[ClosedForm]:
    """M-SGC: its load; with bursts of one round and windows of two, its time."""
    system, known = experiment["system"], _pace(experiment)
    burst, window = system["burst"], system["window"]
    load = sequential_load(*(system[key] for key in _KEYS))
    yield from _load(experiment, float(load))
    if known is not None and (burst, window) == (1, 2):
        own = system["n"], system["distinct"], experiment["jobs"], *known
        seconds = float(multiplexed_seconds(*own))
        yield from _seconds(experiment, seconds)


@sequence("sr-sgc")
def repeating(experiment: Table) -> Iterator[ClosedForm]:
    """SR-SGC: its load."""
    load = repeating_load(*(experiment["system"][key] for key in _KEYS))
    yield from _load(experiment, float(load))


def _load(experiment: Table, load: float) -> Iterator[ClosedForm]:
    given = experiment["system"].get("load")
    claim = None if given else "literature.sequences.load.derived"
    yield ClosedForm("load", "mean", None, float(given or load), claim)


def _seconds(experiment: Table, seconds: float) -> Iterator[ClosedForm]:
    yield ClosedForm("seconds", "mean", None, seconds, None)
    yield ClosedForm("seconds_per_job", "mean", None, seconds / experiment["jobs"], None)


def _pace(experiment: Table) -> tuple[float, float, float, float] | None:
    """Return p, ok, slow and factor, where workers are slow independently and are waited for."""
    stragglers, times = experiment.get("stragglers") or {}, experiment.get("times")
    patience, p = experiment.get("patience") or {}, stragglers.get("p")
    if stragglers.get("model") != "iid" or not isinstance(p, int | float) or not times:
        return None
    factor = 1.0 + patience.get("factor", 1.0)
    if patience.get("then") == "never" or factor * times["ok"] >= times["straggle"]:
        return None
    return float(p), float(times["ok"]), float(times["straggle"]), factor
