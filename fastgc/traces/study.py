"""A study of the models that were fitted to a recording, as TOML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastgc.registry import toml

if TYPE_CHECKING:
    from fastgc.traces.fits import Fitted

TRIALS = 100_000
DIGITS = 6  # of a fitted number; its standard error is far larger


def written(
    name: str,
    workers: Sequence[str],
    latency: Sequence[Fitted],
    stragglers: Sequence[Fitted],
    slow: Sequence[int],
    remarks: Sequence[str] = (),
) -> str:
    """Return a study that runs: laws in a system of completion, each model in front of a code.

    Parameters
    ----------
    name : str
        Of the trace.
    workers : sequence of str
    latency : sequence of Fitted
        The best law is taken, and those that workers have each of their own.
    stragglers : sequence of Fitted
    slow : sequence of int
        Workers that are slow, for the two-class model.
    remarks : sequence of str
        What the study says of itself in comments.
    """
    n = len(workers)
    system = {"family": "gradient-code", "n": n, "s": 1} if n > 1 else {"family": "uncoded", "n": 1}
    experiments: list[dict[str, Any]] = []
    best = next(each for each in latency if "laws" not in each.keys)
    for each in latency:
        law: Any = [_rounded(keys) for keys in each.keys.get("laws", ())]
        if law or each is best:
            base = {"name": _label(f"time, {each.name}"), "kind": "completion"}
            own = {"system": system, "work": n, "latency": law or _rounded(each.keys)}
            experiments.append(base | own)
    code = {"family": "circulant", "n": n, "d": 2} if n > 2 else {"family": "uncoded", "n": n}
    for each in stragglers:
        keys = dict(each.keys)
        if each.name == "two-class" and slow:
            # this cluster's slow workers are known, so that p_slow need not say who may be
            del keys["p_slow"]
            keys = {"model": keys.pop("model"), "slow": list(slow)} | keys
        own = {
            "name": _label(each.name),
            "code": code,
            "stragglers": _rounded(keys),
            "iterations": 10,
        }
        experiments.append(own)
    title = f"Models fitted to {name}"
    data = {"title": title, "seed": 1, "stop": {"trials": TRIALS}, "experiment": experiments}
    return "".join(f"# {each}\n" for each in remarks) + toml.dumps(data)


def _label(name: str) -> str:
    """Return a name without blanks: ``iid-each-its-own``."""
    return name.replace(",", "").replace(" ", "-")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
