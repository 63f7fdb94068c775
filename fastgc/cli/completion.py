"""What the shell offers after Tab: studies, claims, papers, families and pages.

Only names are looked up; no code is built, and no formula evaluated.
"""

from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Offers = list[CompletionItem]

#: What is looked up by ``fastgc help``, beside the pages of the handbook.
LOOKUPS = {
    "theory": "Closed forms by name; `help theory NAME n=8 …` evaluates one",
    "studies": "The packaged studies; `help studies NAME` prints one",
    "schema": "The JSON Schema of a study, for editors",
    "versions": "Versions and paths, for bug reports",
}


def studies(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer packaged studies, and files that may hold one."""
    from fastgc.study.packaged import packaged

    return _or_files(packaged(), begun, ".toml", ".h5")


def claims(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer claims, and files with claims of one's own."""
    from fastgc.study.claims.paper_files import register

    return _or_files((claim.id for claim in register()), begun, ".toml")


def papers(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the papers."""
    from fastgc.study.claims.paper_files import names

    return _beginning(names(), begun)


def topics(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the pages of the handbook, and what else is looked up."""
    from fastgc.report import handbook

    return _beginning([*(page.topic for page in handbook.pages()), *LOOKUPS], begun)


def codes(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer families of codes, and files that may hold a matrix."""
    from fastgc import registry

    families = [name for name in registry.members("code") if name != "matrix"]
    return _or_files(families, begun, ".csv", ".npy", ".mtx")


def _or_files(names: Iterable[str], begun: str, *kinds: str) -> Offers:
    # where none fits, the shell goes on with its own
    folder = begun.rpartition("/")[0]
    inside = Path(folder or (begun[:1] if begun.startswith("/") else "."))
    try:
        files = [each.name for each in inside.iterdir() if each.suffix in kinds]
    except OSError:
        files = []
    files = [f"{folder}/{name}" if "/" in begun else name for name in files]
    # bash forgets what was offered before it hears of files
    return [CompletionItem(begun, type="file"), *_beginning([*names, *files], begun)]


def _beginning(names: Iterable[str], begun: str) -> Offers:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(begun)]
