"""The atlas, as text for the terminal, as a page, and as a table of all its numbers."""

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgc.registry.numbers import counted
from fastgc.report.document import (
    Block,
    Cell,
    Document,
    Figure,
    Interval,
    Items,
    Paragraph,
    Section,
    Table,
)
from fastgc.report.pages.parts import MISSING, repeat
from fastgc.report.pictures.atlas import SHORT, of_atlas
from fastgc.report.ranking import WIDTH, number
from fastgc.report.sweeps import as_text
from fastgc.report.text import wrapped

Data = Mapping[str, Any]

#: Columns of the table of all numbers: what stands above, and families of which it is the best.
_COLUMNS = (
    ("code", ("gradient-code", "replication", "coded-reduce")),
    ("clones", ("clones",)),
    ("leave out", ("leave-out",)),
    ("balanced", ("balanced",)),
    ("spare", ("spare",)),
    ("bounded wait", ("bounded-wait",)),
    ("drop late", ("drop-late",)),
    ("local SGD", ("local-sgd",)),
)
_KINDS = {
    "code": "a gradient code or replication",
    "sharing": "leaving workers out or sharing out the work by speed",
    "nothing": "doing nothing",
}


def atlas(found: Data) -> str:
    """Return an atlas as text: what was found, the map, and what was refused."""
    lines = [line for said in findings(found) for line in [*wrapped(said, WIDTH), ""]]
    made = _map(found)
    lines += [*wrapped(made.caption, WIDTH), *as_text(made, WIDTH)]
    notes = ["–: nothing saves 1 %." + " ?: the rows do not decide." * (not found["of_laws"])]
    notes += [f"{each['name']}: {each['note']}." for each in found["subjects"] if each["note"]]
    for said in [*notes, *(f"{each['name']}: {each['reason']}" for each in found["refused"])]:
        lines += ["", *wrapped(said, WIDTH)]
    return "\n".join(lines)


def page(found: Data, command: str) -> Document:
    """Return an atlas as a page; ``command`` makes the same one."""
    maps: list[Block] = []
    curves: list[Block] = []
    if importlib.util.find_spec("matplotlib") is None:
        maps.append(Paragraph(MISSING))
    else:
        for each in of_atlas(found):
            own = maps if each.kind == "atlas" else curves
            own.append(Figure(each, each.title, each.caption))
    sections = [
        Section("map", "Who wins where", [*maps, *map(Paragraph, _READING[:2])]),
        Section("break-even", "Up to what cost codes pay", [*curves, _break_even(found)]),
        Section("numbers", "All numbers", [Paragraph(_READING[2]), _numbers(found)]),
    ]
    if found["refused"]:
        rows = [(each["name"], each["reason"]) for each in found["refused"]]
        table = Table("Recordings that cannot tell", ("recording", "why"), rows)
        sections.append(Section("refused", "Refused", [table]))
    sections.append(Section("how", "What was done, and what it cannot tell", [_how(found)]))
    sections.append(repeat([command]))
    return Document(found["title"], list(findings(found)), sections)


def records(found: Data) -> list[list[Any]]:
    """Return lines of a table, its heads first: one for each system of each field."""
    heads = ["subject", "workers", "rounds", "cost", "share", "family", "system", "gradient"]
    lines = [[*heads, "load", "time", "low", "high", "wins", "decided"]]
    for subject in found["subjects"]:
        for cell in subject["cells"]:
            for each in cell["systems"]:
                family = each["system"]["family"]
                lines.append(
                    [
                        *(subject[key] for key in ("name", "workers", "rounds")),
                        *(cell[key] for key in ("cost", "share")),
                        *(family, _settings(each["system"]), each["gradient"], each["load"]),
                        *(each["time"][key] for key in ("value", "low", "high")),
                        *(family == cell["winner"], cell["decided"]),
                    ]
                )
    return lines


def _settings(system: Data) -> str:
    return " ".join(f"{key}={system[key]}" for key in system if key not in ("family", "basis"))


# ---- Sentences


