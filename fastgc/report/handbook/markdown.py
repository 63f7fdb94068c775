"""Markdown, read by markdown-it: CommonMark with tables, and no HTML in it."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_LOCAL = re.compile(r"([a-z0-9-]+)\.md(?:#.*)?")


def parser() -> MarkdownIt:
    """Return a parser of the handbook's Markdown."""
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def tree(text: str) -> SyntaxTreeNode:
    """Return what a text holds: headings, paragraphs, lists, tables and code."""
    return SyntaxTreeNode(parser().parse(text))


def local_topic(target: str) -> str | None:
    """Return the topic of the page that a link leads to, or None where it leads elsewhere.

    Examples
    --------
    >>> local_topic("keys.md"), local_topic("keys.md#stop"), local_topic("https://x.org/a.md")
    ('keys', 'keys', None)
    """
    found = _LOCAL.fullmatch(target)
    return found and found[1]
