"""The page of the table of codes, from its data."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.found.check import LESS
from fastgc.searching import table

Cell = Mapping[str, Any]

LARGEST, MOST_LOAD = 20, 5
#: Values above a bound by a smaller share are equal to it.
EQUAL = 1e-9

BEGIN = """
# Codes that were found

How little error can a gradient code have whose n workers hold at most d of k = n partitions each?
For n ≤ 20 and d ≤ 5 this table has the best of fastgc's families, the best code that was found,
and a lower bound that no code goes below. A value says what it is: *better than every family that
fastgc knows*, or *equal to the lower bound*, hence least. Where it is neither, a better code may
be waiting.

- **Families** are those of `fastgc help keys` that fit n and d, with real entries: random ones with
  the seeds 1, 2 and 3, 0/1 circulants of any offsets, and stochastic blocks that repeat w
  partitions on w workers. They are published, so a code that is one of them is no find. With
  d = n − 1 so little is free that chosen seeds come near any code: there `cyclic` and `ye-abbe`
  have 10 000 seeds, judged as the codes are. Not tried are `bernoulli`, `heterogeneous-binary`,
  random stochastic blocks, graphs by their edges, and other seeds. A code counts as better from
  0.1 % less error on.
- **Complex codes** are left out, since their answers are twice as long. Some have less error: the
  family `cyclic-mds` with `field = "complex"` for d = n − 1 and odd n (n = 3: 9 %, n = 5: 4 %), and
  for the worst error with d = 2, odd n and s = 3.
- **Other constructions** are counted apart, because they are obvious variants: repetition in groups
  of any sizes, and 0/1 codes of groups other than the cyclic one.
- **Lower bounds** rest on partitions that no survivor holds: each costs 1, whatever the weights.
  `fastgc.searching.bounds` has them with their proofs.
- **Codes** stand side by side from parts that share no partition, so errors add up. Parts were
  looked for by descent over spaces that hold the vector of ones, and over 0/1 structures.
- `python -m bench.found` judges every improvement once more, by least squares pattern by pattern in
  NumPy alone; `python -m bench.found make FOLDER` makes the table. `fastgc search` looks for
  [other codes](new-code.md).

{counts}

```sh
fastgc search --show 7,3
fastgc search --show 7,3 p=0.1 -o best.csv
fastgc inspect best.csv -p 0.1
```
"""

MEAN = """
## Mean error

Workers straggle independently with probability p, and the optimal decoder is used. Where d divides
n, fractional repetition has n·pᵈ, which is the lower bound; the other cells follow. A cell reads:
error of the code that was found, how much less that is than the best family (in brackets, than the
best of families and other constructions), and its ratio to the lower bound n·pᵈ. *Weight* is the
largest that the decoder gives an answer: many of these codes live on differences of nearly equal
columns, and need answers with that many more digits than the gradient should have. What is left of
a column counts from 1e-4 of it on, so errors may be up to 0.5 % less, never more.

| n | d | parts | p = 0.05 | p = 0.1 | p = 0.2 | weight |
|---|---|---|---|---|---|---|
"""

WORST = """
## Worst error

All sets of s stragglers, the optimal decoder. With s < d cyclic codes leave no error; from s = d
on, a cell reads: the error of the best code that is known here. **Bold** codes are better than
every family, whose best follows in brackets; a ✓ says that the error equals the bound, which
otherwise follows after ≥.

| n | d | s = 2 | s = 3 | s = 4 | s = 5 |
|---|---|---|---|---|---|
"""


def codes_found() -> str:
    """Return the page ``codes-found.md``."""
    sizes = [(n, d) for n in range(1, LARGEST + 1) for d in range(1, min(n, MOST_LOAD) + 1)]
    rows = [(n, d, table.cells(n, d)) for n, d in sizes]
    mean = [cell for _, _, cells in rows for cell in cells if "p" in cell]
    worst = [cell for _, _, cells in rows for cell in cells if "s" in cell]
    said = "\n".join(_counts(*each) for each in (("Mean error", mean), ("Worst error", worst)))
    page = BEGIN.strip().format(counts=said) + "\n" + MEAN
    for n, d, cells in rows:
        if n % d:
            own = [cell for cell in cells if "p" in cell]
            parts = " + ".join(
                map(str, sorted(int(name.split("-")[0]) for name in own[1]["parts"]))
            )
            weight = max(cell["weight"] for cell in own)
            page += f"| {n} | {d} | {parts} | {' | '.join(map(_mean, own))} | {weight:.2g} |\n"
    page += WORST
    for n, d, cells in rows:
        by = {cell["s"]: cell for cell in cells if "s" in cell}
        if d > 1 and by:
            said = " | ".join(_worst(by[s]) if s in by else "" for s in (2, 3, 4, 5))
            page += f"| {n} | {d} | {said} |\n"
    return page


def is_better(cell: Cell, than: str = "family") -> bool:
    """Whether a code has less error than every family, or ``than`` every other construction."""
    return bool(cell["value"] < cell[than] * (1 - LESS))


def is_least(cell: Cell) -> bool:
    """Whether the error equals the lower bound."""
    return bool(cell["value"] <= cell["bound"] * (1 + EQUAL))


def counts(cells: Sequence[Cell]) -> tuple[int, int, int, int]:
    """Cells better than families; than other constructions, too; least; better and least."""
    better = [cell for cell in cells if is_better(cell)]
    return (
        len(better),
        sum(is_better(cell, "construction") for cell in better),
        sum(map(is_least, cells)),
        sum(map(is_least, better)),
    )


def _counts(what: str, cells: Sequence[Cell]) -> str:
    better, new, least, both = counts(cells)
    return (
        f"- {what}: {len(cells)} cells. In {better} the code is better than every family, in {new} "
        f"of them better than other constructions, too. In {least} the error equals the lower "
        f"bound, in {both} of them by a code that is better than every family."
    )


def _mean(cell: Cell) -> str:
    value, family, ratio = cell["value"], cell["family"], cell["value"] / cell["bound"]
    less = "a family"
    if is_better(cell):
        both = 1 - value / min(family, cell["construction"])
        less = f"{100 * (1 - value / family):.2g} % ({100 * both:.2g} %)"
    return f"{value:.4g}, {less}, × {ratio:.3g}"


def _worst(cell: Cell) -> str:
    value = f"{cell['value']:.5g}"
    if is_better(cell):
        value = f"**{value}** ({cell['family']:.5g})"
    return f"{value} ✓" if is_least(cell) else f"{value} ≥ {cell['bound']:.0f}"
