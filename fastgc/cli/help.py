"""The command ``fastgc help``: the handbook, in the terminal and as HTML."""

import sys
from collections.abc import Iterator
from typing import IO

import click

from fastgc.cli import completion
from fastgc.cli.terminal import DONE, echo, text_width

SECTIONS = {
    "First steps": ("demo", "inspect", "theory", "studies", "help"),
    "Your code, your study": ("run", "show", "plot", "replay", "schema"),
    "Theorems": ("validate", "errata", "claims"),
    "Your cluster": ("advise", "design", "measure", "trace"),
    "New codes": ("search",),
    "Many machines": ("merge", "audit", "compile"),
    "About fastgc": ("info",),
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
    """A group that lists its commands by section."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, each with its commands in the order of their use."""
        for title, commands in self._listed(ctx):
            with formatter.section(title):
                longest = formatter.width - 6 - max(len(name) for name in self.commands)
                formatter.write_dl(
                    [(name, each.get_short_help_str(longest)) for name, each in commands]
                )

    def _listed(self, ctx: click.Context) -> Iterator[tuple[str, list[tuple[str, click.Command]]]]:
        for title, names in SECTIONS.items():
            known = [(name, self.get_command(ctx, name)) for name in names]
            yield title, [(name, each) for name, each in known if each is not None]


@click.command("help")
@click.argument("topic", required=False, shell_complete=completion.topics)
@click.option("--html", is_flag=True, help="As an HTML page that stands alone; without TOPIC, all.")
@click.option(
    "-o", "--out", type=click.File("w", "utf-8", lazy=True), help="With --html: the file to write."
)
@click.pass_context
def handbook(context: click.Context, topic: str | None, html: bool, out: IO[str] | None) -> int:
    """Show the page TOPIC of the handbook, or list its pages.

    The name of a command that no page has gives that command's --help.
    """
    if out is not None and not html:
        raise click.UsageError("-o writes the page that --html makes; add --html")
    from fastgc.report import handbook as pages

    own = _help_of_command(context, topic)
    if own is not None and not html and topic not in [page.topic for page in pages.pages()]:
        echo(own)
        return DONE
    found = pages.pages() if topic is None else (pages.page(topic, _commands(context)),)
    if html:
        click.echo(pages.as_html(found), file=out)
        return DONE
    columns = text_width()
    if topic is None:
        echo(pages.contents(found, columns))
        echo("\n`fastgc help TOPIC` shows a page, `fastgc COMMAND --help` a command's options.")
        return DONE
    text = pages.as_text(found[0], columns)
    if _is_terminal():
        click.echo_via_pager(text + "\n")
    else:
        echo(text)
    return DONE


def _commands(context: click.Context) -> dict[str, click.Command]:
    group = None if context.parent is None else context.parent.command
    return dict(group.commands) if isinstance(group, click.Group) else {}


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _help_of_command(context: click.Context, name: str | None) -> str | None:
    """What ``fastgc NAME --help`` prints, or None where no command has this name."""
    if name is None or context.parent is None:
        return None
    command = _commands(context).get(name)
    if command is None:
        return None
    return command.get_help(click.Context(command, parent=context.parent, info_name=name))
