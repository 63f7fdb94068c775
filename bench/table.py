"""The table of a benchmark, as Markdown: ``python -m bench.table RESULTS.json [--into PAGE.md]``.

Prints it; with ``--into`` it becomes a page's last section, *The figures*, too. Ratios are how many
times as long a peer takes; where there are several of a kind, the fastest counts.
"""

import json
from collections.abc import Mapping, Sequence
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
    """The table, with a line on the machine above."""
    contests = report["contests"]
    roles = [role for role in COLUMNS if any(_best(each, role) for each in contests)]
    peers = [f"× {COLUMNS[role]}" for role in roles]
    rows = [["a trial of", "time", *peers], ["---", *["--:"] * (1 + len(peers))]]
    for each in contests:
        ratios = [_ratio(_best(each, role)) for role in roles]
        time = _time(each["nanoseconds"][FASTGC])
        rows.append([targets.words(each["name"]), time, *ratios])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    machine = report["machine"]
    above = f"{named(machine)}; {machine['date']}; one thread."
    scaled = [each for each in report.get("threads", []) if each["judged"]]
    said = ", ".join(f"{each['name']} {each['ratio']:.2f}" for each in scaled)
    below = [f"Two threads, as a multiple of one: {said}."] if scaled else []
    return "\n\n".join([above, table, *below])


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


def put(page: str, made: str) -> str:
    """Make a text all of a page's last section."""
    before, _ = page.split(SECTION)
    return f"{before}{SECTION}\n{made}\n"


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
