"""The table of a benchmark, as Markdown: ``python -m bench.table RESULTS.json [--into PAGE.md]``.

Prints it; with ``--into`` it becomes all of a page's section *The figures*, too. Ratios are how
many times as long a peer takes; where there are several of a kind, the fastest counts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import command, targets
from bench.contests import FASTGC

SECTION = "## The figures\n"
COLUMNS = {"loop": "loop", "numpy": "best NumPy", "script": "published"}


def named(machine: Mapping[str, Any]) -> str:
    """What was measured on, and with what."""
    kind = machine["kind"] or "no floors are known for this kind of processor"
    names = ("Python", "NumPy", "Numba")
    versions = [f"{name} {machine[name.lower()]}" for name in names]
    return f"{machine['processor']} ({kind}), {machine['cores']} cores; {', '.join(versions)}"


def markdown(report: Mapping[str, Any]) -> str:
    """The table, with a line on the machine above and one on what was missed below."""
    contests = report["contests"]
    roles = [role for role in COLUMNS if any(_best(each, role) for each in contests)]
    peers = [f"× {COLUMNS[role]}" for role in roles]
    head = ["a trial of", "time", *peers, "targets"]
    rows = [head, ["---", *["--:"] * (len(head) - 2), "---"]]
    for each in contests:
        ratios = [_ratio(_best(each, role)) for role in roles]
        time = _time(each["nanoseconds"][FASTGC])
        rows.append([targets.words(each["name"]), time, *ratios, _verdict(each)])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    machine = report["machine"]
    above = f"{named(machine)}; {machine['date']}; one thread."
    return "\n\n".join([above, table, *_others(report)])


def _others(report: Mapping[str, Any]) -> Iterator[str]:
    scaled = [each for each in report.get("threads", []) if each["judged"]]
    if scaled:
        said = ", ".join(f"{each['name']} {each['ratio']:.2f}" for each in scaled)
        yield f"Two threads, as a multiple of one: {said}."
    if report.get("start"):
        said = ", ".join(f"{name} {took:.2f} s" for name, took in report["start"].items())
        yield f"Start: {said}."


def _best(contest: Mapping[str, Any], role: str) -> float | None:
    found = [ratio for peer, ratio in contest["ratios"].items() if targets.role(peer) == role]
    return min(found, default=None)


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ""
    if ratio >= 99.5:  # two digits of less than that are no power of ten
        return f"{float(f'{ratio:.2g}'):.0f}"
    return f"{ratio:.2g}" if ratio >= 10 else f"{ratio:.1f}"


def _time(nanoseconds: float) -> str:
    for unit, factor in (("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= factor:
            return f"{nanoseconds / factor:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def _verdict(contest: Mapping[str, Any]) -> str:
    ratios = contest["ratios"]
    missed = [p for p, floor in contest["floors"].items() if p in ratios and ratios[p] < floor]
    if missed:
        return "missed: " + ", ".join(f"{p} {contest['floors'][p]:g}" for p in missed)
    if not contest["floors"]:
        return ""
    short = [p for p, goal in contest["goals"].items() if p in ratios and ratios[p] < goal]
    return "met" if short else "goals met"


def put(page: str, made: str) -> str:
    """Make a text all of a page's section.

    Raises
    ------
    ValueError
        If the page has not one section of that name.
    """
    before, found, rest = page.partition(SECTION)
    if not found or SECTION in rest:
        raise ValueError(f"the page must have one section {SECTION.strip()!r}")
    _, next_one, after = rest.partition("\n## ")
    return f"{before}{SECTION}\n{made}\n{next_one}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    options = command.parse(
        "bench.table",
        __doc__,
        arguments,
        results_={"type": Path},
        into={"type": Path, "action": "append", "default": [], "metavar": "PAGE"},
    )
    report = json.loads(options.results.read_text(encoding="utf-8"))
    made = markdown(report)
    print(made)
    for page in options.into:
        page.write_text(put(page.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
