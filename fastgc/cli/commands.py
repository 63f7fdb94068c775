"""The commands: each parses, makes one call of the library, and prints.

Everything heavy is imported inside the commands, so that ``fastgc --help`` is immediate.
"""

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import arguments, completion
from fastgc.cli.arguments import in_form
from fastgc.cli.cluster import advise, design, measure, trace
from fastgc.cli.code_commands import inspect, search
from fastgc.cli.help import START, Sections, handbook
from fastgc.cli.log import Log, current, logged, working
from fastgc.cli.show import plot, put, show
from fastgc.cli.terminal import BUG, DIFFERS, DONE, MISTAKE, echo, emit, table_width, text_width
from fastgc.version import __version__

if TYPE_CHECKING:
    from fastgc.registry.activity import Step
    from fastgc.results.verdict_data import Verdict


@click.group(
    cls=Sections,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="fastgc")
@click.pass_context
def cli(context: click.Context) -> int:
    """Measure decoding errors of gradient codes, and check theorems against them."""
    if context.invoked_subcommand is None:
        echo(START, err=True, nl=False)
        return MISTAKE
    return DONE


for each in (advise, design, handbook, inspect, measure, plot, search, show, trace):
    cli.add_command(each)


#: Statements of all five papers, known exactly by kernels that compile in seconds; what is right
#: stands before what is not.
DEMONSTRATED = (
    "agc.theorem1.printed",
    "agc.frc-1.976.corrected",
    "agc.frc-1.976.printed",
    "binary.algorithm2.corrected",
    "binary.algorithm2.printed",
    "codedreduce.theorem1.load.printed",
    "hierarchical.decoding.printed",
    "gcada.group-order.largest.printed",
)


@cli.command(short_help="Judge eight statements of five papers, in seconds.")
def demo() -> int:
    """Judge eight statements of five papers, each measured exactly, in some seconds.

    Each verdict is printed when it is reached, with the statement in fastgc's words. To test all
    claims of a paper, also on samples: fastgc validate --paper agc.
    """
    echo("Eight statements of five papers, each measured exactly:\n")
    with working("eight statements") as (meter, _, batch):
        from fastgc import report
        from fastgc.validation.validate import validate as measure

        def show(verdict: "Verdict") -> None:
            meter.say(report.verdict(verdict, text_width()) + "\n")

        found = measure(DEMONSTRATED, method="exact", batch=batch(found=show))
    echo(report.summary(found, text_width()))
    return _end_judging(meter, found)


def _end_judging(meter: Log, found: "Sequence[Verdict]", *, is_open: bool = False) -> int:
    from fastgc.registry.number_types import counted

    code = DIFFERS if is_open or not all(each.as_expected for each in found) else DONE
    many = len(found)
    return meter.finish(code, in_log=f"done: {counted(many, 'claims')} judged", claims=many)


@cli.command(short_help="Run a study.")
@click.argument("study", required=False, shell_complete=completion.studies)
@arguments.to_file("Result file (HDF5).")
@arguments.trials
@arguments.seed
@arguments.workers
@arguments.method("auto", "exact", "monte-carlo", "both", "rare")
@click.option("--shard", metavar="i/N", help="Sample every N-th block, from block i, 0 ≤ i < N.")
@click.option("--max-seconds", type=click.FloatRange(0), help="Stop after this time; resumable.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change the study.")
@arguments.every_row
@click.option("--dry-run", is_flag=True, help="Estimate the cost, and run nothing.")
@click.option("--json", "as_json", is_flag=True, help="With --dry-run: as JSON.")
@click.option("--compile-only", is_flag=True, help="Compile what STUDY calls, without it all.")
@logged
def run(study: str | None, dry_run: bool, as_json: bool, compile_only: bool, **options: Any) -> int:
    """Run STUDY, a TOML file or a packaged study like agc/main.

    The same command again continues an interrupted run, and leaves a complete one as it is;
    with more trials it extends it. --set changes a key, like --set experiment.frc.code.d=4.
    """
    if as_json and not dry_run:
        raise click.BadParameter("belongs to --dry-run", param_hint="'--json'")
    if compile_only:
        if options["out"] or dry_run:
            raise click.UsageError("--compile-only runs nothing: leave -o and --dry-run out")
        return _compile(study, options["threads"])
    if study is None:
        raise click.UsageError("Missing argument 'STUDY'.")
    own = ("shard", "executor", "max_seconds", "rows")
    shard, executor, max_seconds, every = (options.pop(key) for key in own)
    part = arguments.read_shard(shard)
    if dry_run:
        return _dry_run(study, part, as_json, options)
    if max_seconds is not None and max_seconds != max_seconds:
        raise click.BadParameter("must be a number of seconds", param_hint="'--max-seconds'")
    with working(study, options["out"], executor) as (meter, asked, batch):
        from fastgc import report
        from fastgc.experiments.decoding import auditing
        from fastgc.runs import run as runs

        rows: list[dict[str, Any]] = []
        titles: list[str] = []

        def show(step: "Step") -> None:
            titles.append(step.begun["title"])
            meter.show(step)

        watched = batch(shard=part, max_seconds=max_seconds, progress=show, found=rows.extend)
        try:
            result = runs.run(study, batch=watched, **options)
        finally:  # also what there is where the run failed later
            if rows:
                meter.say(report.results(rows, "".join(titles[-1:]), table_width(), every=every))
    rule, path = result.stopped_by, result.path
    facts: dict[str, Any] = {"stopped_by": rule, "complete": result.complete}
    facts["file"] = None if path is None else str(path)
    if not result.complete:
        said = f"kept in {path}; the same command goes on"
        if path is None:
            said = "nothing was kept; name a file with -o to be able to go on"
        return meter.finish(asked.exit_code, f"stopped early by {rule}: {said}", **facts)
    done = "done: no point needed samples" if rule == "enumeration" else f"done: stopped by {rule}"
    done += "" if path is None else f"; kept in {path}"
    if any(auditing.failed(row.estimate.note) for row in result.entries):
        return meter.finish(DIFFERS, f"{done}; decoding failed its audit", **facts)
    return meter.finish(DONE, done, **facts)


