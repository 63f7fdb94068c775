"""HTML and LaTeX as those read them who set them."""

import re
from html.parser import HTMLParser

from conftest import program, ran

VOID = ("br", "hr", "img", "meta", "link", "input", "col")


class Html(HTMLParser):
    """What a text of HTML holds; reading it fails where it is not well formed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], ""
        self.rows, self.caption = [], ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *each) for each in attributes]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        inside = self.open[-1] if self.open else ""
        if inside in ("td", "th"):
            self.rows[-1][-1] += data
        if inside == "caption":
            self.caption += data

    def values(self, *names):
        return [value for _, name, value in self.attributes if name in names]


def set_by_latex(text, folder):
    """Set a piece of LaTeX, which names the packages that it needs in its first comment."""
    lines = ["\\documentclass{article}", re.match(r"% (\\usepackage\{.*?\})", text)[1]]
    whole = "\n".join([*lines, "\\begin{document}", text, "\\end{document}"])
    (folder / "text.tex").write_text(whole, encoding="utf-8")
    command = [program("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "text.tex"]
    done = ran(*command, cwd=folder)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "text.pdf").stat().st_size > 5000
