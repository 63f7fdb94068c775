"""The list of commands, by what people come for; and what ``fastgc`` alone says."""

from __future__ import annotations

from collections.abc import Iterator

import click

SECTIONS = {
    "First steps": ("demo", "inspect", "theory", "studies", "help"),
    "Your code, your study": ("run", "show", "plot", "report", "replay", "schema", "new"),
    "Theorems": ("validate", "errata", "reproduce"),
    "Your cluster": ("design", "trace"),
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