def findings(found: Data) -> Iterator[str]:
    """Yield what an atlas says, in sentences."""
    subjects = found["subjects"]
    if not subjects:
        yield "No recording can tell: see below, why."
        return
    what = "pairs of a law and a number of workers" if found["of_laws"] else "recordings"
    costs = [cost for cost in found["costs"] if cost not in ("fitted", "in proportion")]
    parts = []
    for kind, name in _KINDS.items():
        counts = [_wins(found, cost, kind) for cost in costs]
        parts.append(f"{name} in {_several(counts)}")
    many = counted(len(subjects), what)
    yield (
        f"What is fastest of all that makes the exact gradient depends on what load costs. Where "
        f"{_several([f'{100 * float(cost):g}' for cost in costs])} % of the mean time grow with "
        f"the load, it is, of {many}: {'; '.join(parts)}."
    )
    if not found["of_laws"]:
        own = [cell["decided"] for each in subjects for cell in each["cells"]]
        yield (
            "It was chosen on the first half of the rows; the second half says the same, at 95 %, "
            f"in {sum(own)} of {counted(len(own), 'fields')}."
        )
    if "in proportion" in found["costs"]:
        there = {name: _wins(found, "in proportion", kind) for kind, name in _KINDS.items()}
        said = ", ".join(f"{name} in {count}" for name, count in there.items())
        yield f"Where times are in proportion to the load, slow ones too, it is {said}."
    for subject in subjects:
        for cell in subject["cells"]:
            if cell["cost"] == "fitted":
                doubt = "" if cell["decided"] else ", but the rows do not decide it"
                worth = f"in {_time(cell):.2f} of the time of uncoded work"
                if _time(cell) > 1:
                    worth = (
                        "by the first half of the rows; in the second it takes "
                        f"{_time(cell):.2f} times as long as uncoded work"
                    )
                yield (
                    f"{subject['name']}, whose family has several loads: {100 * cell['share']:.2g} "
                    f"% of the mean time grows with the load, and the fastest is "
                    f"{_name(cell['winner'])}, {worth}{doubt}."
                )
    cells = [cell for each in subjects for cell in each["cells"]]
    both = [(_best(c, ("spare",)), _best(c, ("gradient-code", "replication"))) for c in cells]
    pairs = [(one["time"]["value"], two["time"]["value"]) for one, two in both if one and two]
    better = sum(one <= two * (1 + 1e-9) for one, two in pairs)
    if pairs:
        yield (
            "If every worker may draw mini-batches of its own, spare workers take no longer than "
            f"the best code in {better} of {len(pairs)} fields."
        )


def _several(found: Sequence[Any]) -> str:
    *first, last = map(str, found)
    return f"{', '.join(first)} and {last}" if first else last


def _wins(found: Data, cost: str, kind: str) -> int:
    return sum(
        cell["kind"] == kind
        for each in found["subjects"]
        for cell in each["cells"]
        if cell["cost"] == cost
    )


def _name(family: str) -> str:
    return {"uncoded": "uncoded work"}.get(family, family)


_READING = (
    "A field is a recording or a law at a cost of load: the part of the mean time of an equal "
    "share that grows with the load, from 1 (all of it is work) to 0 (more work costs nothing). "
    "Its colour is the kind of the fastest remedy that makes the exact gradient of one batch; the "
    "number is its time ÷ that of uncoded work. A remedy that saves less than 1 % does not win.",
    "Of a recording, systems are chosen on the first half of the rows and judged on the second. "
    "A field is hatched where, at 95 %, the rows of the second half do not say that the winner is "
    "faster than the best of the other kinds, all at once, rows being drawn again in blocks; or "
    "where all rows make fewer than 10 blocks.",
    "Times of the best system of each scheme ÷ that of uncoded work, and the interval of the "
    "winner's. Spare workers make the gradient of other batches, bounded wait and drop late lose a "
    "share of it, local SGD makes it stale: time alone does not compare these with the others.",
)


