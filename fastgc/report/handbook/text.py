"""Pages as plain text that fits a terminal: paragraphs and tables are wrapped, code is not."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from markdown_it.tree import SyntaxTreeNode

from fastgc.report.columns import columns
from fastgc.report.handbook.markdown import local_topic, tree
from fastgc.report.handbook.pages import Page

NARROWEST = 20
#: Words are broken where columns would be narrower than their words, down to this.
NARROWEST_COLUMN = 8
#: Between the columns of a table.
GAP = 2
CODE = "    "
_RULES = {"h1": "=", "h2": "-"}


def contents(found: Sequence[Page], width: int) -> str:
    """Return the list of pages: a line each, a topic and its title.

    Parameters
    ----------
    found : sequence of Page
        The pages.
    width : int
        Columns of the terminal; longer titles are wrapped.
    """
    return "\n".join(_table([[page.topic, page.title] for page in found], width))


def as_text(page: Page, width: int) -> str:
    """Return a page as text.

    Parameters
    ----------
    page : Page
        The page.
    width : int
        Columns of the terminal. Only lines of code, and words that are longer, go beyond it.

    Examples
    --------
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
        yield from _table(rows[0 if any(rows[0]) else 1 :], width, has_head=any(rows[0]))
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


def _table(rows: Sequence[Sequence[str]], width: int, has_head: bool = False) -> list[str]:
    """Lines of a table whose widest columns are wrapped until it fits."""
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
