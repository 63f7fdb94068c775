"""Pages of the public names, made by pdoc from their docstrings: ``python -m bench.api -o api``.

Needs the extra ``docs``. A page for `fastgc`, one for each of its public modules and one for each
paper's closed forms; what pdoc warns of is an error.
"""

import importlib
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

import fastgc
from bench import command

#: Functions of these rooms bear the names of their files, which are no pages.
ROOMS = ("codes", "systems")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pages; return the exit code."""
    folder = {"type": Path, "default": Path("api"), "help": "folder of the pages"}
    out = command.parse("bench.api", __doc__, arguments, out=folder).out
    import pdoc

    papers = [f"fastgc.theory.{name}" for name in fastgc.theory.paper_names()]
    for name in ("fastgc", "fastgc.runs", "fastgc.traces", *papers):
        module = importlib.import_module(name)
        _resolve(module, getattr(module, "__all__", dir(module)))
    files = [rf"!fastgc\.{room}\." for room in ROOMS]
    pdoc.render.configure(docformat="numpy", show_source=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        pdoc.pdoc("fastgc", *papers, *files, output_directory=out)
    print(f"{len(list(out.rglob('*.html')))} pages in {out}")
    return 0


def _resolve(module: ModuleType, names: Iterable[str]) -> None:
    """Put names into a module that finds them when asked: pdoc looks at what it holds."""
    vars(module)["__all__"] = list(names)
    for name in names:
        vars(module)[name] = getattr(module, name)


if __name__ == "__main__":
    raise SystemExit(main())
