"""The guides in Docs/Guides as articles of the catalogues, which DocC builds.

The text of a guide is in one place, so the articles are made for a build and removed after it.
"""

import re
import shutil
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GUIDES = ROOT / "Docs" / "Guides"

# The product that each guide is about.
MODULES = {
    "Settle": [
        "Database", "Models", "Indexes", "Observing", "Changes", "Upkeep", "ComingFrom", "CommandLine",
    ],
    "SettleCosmos": ["Cosmos", "CosmosOffline", "CosmosReplication"],
    "SettleEntities": ["Entities"],
    "SettleInspector": ["Inspector"],
    "SettleOutbox": ["Outbox"],
    "SettlePostgreSQL": ["PostgreSQL"],
    "SettleREST": ["Tables", "Transports"],
    "SettleServer": ["CouchDB", "Server", "ServerOperation"],
    "SettleSync": ["Replication"],
}
MODULE_OF = {guide: module for module, guides in MODULES.items() for guide in guides}

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+)(?:(?!\1).)*?\1", re.S)


def article(guide):
    """The name of a guide's article, which is no type's name."""
    return f"{guide}Guide"


def anchors(text):
    """The headings of a guide by the anchors that its links use."""
    found = {}
    for line in outside_of_code(text):
        match = re.match(r"#{2,6}\s+(.*?)\s*$", line)
        if match:
            title = re.sub(r"[`*]", "", match[1])
            plain = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            found[plain] = title
    return found


def outside_of_code(text):
    is_code = False
    for line in text.split("\n"):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield line


class Article:
    """A guide on its way to a catalogue."""

    def __init__(self, guide):
        self.guide = guide
        self.module = MODULE_OF[guide]
        self.images = []

    def text(self):
        blocks = re.split(r"(^```.*?^```$)", (GUIDES / f"{self.guide}.md").read_text(), flags=re.S | re.M)
        return "".join(block if block.startswith("```") else self.prose(block) for block in blocks)

    def prose(self, text):
        # Notes for the tests; DocC has no use for them.
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
        result, end = "", 0
        for code in CODE.finditer(text):
            # A link may have code for its text, but none is in code.
            if any(link.start() < code.start() < link.end() for link in LINK.finditer(text)):
                continue
            result += LINK.sub(self.link, text[end:code.start()]) + code[0]
            end = code.end()
        return result + LINK.sub(self.link, text[end:])

    def link(self, match):
        is_image, text, target = match[1] == "!", match[2], match[3]
        if re.match(r"[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        if is_image:
            image = (GUIDES / path).resolve()
            self.images.append(image)
            return f"![{text}]({self.guide}-{image.name})"
        guide = Path(path).stem if path else self.guide
        if path and (GUIDES / path).resolve().parent != GUIDES or guide not in MODULE_OF:
            # What is no guide has no page here.
            return text
        module = MODULE_OF[guide]
        fragment = ""
        if anchor:
            titles = anchors((GUIDES / f"{guide}.md").read_text())
            if anchor not in titles:
                raise SystemExit(f"{self.guide}.md: no heading of {guide}.md has the anchor {anchor}.")
            fragment = "#" + urllib.parse.quote(re.sub(r"\s+", "-", titles[anchor]))
        if module == self.module:
            return f"[{text}](doc:{article(guide)}{fragment})"
        return f"[{text}](/documentation/{module.lower()}/{article(guide).lower()}{fragment})"


def folder(module):
    return ROOT / "Sources" / module / f"{module}.docc" / "Guides"


def write():
    """Writes the articles of all guides, and the pictures in them."""
    guides = {path.stem for path in GUIDES.glob("*.md")}
    if guides != set(MODULE_OF):
        raise SystemExit(f"No product has the guides {guides ^ set(MODULE_OF)}: see {__file__}.")
    remove()
    for guide, module in MODULE_OF.items():
        page = Article(guide)
        folder(module).mkdir(exist_ok=True)
        (folder(module) / f"{article(guide)}.md").write_text(page.text())
        for image in page.images:
            shutil.copy(image, folder(module) / f"{guide}-{image.name}")


def remove():
    """Removes the articles."""
    for module in MODULES:
        shutil.rmtree(folder(module), ignore_errors=True)
