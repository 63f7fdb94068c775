"""The command ``fastgc help``: the handbook and what there is to look up; and old spellings."""

import sys

import click

from fastgc.cli import completion
from fastgc.cli.completion import LOOKUPS
from fastgc.cli.terminal import DONE, echo, table_width, text_width

SECTIONS = {
    "First steps": ("demo", "help", "inspect"),
    "Your code, your study": ("run", "show", "plot", "merge"),
    "Theorems": ("validate", "errata"),
    "New codes": ("search",),
    "Your cluster": ("trace", "advise", "design", "measure"),
}

START = """\
fastgc measures how well gradient codes let training finish without its slowest workers.

Start with
  fastgc demo                    eight statements of five papers, judged in seconds
  fastgc inspect frc n=8 d=2     the datasheet of a code, or of your own matrix: B.csv
  fastgc run agc/main            a study that comes with fastgc, or your own: study.toml
  fastgc validate --paper agc    all claims of one paper

fastgc --help lists all commands, fastgc COMMAND --help explains one.
"""


class Sections(click.Group):
    """A group that lists its commands by section, and says what `fastgc help` looks up."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named."""
        if args[0] in LOOKUPS:
            raise click.UsageError(f"{args[0]} is looked up by `fastgc help {args[0]}`", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, each with its commands in the order of their use."""
        longest = formatter.width - 6 - max(len(name) for name in self.commands)
        for title, names in SECTIONS.items():
            said = [(name, self.commands[name].get_short_help_str(longest)) for name in names]
            with formatter.section(title):
                formatter.write_dl(said)


@click.command("help", short_help="Show a page of the handbook, or look something up.")
@click.argument("topic", required=False, shell_complete=completion.topics)
@click.argument("words", nargs=-1, metavar="[NAME [KEY=VALUE]...]")
@click.option("--json", "as_json", is_flag=True, help="With versions: as JSON.")
@click.pass_context
def handbook(
    context: click.Context, topic: str | None, words: tuple[str, ...], as_json: bool
) -> int:
    """Show the page TOPIC of the handbook, or list its pages.

    A command's name gives its --help, a code's or law's its keys. `help theory` lists the closed
    forms, or those of a paper; `help theory NAME` describes one, and with arguments like n=8 d=2 it
    is evaluated. `help studies` lists the packaged studies, and prints the one that is named; `help
    schema` prints the JSON Schema of a study, `help versions` what is installed.
    """
    if as_json and topic != "versions":
        raise click.BadParameter("belongs to `fastgc help versions`", param_hint="'--json'")
    if len(words) > {"studies": 1, "theory": sys.maxsize}.get(topic or "", 0):
        raise click.UsageError(f"nothing follows {topic} {' '.join(words[:-1])}".rstrip())
    if topic in LOOKUPS:
        echo(_looked_up(topic, words, as_json).rstrip("\n"))
        return DONE
    from fastgc.report import handbook as pages

    commands = context.parent.command.commands if context.parent else {}  # type: ignore[attr-defined]
    known = [page.topic for page in pages.pages()]
    if topic in commands and topic not in known:
        own = click.Context(commands[topic], parent=context.parent, info_name=topic)
        echo(commands[topic].get_help(own))
        return DONE
    if topic is None:
        titles = {page.topic: page.title for page in pages.pages()} | LOOKUPS
        groups = pages.GROUPS | {"Look up": (*pages.GROUPS["Look up"], *LOOKUPS)}
        formatter = click.HelpFormatter(width=text_width())
        for group, topics in groups.items():
            with formatter.section(group):
                formatter.write_dl([(topic, titles[topic]) for topic in topics])
        echo(formatter.getvalue().strip("\n"))
        echo("\n`fastgc help TOPIC` shows a page, `fastgc COMMAND --help` a command's options.")
    else:
        click.echo_via_pager(pages.page(topic, [*commands, *LOOKUPS]).text.rstrip("\n"))
    return DONE


def _looked_up(topic: str, words: tuple[str, ...], as_json: bool) -> str:
    from fastgc import report

    if topic == "theory":
        from fastgc.theory import by_name, paper_names

        if not words or (len(words) == 1 and words[0] in paper_names()):
            return report.formulas(by_name.formulas(*words), table_width())
        if len(words) == 1:
            return report.formula(words[0], by_name.formula(words[0]))
        return report.as_json(by_name.evaluate(words[0], words[1:]))
    if topic == "studies":
        from fastgc.report import wording
        from fastgc.study import packaged

        if words:
            return packaged.text(words[0])
        titles = {each: wording.subject(each, title) for each, title in packaged.titles().items()}
        return report.definitions(titles, table_width())
    if topic == "schema":
        from fastgc.study.schema import schema

        return report.as_json(schema())
    from fastgc.report.listings import installation

    found = installation()
    if as_json:
        return report.as_json(found)
    text = {key: each if isinstance(each, str) else ", ".join(each) for key, each in found.items()}
    return report.definitions(text)
