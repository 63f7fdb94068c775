"""The command ``python -m bench``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import start, threads
from bench.contests import FASTGC, Outcome, hold
from bench.timing import ROUNDS, machine
from bench.workloads import CONTESTS, NAMES, START, THREADS

TINY = 0.002


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if ``--check`` finds a floor missed or numbers that disagree."""
    options = _parser().parse_args(arguments)
    size, rounds = (TINY, 1) if options.quick else (1.0, options.rounds)
    chosen = options.only or NAMES
    report: dict[str, Any] = {"machine": machine(), "rounds": rounds}
    complaints: list[str] = []
    _print_machine(report["machine"])
    report["contests"] = []
    for name in CONTESTS:
        if name in chosen:
            outcome = hold(CONTESTS[name](size), rounds)
            _print_outcome(outcome)
            report["contests"].append(asdict(outcome))
            complaints += outcome.disagreements
            if not options.quick:
                complaints += outcome.below
    if THREADS in chosen:
        report[THREADS] = []
        for speedup in threads.speedups(rounds, size):
            idle = "" if speedup.judged else f", not judged: others used {speedup.others:.2f} cores"
            print(
                f"{speedup.name:13} two threads {speedup.ratio:.2f} × one "
                f"(floor {threads.FLOOR} ×, load {speedup.load:.2f}{idle})"
            )
            report[THREADS].append(asdict(speedup))
            if speedup.judged and speedup.ratio < threads.FLOOR and not options.quick:
                complaints.append(f"{speedup.name}: two threads {speedup.ratio:.2f} × one")
    if START in chosen:
        times = start.seconds(1 if options.quick else min(rounds, 5))
        print("start         " + ", ".join(f"{key} {took:.2f} s" for key, took in times.items()))
        print(f"              floor: warm {start.WARM_FLOOR} s")
        report[START] = times
        if times["warm"] > start.WARM_FLOOR and not options.quick:
            complaints.append(f"start: {times['warm']:.2f} s warm")
    report["complaints"] = complaints
    report["load_after"] = machine()["load"]
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if options.check and complaints else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", action="append", choices=NAMES, help="can be repeated")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="the best of so many counts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--check", action="store_true", help="exit 1 below a floor")
    parser.add_argument(
        "--quick", action="store_true", help="tiny, one round: shows only that everything runs"
    )
    return parser


def _print_machine(found: dict[str, Any]) -> None:
    print(
        f"{found['processor']}, {found['cores']} cores, load {found['load'][0]:.2f}; "
        f"Python {found['python']}, NumPy {found['numpy']}, numba {found['numba']}; "
        "one thread, ns a trial"
    )


def _print_outcome(outcome: Outcome) -> None:
    own = outcome.nanoseconds[FASTGC]
    state = "agree" if not outcome.disagreements else "DISAGREE"
    print(
        f"{outcome.name:13} {own:10.2f}  numbers {state}; "
        f"first call {outcome.first_call_seconds:.2f} s"
    )
    for peer, ratio in outcome.ratios.items():
        floor = outcome.floors.get(peer)
        asked = "" if floor is None else f"  floor {floor:g} ×"
        print(f"  {peer:18} {outcome.nanoseconds[peer]:12.2f} {ratio:9.1f} ×{asked}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