def _compile(study: str | None, threads: int | None) -> int:
    with current().following("kernels") as meter:
        from fastgc.engine.executors import surroundings
        from fastgc.runs.compiling import compile_kernels

        compiled = compile_kernels(
            None if study is None else [study],
            processes=threads or surroundings.available_cores(),
            progress=meter.show,
        )
    size = f"{compiled.kernels} kernels, {compiled.size / 1e6:.1f} MB"
    return meter.finish(DONE, f"done: {size}, in {compiled.folder}")


def _dry_run(study: str, part: tuple[int, int], as_json: bool, options: dict[str, Any]) -> int:
    with current().following(study) as meter:
        from fastgc import report
        from fastgc.registry.activity import Batch
        from fastgc.results.image import partial_path
        from fastgc.runs import cost

        watched = Batch(shard=part, progress=meter.show)
        found = cost.dry_run(study, batch=watched, **options).as_dict()
        if (out := options["out"]) and (out.exists() or partial_path(out).exists()):
            meter.note(f"{out} is not looked at: the estimate is of all trials")
    echo(report.as_json(found) if as_json else report.dry_run(found))
    return DONE


@cli.command(short_help="Merge the shards of a run into one file.")
@click.argument("shards", nargs=-1, required=True, type=Path, metavar="SHARD...")
@arguments.to_file("Merged file (HDF5).", required=True)
@click.option("--partial", is_flag=True, help="Allow missing and shorter shards; rows say so.")
def merge(shards: tuple[Path, ...], out: Path, partial: bool) -> int:
    """Merge the shards of a run, the files SHARD that run --shard i/N -o SHARD wrote.

    The merged file equals that of one process with the same trials, and run can continue it. The
    study's precision rule does not stop shards; merge reports the precision that they reach.
    """
    from fastgc.registry.number_types import counted

    with current().following(counted(len(shards), "files"), out) as meter:
        from fastgc import report
        from fastgc.runs import merging

        found = merging.merge(shards, out, partial=partial, progress=meter.show)
    everything = "fastgc show --rows prints"
    echo(report.results(found.rows(), found.title, table_width(), everything=everything))
    for line in merging.summary(found.precision):
        meter.note(line)
    said = counted(len(shards), "shards")
    return meter.finish(DONE, f"done: merged {said}; kept in {found.path}")


