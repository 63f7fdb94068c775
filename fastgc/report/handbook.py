"""The handbook: pages in Markdown beside the package's code, as they are and as HTML."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.resources import files

from markdown_it import MarkdownIt

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import nearest

#: The order of reading; pages that are not named here come before the last ones.
FIRST = (
    *("own-code", "new-code", "own-theorem", "times", "own-cluster", "traces"),
    *("what-to-time", "which-remedy", "learning", "slurm"),
)
LAST = (
    *(
        "statistics",
        "verdicts",
        "limits",
        "rare",
        "same-bits",
        "file",
        "large",
        "speed",
        "performance",
    ),
    *("house", "keys", "claims"),
)
#: Headings of the pages that `fastgc.report.made` makes when they are read, which takes a while.
MADE = {"keys": "# The keys of studies", "claims": "# The claims that fastgc knows"}


@dataclass(frozen=True)
class Page:
    """A page of the handbook: its name in ``fastgc help TOPIC``, and what is written of it.

    That is all of its Markdown or, where ``is_made``, its heading.
    """

    topic: str
    written: str
    is_made: bool = False

    @property
    def name(self) -> str:
        """Where it stands on a page that holds it."""
        return self.topic

    @property
    def title(self) -> str:
        """Its heading."""
        return self.written.partition("\n")[0].removeprefix("# ")

    @cached_property
    def text(self) -> str:
        """All of its Markdown."""
        if not self.is_made:
            return self.written
        make = getattr(import_module("fastgc.report.made"), self.topic)
        return f"{self.written}\n\n{make()}"


def pages() -> tuple[Page, ...]:
    """Return all pages in the order of reading.

    >>> [found.title for found in pages() if found.topic == "statistics"]
    ['How the statistics are done']
    """
    found = {topic: Page(topic, heading, is_made=True) for topic, heading in MADE.items()}
    for file in files("fastgc").joinpath("handbook").iterdir():
        topic, ends = file.name.removesuffix(".md"), file.name.endswith(".md")
        found |= {topic: Page(topic, file.read_text(encoding="utf-8"))} if ends else {}
    between = sorted(found.keys() - {*FIRST, *LAST})
    return tuple(found[topic] for topic in (*FIRST, *between, *LAST) if topic in found)


def page(topic: str, others: Iterable[str] = ()) -> Page:
    """Return a page by its topic, like ``"slurm"``.

    Raises FastgcError if there is none; it names the nearest page, or the nearest of ``others``,
    which are names of commands.

    >>> page("keys").title
    'The keys of studies'
    """
    found = {each.topic: each for each in pages()}
    if topic not in found:
        meant = nearest(topic, [*found, *others]) or "; `fastgc help` lists them"
        raise FastgcError(f"help: there is no page {topic!r}{meant}")
    return found[topic]


#: Where a link to another page leads.
_LOCAL = re.compile(r"([a-z0-9-]+)\.md(?:#.*)?")


def body(found: Sequence[Page]) -> str:
    """Return the pages as HTML, one after the other, a section each.

    Links between pages lead to the section of a page that is here, else to a file named like the
    page: ``keys.html``.

    >>> print(body([Page("x", "# X\\n\\n[keys](keys.md)")]))
    <section id="x">
    <h1>X</h1>
    <p><a href="keys.html">keys</a></p>
    </section>
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    sections = []
    for each in found:
        tokens = reader.parse(each.text)
        for token in (part for block in tokens for part in (block.children or [])):
            target = _LOCAL.fullmatch(str(token.attrs.get("href", "")))
            if target:
                is_here = target[1] in {page.topic for page in found}
                token.attrs["href"] = f"#{target[1]}" if is_here else f"{target[1]}.html"
        rendered: str = reader.renderer.render(tokens, reader.options, {})
        # wide tables are scrolled in a box of their own, by the keyboard, too
        opened = '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>'
        rendered = rendered.replace("<table>", opened).replace("</table>", "</table>\n</div>")
        sections.append(f'<section id="{escape(each.topic)}">\n{rendered}</section>')
    return "\n".join(sections)


def as_html(found: Sequence[Page]) -> str:
    """Return the pages as one HTML document that needs no network; several with a list of them.

    >>> "<title>The keys of studies</title>" in as_html([Page("keys", "# The keys of studies")])
    True
    """
    from markupsafe import Markup

    from fastgc.report import html  # the terminal's pages need no templates

    inside = Markup(body(found))
    if len(found) == 1:
        return html.framed(found[0].title, Markup(), inside)
    title = "fastgc: the handbook"
    # its own heading comes first: those of the pages are all of the same level
    head = Markup("<header>\n<p>{}</p>\n</header>\n").format(title)
    return html.framed(title, head + html.contents(found), inside)
