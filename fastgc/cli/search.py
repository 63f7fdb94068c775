"""The command ``fastgc search``: an encoding matrix that is better than all known families."""

from pathlib import Path
from typing import Any

import click

from fastgc.cli.arguments import SEED, Count, in_form
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DONE, echo, text_width
from fastgc.errors import StoppedError


@click.command(short_help="Look for a code that is better than all known families.")
@click.argument("words", nargs=-1, metavar="[STUDY] [KEY=VALUE]...")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="MATRIX",
    help="Write the matrix: .csv, .npy, .mtx or .toml; a certificate and a study beside it.",
)
@click.option("--steps", type=Count(0, 10**9), help="Changes that are tried.  [default: 100000]")
@click.option("--seconds", type=float, metavar="S", help="End the search early, after S seconds.")
@click.option("--seed", type=SEED, help="Of all that is random.  [default: 1]")
@click.option(
    "--show",
    "size",
    metavar="N,D",
    help="Search nothing: show the best codes that are known for N workers of load D. With p=P or "
    "s=S, -o writes that code.",
)
@click.option("--threads", type=click.IntRange(1), help="Threads; no number depends on it.")
@in_form("json", help="The certificate, or with --show the codes, as JSON.")
@logged
def search(
    words: tuple[str, ...],
    out: Path | None,
    steps: int | None,
    seconds: float | None,
    seed: int | None,
    size: str | None,
    threads: int | None,
    form: str | None,
) -> int:
    """Look for an encoding matrix that is better than every family that fastgc knows.

    Keys are those of a table [search], like n=8 d=3 p=0.1 goal=mean entries=±1; STUDY is a file
    that holds one. `fastgc help new-code` says what they mean. A search that is stopped gives the
    best code so far.
    """
    if size is not None:
        return _show(size, words, out, form)
    options = {"steps": steps, "seconds": seconds, "seed": seed}
    given = {key: value for key, value in options.items() if value is not None}
    with working(" ".join(words), out) as (meter, asked, _):
        asked.ending, asked.lost = "with the best so far", "what was found is lost"
        from fastgc import report
        from fastgc.planning import code_search
        from fastgc.searching import found as files
        from fastgc.searching import problem

        is_file = bool(words) and "=" not in words[0]
        keys: dict[str, Any] = problem.keys_of(words[is_file:]) | given
        found = code_search.search(
            words[0] if is_file else None,
            out=out,
            threads=threads,
            progress=meter.show,
            interrupted=asked.reason,
            **keys,
        )
        made = found.certificate
        echo(report.as_json(made) if form else report.searched(made, text_width()))
        if out is not None:
            meter.note("wrote " + ", ".join(map(str, files.names(out))))
        if made["ended"] == asked.reason():
            raise StoppedError(
                f"stopped early by {made['ended']}: what is printed is the best so far"
            )
    return meter.finish(DONE, in_log=f"done: {made['statement']}")


def _show(size: str, words: tuple[str, ...], out: Path | None, form: str | None) -> int:
    """Show what is known for so many workers of so much load; write one code of it."""
    from fastgc import report
    from fastgc.searching import found as files
    from fastgc.searching import problem, table

    n, comma, d = size.partition(",")
    if not (comma and n.strip().isdecimal() and d.strip().isdecimal()):
        raise click.BadParameter(f"must be N,D like 12,3 (got {size!r})", param_hint="'--show'")
    wanted = problem.keys_of(words)
    known = [
        cell
        for cell in table.cells(int(n), int(d))
        if all(cell.get(key) == value for key, value in wanted.items())
    ]
    if not known:
        asked = " ".join([f"n={n} d={d}", *words])
        raise click.UsageError(
            f"no code is kept for {asked}; search for one: fastgc search {asked}"
        )
    if out is not None and len(known) > 1:
        raise click.UsageError("-o writes one code: say which, like p=0.1 or s=3")
    echo(report.as_json(known) if form else report.known(known, text_width()))
    if out is not None:
        files.write(table.matrix(known[0]), out, table.study(known[0]))
        echo(f"wrote {out}", err=True)
    return DONE
