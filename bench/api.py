"""Pages of the public names, made by pdoc from their docstrings: ``python -m bench.api -o api``.

Needs the extra ``docs``. A page for `fastgc`, one for each of its public modules and one for each
paper's theory; what pdoc warns of is an error.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import fastgc


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pages; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.api", description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("api"), help="folder of the pages")
    out = parser.parse_args(arguments).out
    import pdoc

    for name in fastgc.__all__:
        # pdoc looks at what a module holds, and fastgc imports a name when it is asked for it
        vars(fastgc)[name] = getattr(fastgc, name)
    papers = [f"fastgc.theory.{name}" for name in fastgc.theory.paper_names()]
    pdoc.render.configure(docformat="numpy", show_source=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        # functions of codes and systems bear the names of their files, which are no pages
        files = [rf"!fastgc\.{room}\." for room in ("codes", "systems")]
        pdoc.pdoc("fastgc", *papers, *files, output_directory=out)
    print(f"{len(list(out.rglob('*.html')))} pages in {out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
