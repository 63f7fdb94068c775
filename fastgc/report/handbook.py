"""The handbook: pages in Markdown beside the package's code, as text for a terminal and as HTML."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.resources import files

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import nearest
from fastgc.report.text import columns

#: The order of reading; pages that are not named here come before the last ones.
FIRST = (
    *("own-code", "new-code", "own-theorem", "times", "own-cluster", "traces"),
    *("what-to-time", "which-remedy", "learning", "slurm"),
)
LAST = (
    *("statistics", "limits", "rare", "same-bits", "file", "large", "speed", "performance"),
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


_LOCAL = re.compile(r"([a-z0-9-]+)\.md(?:#.*)?")


def parser() -> MarkdownIt:
    """Return a parser of the handbook's Markdown."""
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def tree(text: str) -> SyntaxTreeNode:
    """Return what a text holds: headings, paragraphs, lists, tables and code."""
    return SyntaxTreeNode(parser().parse(text))


def local_topic(target: str) -> str | None:
    """Return the topic of the page that a link leads to, or None where it leads elsewhere.

    >>> local_topic("keys.md"), local_topic("keys.md#stop"), local_topic("https://x.org/a.md")
    ('keys', 'keys', None)
    """
    found = _LOCAL.fullmatch(target)
    return found and found[1]


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
    here = {page.topic for page in found}
    return "\n".join(
        f'<section id="{escape(page.topic)}">\n{_rendered(page, here)}</section>' for page in found
    )


def _rendered(page: Page, here: set[str]) -> str:
    reader = parser()
    tokens = reader.parse(page.text)
    for token in tokens:
        _led(token, here)
    rendered: str = reader.renderer.render(tokens, reader.options, {})
    # wide tables are scrolled in a box of their own, by the keyboard, too
    opened = '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>'
    return rendered.replace("<table>", opened).replace("</table>", "</table>\n</div>")


def _led(token: Token, here: set[str]) -> None:
    """Have links of this token and those in it lead to HTML."""
    for child in token.children or []:
        _led(child, here)
    if token.type == "link_open":
        topic = local_topic(str(token.attrs["href"]))
        if topic is not None:
            token.attrs["href"] = f"#{topic}" if topic in here else f"{topic}.html"


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


NARROWEST = 20
#: Words are broken where columns would be narrower than their words, down to this.
NARROWEST_COLUMN = 8
#: Between the columns of a table.
GAP = 2
CODE = "    "
_RULES = {"h1": "=", "h2": "-"}


def as_text(page: Page, width: int) -> str:
    """Return a page as text; only lines of code, and longer words, go beyond the width.

    >>> print(as_text(Page("x", "# A page\\n\\nWith **some** `code`, see [keys](keys.md)."), 40))
    A page
    ======
    <BLANKLINE>
    With some `code`, see keys (`fastgc help
    keys`).
    """
    return "\n".join(_blocks(tree(page.text).children, max(width, NARROWEST)))


def _blocks(nodes: Sequence[SyntaxTreeNode], width: int, apart: bool = True) -> Iterator[str]:
    for number, node in enumerate(nodes):
        if number and apart:
            yield ""
        yield from _block(node, width)


def _block(node: SyntaxTreeNode, width: int) -> Iterator[str]:
    if node.type == "heading":
        lines = _wrapped(_inline(node), width)
        yield from lines
        if node.tag in _RULES:
            yield _RULES[node.tag] * max(map(len, lines))
    elif node.type in ("fence", "code_block"):
        yield from (CODE + line if line else "" for line in node.content.splitlines())
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _list(node, width)
    elif node.type == "table":
        head, *body = node.children
        rows = [[_inline(cell) for cell in row.children] for row in head.children]
        rows += [[_inline(cell) for cell in row.children] for part in body for row in part.children]
        yield from table(rows[0 if any(rows[0]) else 1 :], width, has_head=any(rows[0]))
    elif node.type == "blockquote":
        yield from (f"  {line}" for line in _blocks(node.children, width - 2))
    elif node.type == "hr":
        yield "-" * width
    else:
        yield from _wrapped(_inline(node), width)


def _list(node: SyntaxTreeNode, width: int) -> Iterator[str]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        mark = "- " if node.type == "bullet_list" else f"{number}. "
        tight = all(child.hidden for child in item.children if child.type == "paragraph")
        lines = _blocks(item.children, width - len(mark), apart=not tight)
        for at, line in enumerate(lines):
            yield (mark if at == 0 else " " * len(mark) if line else "") + line


def table(rows: Sequence[Sequence[str]], width: int, has_head: bool = False) -> list[str]:
    """Return the lines of a table whose widest columns are wrapped until it fits."""
    natural = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    least = [max(_longest_word(row[at]) for row in rows) for at in range(len(rows[0]))]
    widths = _fitting(natural, least, width - GAP * (len(natural) - 1))
    made: list[list[str]] = []
    for number, row in enumerate(rows):
        cells = [_wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        for at in range(max(map(len, cells))):
            made.append([lines[at] if at < len(lines) else "" for lines in cells])
        if has_head and number == 0:
            made.append(["-" * wide for wide in widths])
    return columns(made)


def _fitting(natural: list[int], least: list[int], width: int) -> list[int]:
    """Widths of columns: what they need; else their longest words, and a share of what is left."""
    wanted = [most - word for most, word in zip(natural, least, strict=True)]
    left = width - sum(least)
    if left >= sum(wanted):
        return natural
    if left >= 0:
        return [word + want * left // sum(wanted) for word, want in zip(least, wanted, strict=True)]
    found = list(least)
    while sum(found) > width and max(found) > NARROWEST_COLUMN:
        found[found.index(max(found))] -= 1
    return found


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of a text, at least one."""
    lines = []
    for part in text.split("\n"):
        lines += textwrap.wrap(part, width, break_on_hyphens=False) or [""]
    return lines


def _inline(node: SyntaxTreeNode) -> str:
    """The words of a node; links say where they lead."""
    if node.type == "code_inline":
        return f"`{node.content}`"
    if node.type == "softbreak":
        return " "
    if node.type == "hardbreak":
        return "\n"
    if node.type == "link":
        text = "".join(map(_inline, node.children))
        target = str(node.attrs["href"])
        topic = local_topic(target)
        if topic is not None:
            target = f"`fastgc help {topic}`"
        return text if target.startswith("#") or target == text else f"{text} ({target})"
    return "".join(map(_inline, node.children)) if node.children else node.content
