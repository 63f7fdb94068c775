"""What there is, by name: studies, closed forms, claims; and what is installed."""

import contextlib
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import fastgc_kernels
from fastgc import registry
from fastgc import version as own
from fastgc.engine.executors import surroundings
from fastgc.report.text import columns, cut, wrapped
from fastgc.study.claims import paper_files
from fastgc.theory.by_name import Formula, place
from fastgc.theory.papers.claim import CATEGORIES, RESULTS, Claim, is_of_paper
from fastgc_kernels import _sources

_NARROWEST = 40
_SHORTEST = 12  # of a statement


def definitions(found: Mapping[str, str], width: int | None = None) -> str:
    """Return names with their meanings, a line each."""
    return "\n".join(columns([[name, text] for name, text in found.items()], width=width))


def formulas(found: Mapping[str, Formula], width: int | None = None) -> str:
    """Return closed forms with their arguments, and below each what it is."""
    wide = None if width is None else max(width, _NARROWEST)
    lines = []
    for name, each in found.items():
        lines += [*wrapped(f"{name} {each.usage}", wide, 0, 4), *wrapped(each.summary, wide, 4, 8)]
    return "\n".join(lines)


def formula(name: str, found: Formula) -> str:
    """Return one closed form: how it is called, and all that it says of itself."""
    return f"{name} {found.usage}\n\n{found.text.strip()}\n\nIt stands in {place(found.function)}."


def claims(found: Sequence[Claim], width: int | None = None) -> str:
    """Return ids and statements, a line each; a statement ends where the line does."""
    edge = max((len(each.id) for each in found), default=0) + 2
    group = None if width is None else max(width - edge, _SHORTEST)
    lines = []
    for each in found:
        lines.append(f"{each.id:{edge}}{cut(' '.join(each.statement.split()), group)}")
    return "\n".join(lines) or "no claims"


def claim_rows(found: Sequence[Claim]) -> list[dict[str, Any]]:
    """Return claims as plain data, without their cases."""
    keys = (
        *("id", "paper", "statement", "citation", "relation", "expected", "holds"),
        *("kind", "corrects", "reads", "proof", "source", "category"),
    )
    return [
        {key: getattr(each, key) for key in keys} | {"group": paper_files.group_of(each)}
        for each in found
    ]


def counted_claims(found: Sequence[Claim], width: int | None = None) -> str:
    """Return how many claims each paper has, by category; headline counts are of results."""
    rows = [["paper", "claims", "printed results", *CATEGORIES]]
    for name in [*dict.fromkeys(each.paper for each in found), "all"]:
        own = [each for each in found if name in ("all", each.paper)]
        categories: list[str] = [each.category for each in own]
        results = sum(e.category in RESULTS and is_of_paper(e.id, e.reads) for e in own)
        counts = [len(categories), results, *(categories.count(each) for each in CATEGORIES)]
        rows.append([name, *map(str, counts)])
    return "\n".join(columns(rows, width=width))


PACKAGES = ("numba", "llvmlite", "numpy", "h5py", "pydantic", "click", "tqdm")


def installation() -> dict[str, Any]:
    """Return the versions and places of this installation, and the members of each group."""
    versions = dict.fromkeys(PACKAGES, "not installed")
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return {
        "fastgc": f"{own.__version__} in {Path(own.__file__).parent}",
        "kernels": f"{fastgc_kernels.__version__} in {Path(fastgc_kernels.__file__).parent}",
        "kernel cache": _sources.cache_folder() or "none: no folder that this user alone can write",
        "stream version": str(own.STREAM_VERSION),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": str(surroundings.available_cores()),
        **versions,
        **{group: list(known) for group in registry.GROUPS if (known := registry.members(group))},
    }
