"""The commands ``inspect`` and ``search``: what is known of a code, and a better one."""

from pathlib import Path
from typing import Any

import click

from fastgc.cli import arguments, completion
from fastgc.cli.arguments import in_form
from fastgc.cli.log import working
from fastgc.cli.terminal import DONE, echo, table_width, text_width
from fastgc.errors import StoppedError

P = "Straggler probability, for the mean error and its lower bound."


@click.command(short_help="Print the datasheet of a code, your own matrix, or a system.")
@click.argument("code", shell_complete=completion.codes)
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("-p", "p", type=click.FloatRange(0, 1), default=0.1, show_default=True, help=P)
@click.option("--stragglers", metavar="S", help="Numbers of stragglers: 3, 2,5, 0..6 or 0..n.")
@in_form("json")
@in_form("latex")
def inspect(
    code: str, words: tuple[str, ...], p: float, stragglers: str | None, form: str | None
) -> int:
    """Print the datasheet of CODE: a matrix file, or a family like binary n=11 s=3.

    Of a family of systems, like partial n=6 d=3, what is known before any time is.
    """
    from fastgc import registry, report
    from fastgc.decoding import inspection
    from fastgc.registry import toml
    from fastgc.registry.given import made as member

    family = registry.members("system").get(code)
    if family is not None and code not in registry.members("code"):
        system: Any = member(family, code, **toml.values_of(code, words))
        facts = system.facts()
        text = {
            name.replace("_", " "): f"{found:.9g}" if isinstance(found, float) else str(found)
            for name, found in facts.items()
        }
        echo(report.as_json(facts) if form == "json" else report.definitions(text, table_width()))
        return DONE
    sheet = inspection.inspect(inspection.code_from(code, words), p, stragglers).as_dict()
    said = report.datasheet(sheet, latex=form == "latex", width=table_width())
    echo(report.as_json(sheet) if form == "json" else said)
    return DONE


@click.command(short_help="Look for a code that is better than all known families.")
@click.argument("words", nargs=-1, metavar="[STUDY] [KEY=VALUE]...")
@arguments.to_file("The matrix: .csv or .npy; a certificate and a study beside it.", "MATRIX")
@arguments.seed
@arguments.threads
@in_form("json")
def search(
    words: tuple[str, ...], out: Path | None, seed: int | None, form: str | None, **options: Any
) -> int:
    """Look for an encoding matrix that is better than every 0/1 family that fastgc knows.

    Keys are those of a table [search], like n=8 d=3 p=0.1 goal=mean steps=1000; STUDY is
    a file that holds one. `fastgc help new-code` says what they mean. A search that is stopped
    gives the best code so far.
    """
    with working(" ".join(words), out) as (meter, asked, _):
        asked.ending, asked.lost = "with the best so far", "what was found is lost"
        from fastgc import report
        from fastgc.planning import code_search
        from fastgc.registry import toml
        from fastgc.searching import search_result as files

        is_file = bool(words) and "=" not in words[0]
        keys = toml.values_of("search", words[is_file:]) | ({} if seed is None else {"seed": seed})
        found = code_search.search(
            words[0] if is_file else keys,
            out=out,
            progress=meter.show,
            interrupted=asked.reason,
            **(keys if is_file else {}),
            **options,
        )
        made = found.certificate
        echo(report.as_json(made) if form else report.searched(made, text_width()))
        if out is not None:
            meter.note("wrote " + ", ".join(map(str, files.names(out))))
        if made["ended"] == asked.reason():
            raise StoppedError(f"stopped early by {made['ended']}: the best so far is printed")
    return meter.finish(DONE, in_log=f"done: {made['statement']}")
