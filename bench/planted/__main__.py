"""The command ``python -m bench.planted``."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench import command
from bench.planted.bug import BUGS, Bug
from bench.planted.trial import ROOT, Settings, Validation, ask

UNDECIDED = "undecided"
CAUGHT, SURVIVED, GIVEN_UP = "caught", "survived", "given up"


@dataclass(frozen=True)
class BugOutcome:
    """What became of a bug: caught by these claims, tests or this failure, or not at all."""

    name: str
    effect: str
    counts: bool
    digits: bool
    outcome: str
    by: list[str]
    undecided: int
    claims: int
    tests: int
    seconds: float


def outcome_of(bug: Bug, answer: Validation, before: Validation) -> BugOutcome:
    """Compare what validation says with the bug with what it says without."""
    by = [
        f"{claim} {verdict}"
        for claim, verdict in answer.verdicts.items()
        if verdict not in (answer.expected[claim], UNDECIDED, before.verdicts.get(claim))
    ]
    by += [answer.failure] if answer.failure is not None else []
    by += [f"{test} fails" for test in answer.tests]
    outcome = CAUGHT if by else SURVIVED if answer.in_time else GIVEN_UP
    undecided = list(answer.verdicts.values()).count(UNDECIDED)
    counted = undecided, len(answer.verdicts), len(bug.tests), answer.seconds
    return BugOutcome(bug.name, bug.effect, bug.counts, bug.digits, outcome, by, *counted)


def hunt(
    bugs: Sequence[Bug], settings: Settings, cache: Path, jobs: int, report: Path | None
) -> list[BugOutcome]:
    """Plant each bug alone and validate what goes through it; first the tree as it is."""
    for bug in bugs:
        bug.planted((ROOT / bug.file).read_text(encoding="utf-8"))  # or it says that it cannot be
    claims = {claim for bug in bugs for claim in bug.claims}
    tests = {test for bug in bugs for test in bug.tests}
    before = ask(None, sorted(claims), sorted(tests), replace(settings, seconds=math.inf), cache)
    for said in (before.failure, *before.tests):
        if said is not None:
            raise RuntimeError(f"without any bug: {said}")
    looked = f"{len(before.verdicts)} claims, {len(tests)} tests"
    print(f"{'(no bug)':22} {looked}, {before.seconds:.0f} s", flush=True)
    found: list[BugOutcome] = []

    def one(bug: Bug) -> None:
        outcome = outcome_of(bug, ask(bug, bug.claims, bug.tests, settings, cache), before)
        found.append(outcome)
        looked = f"{outcome.claims} claims, {outcome.undecided} undecided, {outcome.tests} tests"
        said = "; ".join(outcome.by) or looked
        print(f"{bug.name:22} {outcome.outcome:9} {outcome.seconds:5.0f} s  {said}", flush=True)
        command.write(report, [asdict(each) for each in found])

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, bugs))
    return found


def summary(found: Sequence[BugOutcome]) -> str:
    """How many were caught of those that a claim can be expected to see, and with tests."""
    caught = [
        [x.outcome == CAUGHT for x in found if x.counts == counts] for counts in (True, False)
    ]
    digits = sum(each.digits and each.counts and each.outcome != CAUGHT for each in found)
    said = f"{sum(caught[0])} of {len(caught[0])} that count are caught"
    said += f" ({digits} of the others lose digits only)" if digits else ""
    said += f"; beside them {sum(caught[1])} of {len(caught[1])}"
    seen = [each.outcome == CAUGHT for each in found if each.counts or each.tests]
    if not seen:
        return said
    share = f"{sum(seen)} of {len(seen)} ({sum(seen) / len(seen):.0%})"
    return f"{said}\nvalidate with the tests named beside bugs catches {share} that it should"


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant bugs; 2 where there is no such bug."""
    options = command.parse(
        "bench.planted",
        __doc__,
        arguments,
        "--json",
        names_={"nargs": "*", "metavar": "NAME", "help": "bugs to plant; all by default"},
        list={"action": "store_true", "help": "only say which there are"},
        trials={"type": int, "default": 2_000_000, "help": "at most"},
        threads=1,
        jobs={"type": int, "default": 1, "help": "bugs planted side by side"},
        day={"action": "store_true", "help": "tests of the day alone: its own, its package's"},
        seconds={"type": float, "default": 600.0, "help": "until a bug is given up"},
    )
    for name in options.names:
        if name not in BUGS:
            print(f"no bug is called {name!r}; --list names them", file=sys.stderr)
            return 2
    bugs = [BUGS[name] for name in options.names] or list(BUGS.values())
    if options.list:
        for bug in bugs:
            print(f"{bug.name:22} {bug.file}\n{'':22} {bug.effect}")
        return 0
    if options.day:
        tests = {bug.name: {*bug.tests, bug.folder_of_tests} for bug in bugs}
        bugs = [replace(bug, claims=(), tests=tuple(sorted(tests[bug.name]))) for bug in bugs]
    asked = [bug for bug in bugs if bug.claims or bug.tests]
    settings = Settings(options.trials, options.threads, options.seconds, not options.day)
    with tempfile.TemporaryDirectory() as name:
        found = hunt(asked, settings, Path(name).resolve(), options.jobs, options.json)
    print(summary(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
