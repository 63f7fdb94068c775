"""The page of the table of codes, from its data."""

from itertools import groupby

from fastgc.searching.known import Cell

from fastgc.searching import known

BEGIN = """
# Codes that were found

How little error can a gradient code have whose n workers hold at most d of k = n partitions each?
For n ≤ 20 and d ≤ 5 this table has the best of fastgc's families, the best code that was found,
and a lower bound that no code goes below. A value says what it is: *better than every family that
fastgc knows*, or *equal to the lower bound*, hence least. Where it is neither, a better code may
be waiting.

- **Families** are all of `fastgc help keys` that fit n and d, random ones with the seeds 1, 2 and 3
  and 0/1 circulants of any offsets among them. They are published, so a code that is one of them is
  no find. **Other constructions** are counted apart, because they are obvious variants: repetition
  in groups of any sizes, and 0/1 codes of groups other than the cyclic one.
- **Lower bounds** rest on partitions that no survivor holds: each costs 1, whatever the weights.
  `fastgc.searching.bounds` has them with their proofs.
- **Codes** stand side by side from parts that share no partition, so errors add up. Parts were
  looked for by descent over spaces that hold the vector of ones, and over 0/1 structures.
- `python -m bench.found` judges every improvement once more, by least squares pattern by pattern in
  NumPy alone; `python -m bench.found make FOLDER` makes the table.

{counts}

```python
from fastgc.searching import known

cell = known.cell(7, 3, p=0.1)
print(cell.is_better, cell.is_least, cell.matrix.shape)
```

```text
True False (7, 7)
```

`cell.code` goes wherever a code does, and `cell.matrix` into a study as `rows`.
"""

MEAN = """
## Mean error

Workers straggle independently with probability p, and the optimal decoder is used. Where d divides
n, fractional repetition has n·pᵈ, which is the lower bound; the other cells follow. A cell reads:
error of the code that was found, how much less that is than the best family (in brackets, than the
best of families and other constructions), and its ratio to the lower bound n·pᵈ. *Weight* is the
largest that the decoder gives an answer: many of these codes live on differences of nearly equal
columns, and need answers with that many more digits than the gradient should have.

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
    mean = [cell for cell in known.cells() if cell.p is not None]
    worst = [cell for cell in known.cells() if cell.s is not None]
    said = "\n".join(_counts(*each) for each in (("Mean error", mean), ("Worst error", worst)))
    page = BEGIN.strip().format(counts=said) + "\n" + MEAN
    for (n, d), own in groupby(sorted(mean, key=_place), _place):
        found = {cell.p: cell for cell in own}
        if n % d:
            parts = " + ".join(sorted((part.split("-")[0] for part in found[0.1].parts), key=int))
            weights = max(cell.weight or 1.0 for cell in found.values())
            cells = " | ".join(_mean(found[p]) for p in (0.05, 0.1, 0.2))
            page += f"| {n} | {d} | {parts} | {cells} | {weights:.2g} |\n"
    page += WORST
    for (n, d), own in groupby(sorted(worst, key=_place), _place):
        by = {cell.s: cell for cell in own}
        cells = " | ".join(_worst(by[s]) if s in by else "" for s in (2, 3, 4, 5))
        if d > 1:
            page += f"| {n} | {d} | {cells} |\n"
    return page


def _place(cell: Cell) -> tuple[int, int]:
    return cell.n, cell.d


def _counts(what: str, cells: list[Cell]) -> str:
    found = known.counts(cells)
    return (
        f"- {what}: {found['cells']} cells; in {found['better']} the code is better than every "
        f"family, in {found['new']} of them better than other constructions, too; in "
        f"{found['least']} the error equals the lower bound, in {found['better and least']} of "
        f"them by a code that is better than every family."
    )


def _mean(cell: Cell) -> str:
    both = 1 - cell.value / min(cell.family, cell.construction)
    less = f"−{100 * cell.gain:.0f} % (−{100 * both:.0f} %)" if cell.is_better else "family"
    return f"{cell.value:.4g}, {less}, × {cell.value / cell.bound:.3g}"


def _worst(cell: Cell) -> str:
    value = f"{cell.value:.5g}"
    if cell.is_better:
        value = f"**{value}** ({cell.family:.5g})"
    return f"{value} ✓" if cell.is_least else f"{value} ≥ {cell.bound:.0f}"
