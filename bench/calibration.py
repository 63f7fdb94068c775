"""How often verdicts err: ``python -m bench.calibration [--seeds N] [--json OUT]``.

True statements are measured with many seeds, on samples alone: they may be refuted in at most the
stated share of runs. Theories that are off by a stated factor are measured by the sharpest method,
as by default, where all must be refuted; and on samples alone at the default budget, where none may
be confirmed, and what rests on too few events stays undecided. What is true is known by hand: a
formula here, nothing of fastgc.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import command
from fastgc.engine.executors.local import in_threads
from fastgc.results.verdicts import REFUTED, UNDECIDED
from fastgc.theory.papers.claim import CONFIRMED, Case, Claim
from fastgc.validation.measuring import DEFAULT_TRIALS, Method, Options, measure
from fastgc.validation.multiple_testing import PendingVerdicts

ALPHA = 0.01
#: Trials of the runs in which true statements may be refuted.
BUDGETS = (1_000, 65_536)
FACTORS = (0.1, 0.5, 0.99, 0.995, 1.005, 1.01, 2.0, 10.0)
#: A count above this quantile of what the stated rate allows is a failure of the rate.
CERTAINTY = 0.999

Table = dict[str, Any]


@dataclass(frozen=True)
class Situation:
    """A number that is known, and the experiment that measures it."""

    name: str
    truth: float
    experiment: Table
    quantity: str
    statistic: str = "mean"
    scale: float = 1.0

    def claim(self, factor: float = 1.0) -> Claim:
        """Say that the number is the true one times a factor."""
        own = self.truth * factor, self.experiment, self.quantity, self.statistic
        case = Case({"factor": factor}, *own, scale=self.scale)
        return Claim(self.name, "own", self.name, "here", "=", CONFIRMED, lambda: (case,))


def _decoding(n: int, d: int, p: float) -> Table:
    return {"code": {"family": "frc", "n": n, "d": d}, "stragglers": {"model": "iid", "p": p}}


def _time(latency: Table, system: Table | None = None) -> Table:
    system = system or {"family": "uncoded", "n": 1}
    return {"kind": "completion", "system": system, "latency": latency}


def situations() -> Iterator[Situation]:
    """Ordinary numbers, rare ones, heavy tails, rare and huge outcomes."""
    for n, d, p in ((8, 2, 0.2), (8, 4, 0.1), (20, 5, 0.1)):
        name = f"frc n={n} d={d} p={p}"
        yield Situation(f"{name} error", n * p**d, _decoding(n, d, p), "error", scale=n)
        groups = n // d
        exact = (1 - p**d) ** groups
        yield Situation(f"{name} exact", exact, _decoding(n, d, p), "exact")
        variance = d * d * groups * p**d * (1 - p**d)
        yield Situation(
            f"{name} variance", variance, _decoding(n, d, p), "error", "variance", scale=n * n
        )
    star = {"family": "k-of-n", "n": 12, "k": 8, "load": 1.0}
    mean = sum(1 / i for i in range(5, 13))
    yield Situation(
        "8 of 12", mean, _time({"distribution": "exponential", "mean": 1.0}, star), "time"
    )
    for sigma in (1.0, 2.5, 3.0, 3.5):
        law = {"distribution": "lognormal", "mu": 0.0, "sigma": sigma}
        yield Situation(f"lognormal sigma={sigma}", math.exp(sigma**2 / 2), _time(law), "time")
    for shape in (2.1, 2.5, 4.5):
        law = {"distribution": "pareto", "shape": shape, "scale": 1.0}
        yield Situation(f"pareto shape={shape}", shape / (shape - 1), _time(law), "time")
    fast = {"distribution": "uniform", "low": 0.5, "high": 1.5}
    for probability, size in ((1e-8, 1e7), (1e-5, 1e4)):
        slow = {"distribution": "deterministic", "value": size}
        law = {"distribution": "bimodal", "p_slow": probability, "fast": fast, "slow": slow}
        truth = (1 - probability) + probability * size
        yield Situation(f"{size:g} with probability {probability:g}", truth, _time(law), "time")


def verdict(
    situation: Situation, factor: float, seed: int, trials: int, method: Method = "monte-carlo"
) -> str:
    """What is said of the number times a factor."""
    claim = situation.claim(factor)
    with in_threads() as pool:
        measured = measure([claim], pool, Options(trials, seed, method, ALPHA))
    return PendingVerdicts([claim], ALPHA).finish(measured)[0].verdict


def allowed(seeds: int) -> int:
    """Return the refutations among so many true statements that the rate makes likely."""
    reached, count = (1 - ALPHA) ** seeds, 0
    probability = reached
    while reached < CERTAINTY:
        probability *= (seeds - count) / (count + 1) * ALPHA / (1 - ALPHA)
        count += 1
        reached += probability
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables; exit with 1 if a true statement falls too often or a wrong one stands."""
    options = command.parse("bench.calibration", __doc__, arguments, "--only", "--json", seeds=1000)
    chosen = [each for each in situations() if options.only in each.name]
    rows: list[dict[str, Any]] = []
    most = allowed(options.seeds)
    print(f"true statements, {options.seeds} seeds: at most {most} refuted", flush=True)
    for each in chosen:
        for trials in BUDGETS:
            said = Counter(verdict(each, 1.0, seed, trials) for seed in range(1, options.seeds + 1))
            fine = said[REFUTED] <= most
            rows.append({"name": each.name, "trials": trials, "fine": fine, **said})
            print(
                f"{each.name:32} {trials:>9} {dict(said)}{'' if fine else '  TOO OFTEN'}",
                flush=True,
            )
    print(f"theories off by a factor: sharpest method, samples alone ({DEFAULT_TRIALS:,} at most)")
    for each in chosen:
        for factor in FACTORS:
            if each.quantity == "exact" and each.truth * factor > 1:
                continue
            sharp = verdict(each, factor, 1, DEFAULT_TRIALS, "exact")
            sampled = verdict(each, factor, 1, DEFAULT_TRIALS)
            fine = sharp == REFUTED and sampled in (REFUTED, UNDECIDED)
            rows.append({"name": each.name, "factor": factor, "fine": fine} | {sharp: 1})
            print(f"{each.name:32} {factor:>9}  {sharp:9} {sampled}", flush=True)
    command.write(options.json, rows)
    return 0 if all(row["fine"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
