"""What the shell offers after Tab: studies, claims, papers, families, pages and closed forms.

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
    """Offer claims, a part of the id at a time, and files with claims of one's own."""
    from fastgc.study.claims.papers import register

    return _or_files(_next_parts((claim.id for claim in register()), begun), begun, ".toml")


def papers(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the papers."""
    from fastgc.study.claims.papers import names

    return _beginning(names(), begun)


def topics(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the pages of the handbook, and what else is looked up."""
    from fastgc.report import handbook

    return _beginning([*(page.topic for page in handbook.pages()), *LOOKUPS], begun)


def lookups(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer packaged studies, or closed forms, a part of the name at a time."""
    topic, is_first = context.params.get("topic"), not context.params.get("words")
    if topic == "studies" and is_first:
        from fastgc.study.packaged import packaged

        return _beginning(packaged(), begun)
    if topic == "theory" and is_first:
        from fastgc.theory import by_name

        return _beginning(_next_parts(by_name.formulas(), begun), begun)
    return []


def executors(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer where blocks may be sampled."""
    from fastgc.engine.executors import NAMES

    return _beginning((name.removesuffix("ADDRESS") for name in NAMES), begun)


def codes(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer families of codes, and files that may hold a matrix."""
    from fastgc import registry

    families = [name for name in registry.members("code") if name != "matrix"]
    return _or_files(families, begun, ".csv", ".npy", ".mtx")


def _or_files(names: Iterable[str], begun: str, *kinds: str) -> Offers:
    """Offer names, and files of some kinds; where none fits, the shell goes on with its own."""
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


def _next_parts(names: Iterable[str], begun: str) -> list[str]:
    """Names up to their next dot, so that hundreds are not offered at once."""
    fitting = [name for name in names if name.startswith(begun)]
    ends = [name.find(".", len(begun)) + 1 or len(name) for name in fitting]
    parts = list(dict.fromkeys(name[:end] for name, end in zip(fitting, ends, strict=True)))
    if len(parts) == 1 and parts[0] not in (begun, *fitting):  # the only way on is gone at once
        return _next_parts(fitting, parts[0])
    return parts
