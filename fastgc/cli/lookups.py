"""The commands studies, theory, inspect, claims and validate --list: what there is to look up."""

from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import in_form
from fastgc.cli.log import logged
from fastgc.cli.terminal import DONE, echo, table_width


@click.command(short_help="List the packaged studies, or print one.")
@click.argument("name", required=False, shell_complete=completion.packaged_studies)
def studies(name: str | None) -> int:
    """List the packaged studies with their titles; or print NAME, to be saved and changed."""
    from fastgc import report
    from fastgc.report import wording
    from fastgc.study import packaged

    if name is None:
        known = packaged.titles().items()
        titles = {each: wording.subject(each, title) for each, title in known}
        echo(report.definitions(titles, table_width()))
    else:
        echo(packaged.text(name).rstrip("\n"))
    return DONE


@click.command(short_help="Evaluate a closed form, or list all of them.")
@click.argument("name", required=False, shell_complete=completion.formulas)
@click.argument(
    "arguments", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=completion.arguments
)
def theory(name: str | None, arguments: tuple[str, ...]) -> int:
    """Evaluate the closed form NAME, like agc.frc_mean_error n=8 d=2 survivors=5.

    With NAME alone, describe the closed form. Without NAME, or with the name of a paper, list
    closed forms with their arguments; arguments in brackets are optional.
    """
    from fastgc import report
    from fastgc.theory import by_name, paper_names

    if name is None or (not arguments and name in paper_names()):
        echo(report.formulas(by_name.formulas(name), table_width()))
    elif not arguments:
        echo(report.formula(name, by_name.formula(name)))
    else:
        echo(report.as_json(by_name.evaluate(name, arguments)))
    return DONE


@click.command(short_help="Print the datasheet of a code, your own matrix, or a system.")
@click.argument("code", shell_complete=completion.codes)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=completion.keys)
@click.option(
    "-p",
    "p",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Straggler probability, for the mean error and its lower bound.",
)
@click.option(
    "--stragglers", metavar="S", help="Numbers of stragglers in the table: 3, 2,5, 0..6 or 0..n."
)
@in_form("json", help="As JSON.")
@in_form("latex", help="As a LaTeX table.")
def inspect(
    code: str,
    arguments: tuple[str, ...],
    p: float,
    stragglers: str | None,
    form: str | None,
) -> int:
    """Print the datasheet of CODE: a matrix file, or a family like binary n=11 s=3.

    Of a family of systems, like partial n=6 d=3, what is known before any time is.
    """
    from fastgc import registry, report
    from fastgc.decoding import inspection
    from fastgc.registry import toml
    from fastgc.registry.given import made as member
    from fastgc.searching import table

    family = registry.members("system").get(code)
    if family is not None and code not in registry.members("code"):
        system: Any = member(family, code, **toml.values_of(code, arguments))
        facts = system.facts()
        text = {
            name.replace("_", " "): f"{found:.9g}" if isinstance(found, float) else str(found)
            for name, found in facts.items()
        }
        echo(report.as_json(facts) if form == "json" else report.definitions(text, table_width()))
        return DONE
    made = inspection.code_from(code, arguments)
    sheet = inspection.inspect(made, p, stragglers)
    if form == "json":
        echo(report.as_json(sheet.as_dict()))
    else:
        echo(report.datasheet(sheet.as_dict(), latex=form == "latex", width=table_width()))
        alike = sheet.n == sheet.k and made.pieces == 1  # answers of whole gradients, too
        better = alike and table.hint(sheet.n, sheet.loads[1], p, sheet.mean_error)
        if better:
            echo(f"{better[0].upper()}{better[1:]}.", err=True)
    return DONE


def listed(ids: tuple[str, ...], paper: str | None, form: str | None) -> int:
    """Print the claims that would be measured, without measuring them."""
    from fastgc import report
    from fastgc.validation.validate import select

    found = select(ids, paper)
    if form == "json":
        echo(report.as_json(report.claim_rows(found)))
    else:
        echo(report.claims(found, table_width()))
    return DONE


@click.command(short_help="Count the claims.")
@logged
def claims() -> int:
    """Count the claims that come with fastgc, by group and category."""
    from fastgc.report.listings import counted_claims
    from fastgc.study.claims.papers import register

    echo(counted_claims(register(), table_width()))
    return DONE
