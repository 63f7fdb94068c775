"""Every number, picture and output of README.md: ``python -m bench.readme [--check]``.

Runs the blocks of README in order, in an empty folder, and puts back what comes out. Words after
``text`` choose paragraphs of an output, in order: from the line on that such an expression begins,
or, as ``word:3``, three lines of it. Between ``<!-- made: NAME -->`` and ``<!-- end -->`` stands
what the function of that name returns: a picture in ``docs/pictures``, with its numbers in
``<metadata>``, or a sentence with numbers.
``--check`` writes nothing, and fails where anything differs.
"""

import contextlib
import doctest
import io
import json
import math
import re
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2

import fastgc
from bench import command, targets
from fastgc.report import pictures, printed
from fastgc.study.claims.paper_files import register
from fastgc.study.study import Study
from fastgc.theory.papers.claim import RESULTS, is_of_paper

ROOT = Path(__file__).parents[1]
README, PICTURES = ROOT / "README.md", ROOT / "docs" / "pictures"
PERFORMANCE = ROOT / "fastgc" / "handbook" / "performance.md"
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
)
BLOCK = re.compile(r"^```(sh|text|python)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = re.compile(r"(<!-- made: (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
MESSAGE = 0.05  # seconds, in the simulation
SHOWN = ("any-20", "any-50", "any-100", "frc-20", "order-100", "layers-100", "tree-156")


class Making:
    """README anew, and its pictures by name; ``quick``: without what commands make."""

    def __init__(self, folder: Path, quick: bool = False) -> None:
        self.folder, self.quick = folder, quick
        self.names: dict[str, Any] = {}
        self.printed: list[str] = []
        self.pictures: dict[str, str] = {}

    def page(self, text: str) -> str:
        with contextlib.chdir(self.folder):
            return MARK.sub(self._mark, BLOCK.sub(self._block, text))

    def _mark(self, found: re.Match[str]) -> str:
        head, name = found.groups()
        if self.quick and name == paper.__name__:
            return found[0]
        parts = MADE[name](self).split("\n\n")
        return head + "\n\n".join(p if p[0] == "!" else textwrap.fill(p, 100) for p in parts) + "\n"

    def _block(self, found: re.Match[str]) -> str:
        kind, words, text = found.groups()
        if kind == "python":
            text = "".join(self._python(text))
        elif self.quick:
            return found[0]
        elif kind == "sh":
            asked = re.findall(r"(?:^|bin/)fastgc (.*)$", text, re.MULTILINE)
            self.printed = [line for each in asked for line in self._ran(each)]
        else:
            text = "\n…\n".join(self._chosen(words.split())) + "\n"
        return f"```{kind}{words}\n{text}```"

    def _ran(self, words: str) -> list[str]:
        given = ["-c", command.FASTGC, *shlex.split(words)]
        return command.started(given, self.folder, COLUMNS="80").stdout.splitlines()

    def _chosen(self, words: Sequence[str]) -> Iterator[str]:
        rest = "\n".join(self.printed)
        for word, _, most in (each.partition(":") for each in words):
            rest = re.split(rf"^(?= *{word})", rest, maxsplit=1, flags=re.MULTILINE)[1]
            yield "\n".join(rest.partition("\n\n")[0].splitlines()[: int(most) if most else None])

    def _python(self, text: str) -> Iterator[str]:
        for part in doctest.DocTestParser().parse(text):
            if isinstance(part, str):
                yield part
                continue
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(part.source, "README.md", "single"), self.names)
            yield ">>> " + "\n... ".join(part.source.splitlines()) + "\n" + out.getvalue()

    def drawn(self, name: str, alt: str, numbers: Any, **more: Any) -> str:
        said = json.dumps(numbers, ensure_ascii=False)
        made = TEMPLATES.get_template(f"{name}.svg").render(numbers=said, **numbers, **more)
        return self.picture(name, alt, made + "\n")

    def picture(self, name: str, alt: str, svg: str) -> str:
        self.pictures[name] = svg
        return f"![{alt}](docs/pictures/{name}.svg)"


def numbers(svg: str) -> Any:
    """What a picture shows; None of nothing."""
    found = re.search("<metadata>(.*)</metadata>", svg)
    return found and json.loads(found[1])


def code(making: Making) -> str:
    """Matrix B of the first block, with its stragglers, weights and error."""
    B, found, survivors = (making.names[name] for name in ("B", "found", "survivors"))
    own = dict(zip(survivors, found.vector.round(9), strict=True))
    late = [j for j in range(B.shape[1]) if j not in own]
    weights = [f"{own.get(j, 0):g}" for j in range(B.shape[1])]
    sums = [f"{1 + rest:g}" for rest in found.residual.round(9)]
    shown = {"B": B.tolist(), "late": late, "weights": weights, "sums": sums}
    shown["error"] = f"{found.error:.9g}"
    alt = f"Weights {', '.join(weights)} give sums {', '.join(sums)} and error {shown['error']}"
    return making.drawn("code", alt, shown)


def paper(making: Making) -> str:
    """What a packaged study measures beside what its paper prints."""
    result: Any = fastgc.open(making.folder / "cr.h5")
    found = printed.beside(Study.parse("codedreduce/simulation").printed, result.entries)
    known = {each.table.experiment: [each.number.value, each.value] for each in found}
    more = {n: result[n]["time"].mean.value + MESSAGE for n in ("UMW", "GC", "SGD", "CR")}
    one, two, three = (more[n] / more["CR"] for n in ("UMW", "GC", "SGD"))
    [picture] = pictures.of(result, kind="comparison", quantity="time ratio")
    meta = f"</desc><metadata>{json.dumps(known)}</metadata>"
    svg = pictures.svg(picture).replace("</desc>", meta)
    for size in re.findall(r'"([\d.]+)pt"', svg):  # two columns wide
        svg = svg.replace(f'"{size}pt"', f'"{1.9 * float(size):.0f}"', 1)
    said = "; ".join(f"{name} {own:.3g}, printed {v:.1f}" for name, (v, own) in known.items())
    wanted, measured = zip(*known.values(), strict=True)
    assert [round(each, 1) for each in (one, two, measured[2])] == [*wanted[:3]]
    return (
        f"{making.picture('paper', f'Ratios of times: {said}', svg)}\n\n"
        f"Only {wanted[2]:.1f} is met to its digits. With one more message a round, such as the "
        f"model's download, the first two are {one:.2f} and {two:.2f}, as printed, the third "
        f"{three:.2f}: no one addition gives all. How long a message of the ring takes, 1/N of a "
        f"gradient, the paper does not say; at 1/N of the time, {measured[3]:.2f} replaces 1.8."
    )


def speed(making: Making) -> str:
    """What a trial takes, by the table of the handbook's page *performance*."""
    machine, table = PERFORMANCE.read_text("utf-8").split("## The figures\n\n")[1].split("\n\n")[:2]
    cells = {line.split(" | ")[0]: line.split(" | ")[1:4] for line in table.splitlines()}
    shown = {name: cells[f"| {targets.words(name)}"] for name in SHOWN}
    rows, known = [], []
    for name, (took, loop, numpy) in shown.items():
        own, *ratios = map(float, (took.removesuffix(" ns"), numpy, loop))
        known.append((own, *ratios))
        times = zip((took, f"{numpy}×", f"{loop}×"), (1.0, *ratios), strict=True)
        marks = [(label, math.log10(own * ratio)) for label, ratio in times]
        rows.append({"words": targets.words(name).partition(" (")[0], "marks": marks})
    own, numpy, loop = (f"{min(each):g} to {max(each):g}" for each in zip(*known, strict=True))
    alt = f"A trial takes fastgc {own} ns, NumPy {numpy} times as long, a loop {loop} times"
    return making.drawn("speed", alt, {"machine": machine, "shown": shown}, rows=rows)


def claims(making: Making) -> str:
    """How many claims there are."""
    known = [e.category in RESULTS and is_of_paper(e.id, e.reads) for e in register()]
    return f"fastgc judges {len(known)} claims; {sum(known)} of them are results that papers print."


MADE = {made.__name__: made for made in (code, paper, speed, claims)}


def main(arguments: Sequence[str] | None = None) -> int:
    check = {"action": "store_true", "help": "write nothing, fail where anything differs"}
    options = command.parse("bench.readme", __doc__, arguments, check=check)
    with tempfile.TemporaryDirectory() as folder:
        making = Making(Path(folder))
        made = {README: making.page(README.read_text("utf-8"))}
    made |= {PICTURES / f"{name}.svg": svg for name, svg in making.pictures.items()}
    changed = [file for file, text in made.items() if not is_same(file, text)]
    for file in changed:
        print(f"{file.relative_to(ROOT)} {'is another' if options.check else 'is written'}")
        if not options.check:
            file.write_text(made[file], encoding="utf-8")
    return int(options.check and bool(changed))


def is_same(file: Path, text: str) -> bool:
    """Whether a file has this text; what matplotlib draws goes by its version: its numbers do."""
    old = file.read_text("utf-8") if file.exists() else ""
    return old == text or (file.name == "paper.svg" and numbers(old) == numbers(text))


if __name__ == "__main__":
    sys.exit(main())
