"""What the shell offers after Tab: studies, claims, papers, families and their keys, formulas.

Only names are looked up; no code is built, and no formula evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Offers = list[CompletionItem]


def studies(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer packaged studies, and files."""
    from fastgc.study.packaged import packaged

    return [*_beginning(packaged(), begun), CompletionItem(begun, type="file")]


def packaged_studies(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer packaged studies alone."""
    from fastgc.study.packaged import packaged

    return _beginning(packaged(), begun)


def claims(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer claims, a part of the id at a time, and files with claims of one's own."""
    from fastgc import theory

    ids = _next_parts((claim.id for claim in theory.claims()), begun)
    files = [CompletionItem(begun, type="file")] if not ids or not begun else []
    return [*map(CompletionItem, ids), *files]


def formulas(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer closed forms, a part of the name at a time."""
    from fastgc.theory import by_name

    return [CompletionItem(name) for name in _next_parts(by_name.formulas(), begun)]


def arguments(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the arguments of the closed form that is named."""
    from fastgc.theory import by_name

    known = by_name.formulas().get(context.params.get("name", ""))
    given = context.params.get("arguments") or ()
    return _keys({} if known is None else known.arguments, given, begun)


def papers(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the papers."""
    from fastgc import theory

    return _beginning(theory.paper_names(), begun)


def codes(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer families of codes, and files that may hold a matrix."""
    from fastgc import registry

    families = registry.members("code")
    files = [CompletionItem(begun, type="file")]
    return [*_beginning((name for name in families if name != "matrix"), begun), *files]


def keys(context: click.Context, parameter: click.Parameter, begun: str) -> Offers:
    """Offer the keys of the family that is named."""
    from fastgc import registry

    family = registry.members("code").get(context.params.get("code", ""))
    given = context.params.get("arguments") or ()
    known = {} if family is None else family.model_fields
    return _keys((name for name in known if name != "family"), given, begun)


def _keys(known: Iterable[str], given: Iterable[str], begun: str) -> Offers:
    """Keys that were not given yet, with the sign after which their values stand."""
    named = {each.partition("=")[0] for each in given}
    return _beginning((f"{key}=" for key in known if key not in named), begun)


def _beginning(names: Iterable[str] | Mapping[str, Path], begun: str) -> Offers:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(begun)]


def _next_parts(names: Iterable[str], begun: str) -> list[str]:
    """Names up to their next dot, so that hundreds are not offered at once."""
    found: dict[str, None] = {}
    for name in names:
        if name.startswith(begun):
            end = name.find(".", len(begun))
            found[name if end < 0 else name[: end + 1]] = None
    parts = list(found)
    if len(parts) == 1 and parts[0].endswith("."):  # the only way on is gone at once
        return [name for name in names if name.startswith(begun)]
    return parts
