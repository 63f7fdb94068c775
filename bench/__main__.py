"""The command ``python -m bench``."""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from bench import command, table, targets, threads
from bench.contests import FASTGC, ContestOutcome, hold
from bench.timing import ROUNDS, machine, on_one_core
from bench.workloads import CONTESTS, NAMES, THREADS

TINY = 0.002


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if ``--check`` finds a floor missed or numbers that disagree."""
    options = command.parse(
        "bench", __doc__, arguments, *("--json", "--check", "--quick"), only=NAMES, rounds=ROUNDS
    )
    size, rounds = (TINY, 1) if options.quick else (1.0, options.rounds)
    chosen = options.only or NAMES
    report: dict[str, Any] = {"machine": machine(), "rounds": rounds, "contests": []}
    missed: list[str] = []
    wrong: list[str] = []
    begun = time.perf_counter()
    asked = "one thread, ns a trial, + the third best round"
    print(f"{table.named(report['machine'])}; {asked}; load {report['machine']['load'][0]:.2f}")
    with on_one_core():
        for name in CONTESTS:
            if name in chosen:
                outcome = hold(partial(CONTESTS[name], size), rounds)
                _print_outcome(outcome)
                report["contests"].append(asdict(outcome))
                wrong += outcome.disagreements
                missed += outcome.below
    if THREADS in chosen:
        report[THREADS] = threads.measured(rounds, size)
        missed += threads.complaints(report[THREADS])
    # of an unknown kind of processor it is not known what must be reached
    report["complaints"] = wrong if options.quick or targets.kind() is None else wrong + missed
    report["seconds"] = time.perf_counter() - begun
    share = report["seconds"] / targets.WHOLE
    print(f"{report['seconds']:.0f} s, {share:.0%} of {targets.WHOLE:g} s")
    report["load_after"] = machine()["load"]
    command.write(options.json, report)
    for complaint in report["complaints"]:
        print(complaint, file=sys.stderr)
    return 1 if options.check and report["complaints"] else 0


def _print_outcome(outcome: ContestOutcome) -> None:
    own = outcome.nanoseconds[FASTGC]
    state = "agree" if not outcome.disagreements else "DISAGREE"
    print(
        f"{outcome.name:13} {own:10.2f}  +{outcome.spread:.0%}; numbers {state}; "
        f"first call {outcome.first_call_seconds:.2f} s; "
        f"all {outcome.seconds:.1f} s, {outcome.seconds / targets.WHOLE:.1%} of the time"
    )
    for peer, ratio in outcome.ratios.items():
        floor, goal = outcome.floors.get(peer), outcome.goals.get(peer)
        asked = "" if floor is None else f"  floor {floor:g} ×, goal {goal:g} ×"
        print(f"  {peer:18} {outcome.nanoseconds[peer]:12.2f} {ratio:9.1f} ×{asked}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
