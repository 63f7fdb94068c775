"""Changes drawn at random over a package: ``python -m bench.mutations --package systems``.

Each changes one operator, one constant or one condition, or drops one statement, in a copy of the
tree, where the tests of the package's own folder then run. It is *caught* if one fails, *given up*
if they take too long, *not compiled* if Python refuses it; else it *survived*, and whether it
changes anything that a user could see is not known. Bugs that somebody thought of: `bench.planted`.
"""

from __future__ import annotations

import ast
import copy
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import command
from bench.planted.bug import KERNELS
from bench.planted.trial import ROOT, Settings, _run, copy_of
from fastgc.statistics.estimates import normal_quantile
from fastgc.statistics.shares import wilson

CAUGHT, SURVIVED, GIVEN_UP, NOT_COMPILED = "caught", "survived", "given up", "not compiled"
LAYERS: dict[str, list[str]] = {"day": [], "night": ["--all"]}  # by day what pytest runs itself
_PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)),
    *((ast.And, ast.Or), (ast.FloorDiv, ast.Div), (ast.Mod, ast.Add), (ast.Pow, ast.Mult)),
)
_SWAPS = {other: one for one, other in reversed(_PAIRS)} | dict(_PAIRS)
#: What is not run, has no place of its own in the source, or is read by type checkers alone.
_PASSED_OVER = ("annotation", "returns", "type_params")
#: Arguments that say only how much is kept for the next call.
_OF_CACHES = ("cache", "maxsize")


@dataclass(frozen=True)
class Mutation:
    """A change of a file: bytes from ``start`` to ``end`` become ``after``."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    before: str
    after: str

    def plant(self, folder: Path) -> bool:
        """Change the copy of the tree in a folder; say whether Python takes it."""
        text = (folder / self.file).read_bytes()
        changed = text[: self.start] + self.after.encode() + text[self.end :]
        try:
            compile(changed, self.file, "exec")
        except SyntaxError:
            return False
        (folder / self.file).write_bytes(changed)
        return True


def mutations(file: str, source: str) -> list[Mutation]:
    """Return every change that may be drawn in a file, in the order of the source.

    >>> [(each.kind, each.after) for each in mutations("f.py", "if a < 2:\\n    a += f(not b)")]
    [('operator', '(a <= 2)'), ('constant', '3'), ('statement', 'pass'), ('condition', '(b)')]
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in _nodes(ast.parse(source)):
        for kind, after in _changes(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            before = source.encode()[start:end].decode()
            found.append(Mutation(file, node.lineno, kind, start, end, before, after))
    return found


def _is_unseen(node: ast.AST) -> bool:
    """Whether what stands inside is for readers: words of messages, types, sizes of caches."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.keyword):
        return node.arg in _OF_CACHES
    return isinstance(node, ast.JoinedStr | ast.Raise)


def _nodes(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield what is run, from the outside inwards."""
    for name, value in ast.iter_fields(node):
        if name in _PASSED_OVER or _is_unseen(node):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            if isinstance(child, ast.AST):
                yield from _nodes(child)


def _changes(node: ast.expr | ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the kind of each change of a node, and what then stands there."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield "constant", str(not node.value)
        elif isinstance(node.value, int | float):
            yield "constant", repr(node.value + 1)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "condition", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _SWAPS:
        changed = copy.copy(node)
        changed.op = _SWAPS[type(node.op)]()  # type: ignore[assignment]
        yield "operator", f"({ast.unparse(changed)})"
    elif isinstance(node, ast.Compare):
        for place, own in enumerate(node.ops):
            if type(own) in _SWAPS:
                ops = [*node.ops[:place], _SWAPS[type(own)](), *node.ops[place + 1 :]]
                yield "operator", f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})"
    elif isinstance(node, ast.AugAssign | ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "statement", "pass"


def drawn(package: str, count: int, seed: int) -> list[Mutation]:
    """Return so many changes of a package, each of all that there are as likely."""
    folder = Path(KERNELS, "fastgc_kernels") if package == KERNELS else Path("fastgc", package)
    files = sorted((ROOT / folder).rglob("*.py"))
    every = [
        each
        for file in files
        for each in mutations(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8"))
    ]
    return random.Random(seed).sample(every, min(count, len(every)))


def outcome_of(mutation: Mutation | None, tests: Sequence[str], seconds: float, cache: Path) -> str:
    """Return what becomes of a change, of none: whether the tests pass at all."""
    with tempfile.TemporaryDirectory() as name:
        folder = copy_of(None, Path(name).resolve() / "tree")
        if mutation is not None and not mutation.plant(folder):
            return NOT_COMPILED
        if mutation is not None and mutation.file.startswith(KERNELS):
            cache = Path(name) / "cache"
        cache.mkdir(parents=True, exist_ok=True)
        kept = folder / ".pytest_cache" / "kernels"  # where the suite keeps them
        kept.parent.mkdir()
        kept.symlink_to(cache, target_is_directory=True)
        words = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider"]
        done = _run([*words, *tests], folder, cache, Settings(0, 1, seconds))
        if done is None:
            return GIVEN_UP
        if done.returncode > 2:  # it is 1 where tests fail, 2 where files of them cannot be loaded
            raise RuntimeError(f"pytest, exit {done.returncode}: {done.stdout}{done.stderr}")
        return CAUGHT if done.returncode else SURVIVED


def summary(outcomes: Sequence[str]) -> str:
    """Say how many were caught of those that ran to an end, with a 95 % interval of Wilson's."""
    counts = Counter(outcomes)
    said = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    judged = counts[CAUGHT] + counts[SURVIVED]
    if not judged:
        return said
    low, high = wilson(share := counts[CAUGHT] / judged, judged, normal_quantile(0.95))
    return f"{said}: caught {share:.0%} [{low:.0%}, {high:.0%}] of {judged}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, plant and test; 2 where there is no such package or the tests fail without a change."""
    options = command.parse(
        "bench.mutations",
        __doc__,
        arguments,
        *("--seed", "--json"),
        package="systems",
        count=20,
        seconds={"type": float, "default": 900.0, "help": "until a change is given up"},
        layer={"default": "day", "type": str, "help": "day or night"},
        all={"action": "store_true", "help": "all tests, not those of the package's folder alone"},
        cache={"type": Path, "default": ROOT / ".pytest_cache" / "kernels", "help": "of kernels"},
    )
    own = Path("tests", "" if options.all else options.package)
    chosen = drawn(options.package, options.count, options.seed)
    if not chosen or options.layer not in LAYERS or not (ROOT / own).is_dir():
        print(f"there is no such package, tests or layer: {options.package}", file=sys.stderr)
        return 2
    tests = [str(own), *LAYERS[options.layer]]
    if outcome_of(None, tests, math.inf, options.cache.resolve()) != SURVIVED:
        print("without any change: tests fail", file=sys.stderr)
        return 2
    found = []
    for each in chosen:
        began = time.perf_counter()
        outcome = outcome_of(each, tests, options.seconds, options.cache.resolve())
        found.append(asdict(each) | {"outcome": outcome})
        said = f"{outcome:12} {time.perf_counter() - began:5.0f} s  {each.file}:{each.line}"
        print(f"{said} {each.before!r} -> {each.after!r}", flush=True)
        command.write(options.json, found)
    print(summary([str(each["outcome"]) for each in found]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
