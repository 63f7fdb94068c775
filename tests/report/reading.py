"""HTML as a browser takes it: every tag is closed; its attributes, text and cells of tables."""

from html.parser import HTMLParser

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
        """The values of attributes that are called so, in their order."""
        return [value for _, name, value in self.attributes if name in names]
