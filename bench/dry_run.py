"""How well a dry run predicts: ``python -m bench.dry_run [STUDY…] [--trials N] [--set K=V]``.

Every packaged study, or those named, is predicted by one process and run by another, with a file.
Processor time is that of a run in a process that has run it before, less what it takes to read the
study, to choose its methods and to make codes and data; memory is the peak of the first run. A
study that would take longer than ``--most`` core-seconds gets fewer trials, on both sides. Exits
with 1 if anything is off by more than 30 %.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import command

LIMIT = 0.3
MOST = 60.0
MEBI = 1 << 20
QUANTITIES = ("trials", "core-s", "MiB", "bytes")


def main(arguments: Sequence[str] | None = None) -> int:
    options = command.parse(
        "bench.dry_run",
        __doc__,
        arguments,
        studies_={"nargs": "*", "metavar": "STUDY"},
        happen={"action": "store_true", "help": argparse.SUPPRESS},
        trials={"type": int, "help": "at most so many, on both sides"},
        threads={"type": int},
        set={"action": "append", "default": [], "metavar": "KEY=VALUE"},
        most=MOST,
    )
    if options.happen:
        print(json.dumps(happened(options.studies[0], options)))
        return 0
    from fastgc.study.packaged import packaged

    print(f"{'study':26}" + "".join(f"{name:>26}" for name in QUANTITIES))
    off = 0
    for study in options.studies or packaged():
        trials = options.trials
        expected = _predicted(study, options, trials)
        if expected["core_seconds"]["all"]["value"] > options.most and options.trials is None:
            most = max(each["trials"]["value"] for each in expected["sampled"])
            trials = int(most * options.most / expected["core_seconds"]["all"]["value"])
            expected = _predicted(study, options, trials)
        found = _child(["-m", "bench.dry_run", "--happen", study, *_given(options, trials)])
        pairs = list(zip(_numbers(expected), (found[name] for name in QUANTITIES), strict=True))
        off += sum(abs(ratio(*pair) - 1) > LIMIT for pair in pairs)
        line = "".join(f"{_said(a):>10}{_said(b):>10}{ratio(a, b):6.2f}" for a, b in pairs)
        low, high = (expected["core_seconds"]["all"][end] for end in ("low", "high"))
        within = "within" if low <= found["core-s"] <= high else "outside"
        print(f"{study:26}{line}  core-s {within} {low:.3g} to {high:.3g}", flush=True)
        for own, seen in zip(expected["sampled"], found["units"], strict=True):
            if own["trials"]["value"] != seen["trials"] or own["stopped_by"] != seen["stopped_by"]:
                print(f"  {own['name']}: {own['trials']}, {own['stopped_by']}; then {seen}")
    print(f"each: predicted, happened, predicted / happened; {off} further off than {LIMIT:.0%}")
    return 1 if off else 0


def ratio(predicted: float, seen: float) -> float:
    """Predicted over happened; 1 where there is nothing of it."""
    return predicted / seen if seen else 1.0 + predicted


def happened(study: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run a study twice, and say what it took."""
    from fastgc.results import store
    from fastgc.runs.plan import Plan
    from fastgc.runs.run import run
    from fastgc.study.study import Study

    given = {"overrides": options.set, "trials": options.trials}
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name) / "first.h5", Path(name) / "second.h5"
        run(study, out=first, threads=options.threads, **given)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        begun = time.process_time()
        for unit in Plan.of(Study.parse(study, **given)).units:
            for compiled in unit.compiled:
                compiled.prepare()
        read = time.process_time()
        run(study, out=second, threads=options.threads, **given)
        took = time.process_time() - read - (read - begun)
        units = store.load(first).units
        return {
            "trials": sum(unit.trials for unit in units),
            "core-s": took,
            "MiB": peak,
            "bytes": first.stat().st_size,
            "units": [{"trials": unit.trials, "stopped_by": unit.stopped_by} for unit in units],
        }


def _predicted(study: str, options: argparse.Namespace, trials: int | None) -> dict[str, Any]:
    given = _given(options, trials)
    return _child(["-c", command.FASTGC, "run", study, "--dry-run", "--json", *given])


def _numbers(expected: dict[str, Any]) -> tuple[float, ...]:
    return (
        sum(each["trials"]["value"] for each in expected["sampled"]),
        expected["core_seconds"]["all"]["value"],
        (expected["memory_bytes"] or 0) / MEBI,
        expected["file_bytes"],
    )


def _given(options: argparse.Namespace, trials: int | None) -> list[str]:
    words = [word for assignment in options.set for word in ("--set", assignment)]
    for name, value in (("trials", trials), ("threads", options.threads)):
        words += [] if value is None else [f"--{name}", str(value)]
    return words


def _child(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command.started(words).stdout)
    return found


def _said(value: float) -> str:
    return f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
