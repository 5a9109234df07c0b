"""A reader of HTML pages that complains: about tags left open, ids used twice, pictures without a name, dead links."""

from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LOADS = {"src", "srcset", "poster", "data", "background", "action"}


class Page(HTMLParser):
    """What a page consists of, as far as the tests ask."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.complaints = [], []
        self.ids, self.links, self.loads, self.images, self.headings, self.tags = [], [], [], [], [], []
        self.text = ""
        self.feed(text)
        self.close()
        self.complaints += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self._seen(tag, dict(attributes))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self._seen(tag, dict(attributes))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.complaints.append(f"</{tag}> within {self.open[-3:]} at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data

    def _seen(self, tag, attributes):
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        if tag in ("img", "svg"):
            self.images.append(attributes)
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)
        self.loads += [value for name, value in attributes.items() if name in LOADS]
        if tag == "link":
            self.loads.append(attributes.get("href", ""))
