"""How far to believe the time that is left: ``python -m bench.eta [STUDY… | validate ARGUMENTS…]``.

Runs each packaged study, or those named, with trials for some 40 core-seconds at most, and the
claims of paper ``agc`` (or what follows the word ``validate``) with a log of JSON lines. From a
tenth of the time on, and after two seconds, what each line predicted is held against what then was
left; where the two differ by less than a second it does not count. Exits with 1 if the time left
was unknown, or off by more than a factor of 1.5, in more than a tenth of the time.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import command

FACTOR = 1.5
SLACK = 1.0  # seconds
BEGIN, SOON = 0.1, 2.0  # of the time; seconds
RARE = 0.1


@dataclass(frozen=True)
class Line:
    """What a log said after so many seconds: the time left, None where it did not know."""

    seconds: float
    eta: float | None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser(
        "bench.eta",
        __doc__,
        studies_={"nargs": "*", "help": "by default all, and the claims of paper agc"},
        most={"type": float, "default": 40.0, "help": "core-seconds of a study"},
        every={"default": "0.25", "help": "seconds from line to line"},
    )
    options, others = parser.parse_known_args(arguments)
    off = 0
    for words in _commands([*options.studies, *others], options.most):
        lines, total = listened([*words, "--log", "json", "--log-seconds", options.every])
        share, worst, unknown = judged(lines, total)
        off += share > RARE
        print(
            f"{' '.join(words):60} {total:7.1f} s  off for {share:4.0%} of the time, at worst "
            f"{worst:.2f} ×, unknown for {unknown:.0%}",
            flush=True,
        )
    return 1 if off else 0


def _commands(given: Sequence[str], most: float) -> Iterator[list[str]]:
    if given and given[0] == "validate":
        yield list(given)
        return
    import fastgc
    from fastgc.study.packaged import packaged

    for study in given or packaged():
        predicted = fastgc.dry_run(study).as_dict()
        trials = max((each["trials"]["value"] for each in predicted["sampled"]), default=1)
        share = min(1.0, most / max(predicted["core_seconds"]["all"]["value"], 1e-9))
        yield ["run", study, "--trials", str(max(1, int(trials * share)))]
    if not given:
        yield ["validate", "--paper", "agc"]


def listened(words: Sequence[str]) -> tuple[list[Line], float]:
    """Run a command with a log of JSON: what its lines predicted, and the seconds it took."""
    done = subprocess.run(
        [sys.executable, "-c", command.FASTGC, *words], capture_output=True, text=True, check=False
    )
    events = [json.loads(line) for line in done.stderr.splitlines()]
    lines = [Line(e["seconds"], e["eta"]) for e in events if e["event"] == "progress"]
    return lines, events[-1]["seconds"]


def judged(lines: Sequence[Line], total: float) -> tuple[float, float, float]:
    """From a tenth of the time on: share of lines off, largest factor, share without a time."""
    late = [line for line in lines if line.seconds >= max(BEGIN * total, SOON)]
    if not late:
        return 0.0, 1.0, 0.0
    factors = [_factor(line.eta, total - line.seconds) for line in late if line.eta is not None]
    unknown = len(late) - len(factors)
    off = unknown + sum(factor > FACTOR for factor in factors)
    return off / len(late), max(factors, default=1.0), unknown / len(late)


def _factor(predicted: float, left: float) -> float:
    """How many times too long or too short; 1 where both are about a second or less."""
    more, less = max(predicted, left), min(predicted, left)
    return 1.0 if more - less <= SLACK else more / max(less, 1e-9)


if __name__ == "__main__":
    sys.exit(main())