@cli.command(short_help="Test the claims of theorems.")
@click.argument("claims", nargs=-1, shell_complete=completion.claims)
@click.option("--paper", help="All claims of one paper.", shell_complete=completion.papers)
@click.option("--list", is_flag=True, help="Only list the claims, one per line.")
@arguments.to_file("HDF5 file of measurements.")
@arguments.trials
@arguments.seed
@arguments.workers
@arguments.method("both", "exact", "monte-carlo")
@in_form("json")
@in_form("latex")
@click.option("--why", is_flag=True, help="Below each verdict, the checks that it passed or lacks.")
@click.option("--strict", is_flag=True, help="Exit with 1 also if a claim is undecided.")
@logged
def validate(
    claims: tuple[str, ...], paper: str | None, form: str | None, why: bool, **options: Any
) -> int:
    """Test CLAIMS against measurements: ids or beginnings of ids; by default all of them.

    CLAIMS may also be TOML files with [[claim]] tables. Each verdict is printed when it is reached;
    undecided claims, with the reasons, come last.
    """
    if options.pop("list"):
        from fastgc import report
        from fastgc.validation.validate import select

        listed = select(claims, paper)
        rows = report.claim_rows(listed)
        echo(report.as_json(rows) if form == "json" else report.claims(listed, table_width()))
        return DONE
    strict, executor = options.pop("strict"), options.pop("executor")
    subject = " ".join(claims) or (f"paper {paper}" if paper else "all claims")
    with working(subject, options["out"], executor) as (meter, _, batch):
        from fastgc import report
        from fastgc.results.verdict_data import UNDECIDED
        from fastgc.validation.multiple_testing import disagreements
        from fastgc.validation.validate import validate as measure

        def show(verdict: "Verdict") -> None:
            if form is None:
                meter.say(report.verdict(verdict, text_width()))
                if why:
                    meter.say(report.checks(verdict, text_width()))

        given = {key: value for key, value in options.items() if value is not None}
        found = measure(claims, paper=paper, batch=batch(found=show), **given)
    emit(
        form,
        json=lambda: report.verdict_rows(found),
        latex=lambda: [report.case_table(found)],
        text=lambda: "\n" + report.summary(found, text_width()),
    )
    if bugs := disagreements(found):
        meter.note(report.disagreements(bugs))
        return meter.finish(BUG)
    is_open = strict and any(verdict.verdict == UNDECIDED for verdict in found)
    return _end_judging(meter, found, is_open=is_open)


@cli.command(short_help="Print a paper's confirmed statements and its errata.")
@click.argument("paper", required=False, shell_complete=completion.papers)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take the verdicts that validate -o kept, instead of measuring.",
)
@in_form("html", help="One HTML page with the paper's packaged studies and their pictures, too.")
@in_form("latex")
@in_form("json")
@arguments.to_file("The page, .html; what was measured is kept beside it.", "PAGE")
@arguments.trials
@arguments.seed
@arguments.workers
@arguments.method("both", "exact", "monte-carlo")
@logged
def errata(
    paper: str | None, source: Path | None, form: str | None, out: Path | None, **options: Any
) -> int:
    """Print the confirmed statements of PAPER, and each erratum with its correction.

    PAPER may be the beginning of an id, like binary.proposition3: what begins so is shown with its
    numbers, the reason, and where formula and brute force stand. Without PAPER the papers are
    listed. With -o PAGE the same command goes on where it was stopped.
    """
    given = {key: value for key, value in options.items() if value is not None}
    if paper is None:
        if given or source or form or out:
            raise click.UsageError("name a PAPER; without one the papers are only listed")
        from fastgc.report.listings import counted_claims, definitions
        from fastgc.study.claims import paper_files as known

        echo(counted_claims(known.register(), table_width()))
        cited = {each: known.citation(each) or "of several papers" for each in known.names()}
        echo(f"\n{definitions(cited, table_width())}")
        return DONE
    if source is not None and given:
        names = ", ".join(f"--{key}" for key in given)
        raise click.BadParameter(f"nothing is measured; leave out {names}", param_hint="'--from'")
    if out is not None and form not in (None, "html"):
        raise click.BadParameter(f"is an HTML page; leave out --{form}", param_hint="'--out'")
    with ExitStack() as stack:
        meter, _, batch = stack.enter_context(working(paper, out, given.pop("executor", None)))
        from fastgc.errors import StoppedError
        from fastgc.report import pages, papers
        from fastgc.report.text import as_text
        from fastgc.validation import reports

        pages.require_html(out)
        is_whole = "." not in paper
        if is_whole and source is None and (form == "html" or out is not None):
            kept = out and out.with_suffix("")
            place = kept or stack.enter_context(TemporaryDirectory())
            given["command"] = shlex.join(["fastgc", *sys.argv[1:]])
            try:
                document, judged = reports.reproduce(paper, place, batch=batch(), **given)
            except StoppedError as early:
                said = str(early).partition(":")[0]
                nothing = "nothing was kept; name a page with -o to be able to go on"
                raise early if kept else StoppedError(f"{said}: {nothing}") from None
            said = put(document, out) + (f"; measurements kept in {kept}" if kept else "")
            bugs = reports.contradictions(judged)
            fine = all(verdict.as_expected for verdict in judged)
        else:
            page = reports.errata(paper, source=source, batch=batch(), **given)
            document = papers.paper_page(page)
            brief = papers.paper_page(page, is_brief=is_whole)
            said = put(document, out) if out is not None else ""
            if out is None:
                emit(
                    form,
                    html=lambda: document,
                    json=lambda: page,
                    latex=document.tables,
                    text=lambda: as_text(brief, text_width()),
                )
            bugs = page["disagreements"]
            fine = all(e["as_expected"] for key in (*papers.LISTS, "errata") for e in page[key])
        if bugs:
            meter.note("\n".join(bugs))
            return meter.finish(BUG)
        return meter.finish(DONE if fine else DIFFERS, said)
