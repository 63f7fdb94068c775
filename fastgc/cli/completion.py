"""What the shell offers after Tab: studies, claims, papers, families and pages.

Only names are looked up; no code is built, and no formula evaluated.
"""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Offers = list[CompletionItem]
Completion = Callable[[click.Context, click.Parameter, str], Offers]

#: What is looked up by ``fastgc help``, beside the pages of the handbook.
LOOKUPS = {
    "theory": "Closed forms by name; `help theory NAME n=8 …` evaluates one",
    "studies": "The packaged studies; `help studies NAME` prints one",
    "schema": "The JSON Schema of a study, for editors",
    "versions": "Versions and paths, for bug reports",
}


def _offered(names: Callable[[], Iterable[str]]) -> Completion:
    """Offer the names that a function returns; where none fits, files."""

    def offer(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
        fitting = [name for name in sorted(names()) if name.startswith(begun)]
        return [*map(CompletionItem, fitting)] or [CompletionItem(begun, type="file")]

    return offer


@_offered
def studies() -> Iterable[str]:
    """Return the packaged studies."""
    from fastgc.study.packaged import packaged

    return packaged()


@_offered
def claims() -> Iterable[str]:
    """Return the ids of claims."""
    from fastgc.study.claims.paper_files import register

    return (claim.id for claim in register())


@_offered
def papers() -> Iterable[str]:
    """Return the papers."""
    from fastgc.study.claims.paper_files import names

    return names()


@_offered
def topics() -> Iterable[str]:
    """Return the pages of the handbook, and what else is looked up."""
    from fastgc.report import handbook

    return [*(page.topic for page in handbook.pages()), *LOOKUPS]


@_offered
def codes() -> Iterable[str]:
    """Return the families of codes."""
    from fastgc import registry

    return [name for name in registry.members("code") if name != "matrix"]