def _how(found: Data) -> Items:
    """Return how it was done, and what it leaves out."""
    said = [
        "A time at another load is the recorded time + cost · mean · (n · load − 1): slow moments "
        "do not grow with the load. Where they do, codes gain less.",
        "Workers are free at the beginning of each round: what a late worker still does is not "
        "carried over.",
        "Of each scheme some parameters are looked at, at most 32, small ones close to each other.",
    ]
    if found["of_laws"]:
        said += [
            "All values are exact: nothing is sampled. Workers are independent of each other, and "
            "rounds too, but where spells are named; then work is shared out by who was slow in "
            "the round before.",
            "A law is no recording: real workers are slow for reasons, and stay so.",
        ]
    else:
        said += [
            "Each recorded time is taken for that of an equal share of the work. Only “fitted” "
            "takes the loads that files of a family have, by their names or by --fit, for shares "
            "of all of the work; it is decided where both ends of the rate's interval agree.",
            "drop-late waits until nine tenths of the first half's times are in, or longer where "
            "that takes little more time; clones begin a copy then or at their median; bounded "
            "wait leaves out a tenth of the workers; "
            "local SGD takes 4 rounds, or 2, and is judged on all rows.",
            f"Rows are drawn again from seed {found['seed']}.",
        ]
        said += [f"{each['name']}: {each['note']}." for each in found["subjects"] if each["note"]]
    return Items(said)


# ---- Tables


def _map(found: Data) -> Table:
    rows: list[Sequence[Cell]] = []
    for each in found["subjects"]:
        cells = {cell["cost"]: _short(cell) for cell in each["cells"]}
        rows.append((each["name"], *(cells.get(cost, "") for cost in found["costs"])))
    caption = (
        "The fastest that makes the exact gradient, and its time ÷ that of uncoded work, by the "
        "part of the mean time that grows with the load"
    )
    return Table(caption, ("law" if found["of_laws"] else "recording", *found["costs"]), rows)


def _short(cell: Data) -> str:
    open_ = "" if cell["decided"] else "?"
    if cell["kind"] == "nothing":
        return f"{SHORT['uncoded']}{open_}"
    return f"{SHORT[cell['winner']]} {_time(cell):.2f}{open_}"


def _time(cell: Data) -> float:
    return float(_best(cell, (cell["winner"],))["time"]["value"])


def _best(cell: Data, families: Sequence[str]) -> Any:
    own = [each for each in cell["systems"] if each["system"]["family"] in families]
    return min(own, key=lambda each: each["time"]["value"], default=None)


def _numbers(found: Data) -> Table:
    kept = [
        (head, families)
        for head, families in _COLUMNS
        if any(_best(c, families) for each in found["subjects"] for c in each["cells"])
    ]
    rows: list[Sequence[Cell]] = []
    for subject in found["subjects"]:
        for cell in subject["cells"]:
            best = [_best(cell, families) for _, families in kept]
            cells = ["–" if each is None else number(each["time"]["value"], 3) for each in best]
            won = _best(cell, (cell["winner"],))
            wins = SHORT[cell["winner"]] if cell["kind"] != "nothing" else "nothing"
            ends: list[Cell] = []
            if not found["of_laws"]:
                plain = cell["kind"] == "nothing"
                ends = ["" if plain else Interval(won["time"]["low"], won["time"]["high"])]
            wins += "" if cell["decided"] else "?"
            rows.append((subject["name"], cell["cost"], wins, *ends, *cells))
    interval = [] if found["of_laws"] else ["95 % interval"]
    heads = ("law" if found["of_laws"] else "recording", "cost", "wins", *interval)
    caption = "Time ÷ that of uncoded work; ?: the rows do not decide which kind wins"
    return Table(caption, (*heads, *(head for head, _ in kept)), rows, 2)


def _break_even(found: Data) -> Table:
    rows: list[Sequence[Cell]] = []
    for each in found["subjects"]:
        even = each["break_even"]
        if even is not None:
            past = even["value"] >= even["highest"] * (1 - 1e-9)
            value: Cell = f"≥ {even['highest']:.3g}" if past else number(even["value"], 3)
            ends = () if found["of_laws"] else (Interval(even["low"], even["high"]),)
            rows.append((each["name"], each["workers"], value, *ends))
    rows = [tuple(str(cell) if isinstance(cell, int) else cell for cell in row) for row in rows]
    interval = [] if found["of_laws"] else ["95 % interval"]
    heads = ("law" if found["of_laws"] else "recording", "workers", "codes pay up to", *interval)
    return Table(
        "The part of the mean time that may grow with the load until no code is the fastest"
        + ("" if found["of_laws"] else "; it and the curves are of all rows"),
        heads,
        rows,
    )
