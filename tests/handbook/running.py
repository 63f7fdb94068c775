"""Runs the blocks of a page of the handbook as its reader would: in order, in one empty folder.

* ``sh``: every line must succeed. Plain ``fastgc`` commands run inside this process, which saves a
  second a command; what stands before, between and after them is given to bash.
* ``python``: lines with ``>>>`` as a doctest, others as a program; names are kept for the page.
* ``toml``: saved under the last name like `study.toml` in the paragraph above it; without one it
  must be a sound study, a claim that is confirmed, or a cluster that systems can be ranked for.
* After a paragraph that says "save", with a name in backticks, a block of any language is saved
  under this name. Whatever is saved must be used further down.
* ``text``, or no language, right after a block of ``sh`` is what that prints: its lines must
  occur in this order; "…" stands for anything, and blanks may be more or fewer.
* ``log`` and ``json`` show what differs from run to run.
"""

import doctest
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from conftest import ran

SHOWN_ONLY = {"log", "json"}
NAME = r"`([\w.-]+\.\w+|Snakefile)`"
#: What only a shell understands.
SHELL = re.compile(r"[|&;$()<>{}*?`]")


@dataclass(frozen=True)
class FencedBlock:
    """A fenced block: its language and text, the paragraph right above it, and its heading."""

    language: str
    text: str
    above: str
    heading: str
    line: int
    before: str
    """The language of the fenced block before it in the same section."""

    @property
    def saved_as(self) -> str | None:
        named = re.findall(NAME, self.above)
        if self.language == "toml":
            named = [name for name in named if name.endswith(".toml")]
        elif not re.search(r"\b[Ss]ave\b", self.above):
            return None
        return named[-1] if named else None

    @property
    def is_output(self) -> bool:
        """Whether it is what the block before it prints."""
        return self.language in ("", "text") and self.before == "sh" and self.saved_as is None


def blocks(text: str) -> list[FencedBlock]:
    found: list[FencedBlock] = []
    above = heading = before = ""
    for node in _flat(SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text))):
        if node.type == "fence":
            language = node.info.split()[0] if node.info else ""
            line = node.map[0] + 1 if node.map else 0
            found.append(FencedBlock(language, node.content, above, heading, line, before))
            above, before = "", language
        elif node.type == "heading":
            heading, above, before = node.children[0].content, "", ""
        elif node.type == "paragraph":
            above = node.children[0].content
    return found


def _flat(node: SyntaxTreeNode):
    for child in node.children:
        if child.type in ("fence", "heading", "paragraph"):
            yield child
        else:
            yield from _flat(child)


@dataclass
class Reader:
    """Follows a page in a folder."""

    folder: Path
    command: Callable[..., tuple[int, str, str]]
    """Runs the command inside this process: exit code, stdout, stderr."""
    environment: Mapping[str, str]
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "reader"})
    printed: str = ""

    def follow(self, block: FencedBlock) -> None:
        """Do with a block what the page says."""
        if block.saved_as is not None:
            (self.folder / block.saved_as).write_text(block.text)
        elif block.is_output:
            shows(self.printed, block.text)
        elif block.language == "sh":
            self.printed = self.shell(block.text)
        elif block.language == "python":
            self.python(block)
        elif block.language == "toml":
            sound(block.text, self.folder)
        else:
            assert block.language in SHOWN_ONLY, f"nothing runs blocks of {block.language!r}"

    def shell(self, text: str) -> str:
        printed = ""
        for part in _parts(text):
            command = None if "\n" in part else _plain(part)
            printed += self._bash(part) if command is None else self._inside(command)
        return printed

    def _bash(self, text: str) -> str:
        done = ran("bash", "-ec", text, cwd=self.folder, env=dict(self.environment))
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def _inside(self, command: tuple[list[str], str | None]) -> str:
        words, file = command
        code, out, err = self.command(*words)
        assert code == 0, f"{words}: exit code {code}\n{out}{err}"
        if file is not None:
            (self.folder / file).write_text(out)
            out = ""
        return out + err

    def python(self, block: FencedBlock) -> None:
        if ">>>" not in block.text:
            exec(compile(block.text, f"line {block.line}", "exec", dont_inherit=True), self.names)
            return
        runner = doctest.DocTestRunner()
        parsed = doctest.DocTestParser().get_doctest(
            block.text, self.names, block.heading, None, block.line
        )
        said: list[str] = []
        failed = runner.run(parsed, out=said.append, clear_globs=False).failed
        self.names |= parsed.globs
        assert parsed.examples and not failed, "".join(said)


def _parts(text: str) -> list[str]:
    """Plain commands of fastgc, one each, and what bash runs between them, all in one."""
    parts: list[str] = []
    own = end = None
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() and end is None:
            continue
        is_bash = end is not None or _plain(line) is None
        if is_bash and own:
            parts[-1] += f"\n{line}"
        else:
            parts.append(line)
        if end is None:
            begins = re.search(r"<<'(\w+)'", line)
            end = begins[1] if begins else None
        elif line == end:
            end = None
        own = is_bash
    return parts


def _plain(line: str) -> tuple[list[str], str | None] | None:
    """Words of a plain command of fastgc, and the file that takes what it prints."""
    line, _, file = line.partition(" > ")
    words = shlex.split(line, comments=True)
    if SHELL.search("".join(words) + file) or not words or words[0] != "fastgc":
        return None
    return words[1:], file.split("#")[0].strip() or None


def shows(printed: str, expected: str) -> None:
    """Fail unless the expected lines occur in this order."""
    lines = [line for line in printed.splitlines() if line.strip()]
    at = 0
    for line in filter(str.strip, expected.splitlines()):
        parts = [r"\s+".join(map(re.escape, part.split())) for part in line.split("…")]
        pattern = re.compile(r"\s*" + r".*".join(parts) + r"\s*")
        while at < len(lines) and not pattern.fullmatch(lines[at]):
            at += 1
        assert at < len(lines), f"it does not print, or not there:\n{line}\nbut:\n{printed}"
        at += 1 if line.strip() != "…" else 0


def sound(text: str, folder: Path) -> None:
    """Fail unless a table that has no name is a study, a claim or a cluster."""
    import fastgc
    from fastgc.study.study import Study

    path = folder / "unnamed.toml"
    path.write_text(text)
    if "[design]" in text:
        assert fastgc.design(path)[0].value > 0
    elif "[[claim]]" in text:
        assert [found.verdict for found in fastgc.validate(path)] == ["confirmed"]
    else:
        assert Study.parse(path).points()
    path.unlink()
