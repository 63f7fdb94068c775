"""What the shell offers after Tab: studies, claims, papers, families and their keys, formulas.

Only names are looked up; no code is built, and no formula evaluated.
"""

from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Offers = list[CompletionItem]

#: What is looked up, beside the pages of the handbook.
LOOKUPS = {
    "theory": "Closed forms by name; `help theory NAME n=8 …` evaluates one",
    "studies": "The packaged studies; `help studies NAME` prints one",
    "schema": "The JSON Schema of a study, for editors",
    "versions": "Versions and paths, for bug reports",
}


def studies(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer packaged studies, and files that may hold one."""
    from fastgc.study.packaged import packaged

    return _or_files([*packaged(), *_files(begun, ".toml", ".h5")], begun)


def claims(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer claims, a part of the id at a time, and files with claims of one's own."""
    from fastgc.study.claims.papers import register

    ids = _next_parts((claim.id for claim in register()), begun)
    return _or_files([*ids, *_files(begun, ".toml")], begun)


def papers(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the papers."""
    from fastgc.study.claims.papers import names

    return _beginning(names(), begun)


def topics(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the pages of the handbook, and what else is looked up."""
    from fastgc.report import handbook

    return _beginning([*(page.topic for page in handbook.pages()), *LOOKUPS], begun)


def lookups(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer packaged studies, closed forms, a part of the name at a time, or their arguments."""
    given = context.params.get("words") or ()
    if context.params.get("topic") == "studies":
        from fastgc.study.packaged import packaged

        return _beginning(packaged(), begun)
    if context.params.get("topic") != "theory":
        return []
    from fastgc.theory import by_name

    if not given:
        return [CompletionItem(name) for name in _next_parts(by_name.formulas(), begun)]
    known = by_name.formulas().get(given[0])
    return _keys({} if known is None else known.arguments, given[1:], begun)


def executors(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer where blocks may be sampled."""
    from fastgc.engine.executors import NAMES

    return _beginning((name.removesuffix("ADDRESS") for name in NAMES), begun)


def codes(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer families of codes, and files that may hold a matrix."""
    from fastgc import registry

    families = [name for name in registry.members("code") if name != "matrix"]
    return _or_files([*families, *_files(begun, ".csv", ".npy", ".mtx")], begun)


def keys(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the keys of the family that is named."""
    from fastgc import registry

    name = context.params.get("code", "")
    family = registry.members("code").get(name) or registry.members("system").get(name)
    given = context.params.get("words") or ()
    fields = {} if family is None else family.model_fields
    known = (field.alias or name for name, field in fields.items() if name != "family")
    return _keys(known, given, begun)


def _keys(known: Iterable[str], given: Iterable[str], begun: str) -> Offers:
    """Keys that were not given yet, with the sign after which their values stand."""
    named = {each.partition("=")[0] for each in given}
    return _beginning((f"{key}=" for key in known if key not in named), begun)


def _files(begun: str, *kinds: str) -> list[str]:
    """Files of some kinds that begin so, in the folder that they name."""
    folder = begun.rpartition("/")[0]
    inside = Path(folder or (begun[:1] if begun.startswith("/") else "."))
    try:
        found = [each.name for each in inside.iterdir() if each.suffix in kinds]
    except OSError:
        return []
    return [f"{folder}/{name}" if "/" in begun else name for name in found]


def _or_files(names: Iterable[str], begun: str) -> Offers:
    """Offer names; where none fits, the shell goes on with files and folders of its own."""
    # bash forgets what was offered before it hears of files
    return [CompletionItem(begun, type="file"), *_beginning(names, begun)]


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
