"""The inspector in a real browser: every page, every action, the keyboard, live changes, attacks, accessibility.

check.py SETTLE CITIES: starts the tool SETTLE with a database of the documents in CITIES and with one of hostile
contents, and looks at both with headless Chromium. Where SETTLE_SCREENSHOTS names a folder, pictures go there.
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import quote, urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

WAIT = 20
HOSTILE = [
    "<script>window.broken=1</script>",
    '"><img src=x onerror=window.broken=1>',
    "' onmouseover='window.broken=1",
    '"\u0301 autofocus onfocus=window.broken=1 x="\u0301',
    "</textarea></pre></title><svg onload=window.broken=1>",
    "javascript:window.broken=1",
    "{{{title}}}",
    "\u202eevil",
]


class Tool:
    """The tool and the databases of a folder."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def run(self, *arguments):
        done = subprocess.run(
            [self.program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout


class Inspector:
    """A running `settle inspect`."""

    started = []

    def __init__(self, tool, database, *flags):
        self.process = subprocess.Popen(
            [tool.program, "inspect", database, "--json", *flags],
            cwd=tool.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.started.append(self.process)
        self.url = json.loads(self.process.stdout.readline())["url"]
        parts = urlsplit(self.url)
        self.origin = f"{parts.scheme}://{parts.netloc}"

    def end(self):
        self.process.terminate()
        status = self.process.wait(timeout=30)
        assert status == 0, f"settle inspect ended with status {status}."

    @classmethod
    def end_all(cls):
        """Ends those that a failure left."""
        for process in cls.started:
            if process.poll() is None:
                process.kill()


class Browser:
    """A browser that notes what it asks for and what it complains of."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
            options.add_argument(argument)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(60)
        self.screenshots = os.environ.get("SETTLE_SCREENSHOTS")

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def requests(self):
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def check(self, inspector, what):
        """Nothing was complained of, and nothing asked for elsewhere."""
        complaints = self.complaints()
        assert not complaints, (what, complaints)
        for url in self.requests():
            assert url.startswith((inspector.origin, "data:", "about:", "chrome:")), (what, url)

    def open(self, inspector, path, heading=None):
        self.driver.get(inspector.origin + path)
        found = self.text("h1")
        if heading:
            assert found == heading, (path, found)
        return found

    def text(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, condition, what):
        WebDriverWait(self.driver, WAIT, poll_frequency=0.05).until(lambda _: condition(), what)

    def keys(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def submit(self, button):
        """Presses a button that leads to another page."""
        before = self.driver.find_element(By.TAG_NAME, "html")
        for found in self.all("main button[type=submit]"):
            if found.text == button:
                found.click()
                break
        else:
            raise AssertionError(f"There is no button {button!r}.")
        self.wait(lambda: self.is_gone(before), f"the page after {button}")

    @staticmethod
    def is_gone(element):
        try:
            element.tag_name
            return False
        except Exception:  # The driver has several names for it.
            return True

    def scheme(self, value):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": value}]},
        )

    def narrow(self, width):
        """Makes the screen as wide as a phone's; None for a desk's."""
        if width:
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 780, "deviceScaleFactor": 1, "mobile": True},
            )
        else:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def fill(self, **fields):
        for name, value in fields.items():
            field = self.all(f"main [name={name}]:not([type=hidden])")[0]
            if field.get_attribute("type") != "file":
                field.clear()
            field.send_keys(value)

    def picture(self, name):
        if self.screenshots:
            os.makedirs(self.screenshots, exist_ok=True)
            self.driver.save_screenshot(os.path.join(self.screenshots, name + ".png"))


# What must hold of each page for people who do not see it, or use no mouse; a list of faults.
ACCESSIBILITY = r"""
const faults = [];
const named = (e) => (e.getAttribute("aria-label") || e.textContent || "").trim() !== "";
if (!document.documentElement.lang) faults.push("no language");
if (document.title.trim() === "") faults.push("no title");
if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
  if (!e.labels || e.labels.length === 0 || e.labels[0].textContent.trim() === "") faults.push("no label: " + e.name);
for (const e of document.querySelectorAll("button, a[href], summary")) {
  const title = e.querySelector("text");
  if (!named(e) && !title) faults.push("no name: " + e.outerHTML.slice(0, 80));
}
for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) faults.push("no alt");
for (const e of document.querySelectorAll("svg.chart"))
  if (e.getAttribute("role") !== "img" || !e.getAttribute("aria-label")) faults.push("chart without a name");
for (const e of document.querySelectorAll("th")) if (!e.hasAttribute("scope")) faults.push("th without scope");
for (const e of document.querySelectorAll("table")) if (!e.caption) faults.push("table without caption");
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
if (new Set(ids).size !== ids.length) faults.push("an id twice");
let level = 1;
for (const e of document.querySelectorAll("h1, h2, h3")) {
  const next = Number(e.tagName[1]);
  if (next > level + 1) faults.push("heading skips a level: " + e.textContent);
  level = next;
}
for (const e of document.querySelectorAll("[tabindex]"))
  if (e.tabIndex > 0) faults.push("tabindex above 0");
// Contrast, by the formula of WCAG 2.2, 1.4.3.
const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const linear = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const back = (e) => {
  for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c;
  }
  return [255, 255, 255];
};
for (const e of document.querySelectorAll("body *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
  if (!own || e.closest(".skip, script, style, option, title, li.new")) continue;
  const style = getComputedStyle(e);
  const front = rgb(e instanceof SVGElement ? style.fill : style.color);
  const [a, b] = [light(front), light(back(e))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) faults.push("contrast " + ratio.toFixed(2) + ": " + e.tagName + " " + e.textContent.slice(0, 40));
}
return faults;
"""


def check_accessibility(browser, what):
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        faults = browser.driver.execute_script(ACCESSIBILITY)
        assert not faults, (what, scheme, faults)
    browser.scheme("light")


def check_width(browser, what):
    """Nothing is wider than the screen, and what is pressed is large enough for a thumb."""
    wide = browser.driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0, (what, wide)
    small = browser.driver.execute_script(
        "return [...document.querySelectorAll('nav a, button, main input:not([type=hidden]):not([type=checkbox])')]"
        ".filter((e) => e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 80))"
    )
    assert not small, (what, small)


def check_pages(browser, inspector, name):
    """Every page of a database, with what is noted at each."""
    base = f"/d/{name}/"
    pages = {
        "overview": "Overview", "documents": "Documents", "documents?by=change": "Documents",
        "documents?where=" + quote('{"type": "city"}'): "Documents", "indexes": "Indexes",
        "changes?since=0": "Changes", "outbox": "Outbox", "replication": "Replication",
        "entities": "Entities", "server": "Server",
    }
    for page, heading in pages.items():
        browser.open(inspector, base + page, heading)
        check_accessibility(browser, page)
        browser.check(inspector, page)
        browser.picture(f"{name}-{heading.lower()}" + ("-2" if "?" in page else ""))


def check_cities(tool, browser):
    inspector = Inspector(tool, "./cities")
    browser.driver.get(inspector.url)
    assert browser.text("h1") == "Overview"
    assert "token" not in browser.driver.current_url
    check_pages(browser, inspector, "cities")

    # Pages follow each other by key.
    browser.open(inspector, "/d/cities/documents")
    first = [e.text for e in browser.all("tbody th")]
    assert len(first) == 50, len(first)
    browser.keys("n")
    browser.wait(lambda: "after=" in browser.driver.current_url, "the next page")
    second = [e.text for e in browser.all("tbody th")]
    assert len(second) == 50 and not set(first) & set(second)

    # One document, and a group as a chart.
    browser.open(inspector, "/d/cities/document?id=" + quote(first[0]), first[0])
    check_accessibility(browser, "document")
    assert browser.all(".tree li")
    browser.picture("cities-document")
    browser.open(inspector, "/d/cities/index?name=bycountry&level=keys")
    check_accessibility(browser, "index")
    assert len(browser.all("rect.bar")) == 50
    facts = {e.find_element(By.TAG_NAME, "dt").text: e.find_element(By.TAG_NAME, "dd").text for e in browser.all("dl div")}
    assert int(facts["Leaves read"].replace("\u202f", "")) > 0, facts
    keys = quote('["NO", "SE", "none"]')
    browser.open(inspector, "/d/cities/index?name=bycountry&level=keys&keys=" + keys)
    assert [e.text for e in browser.all("tbody th")] == ['"NO"', '"SE"']
    check_accessibility(browser, "a list of keys")
    browser.open(inspector, "/d/cities/index?name=bycountry&level=keys")
    browser.driver.execute_script("document.querySelector('figure').scrollIntoView()")
    browser.picture("cities-index")
    browser.check(inspector, "document and index")

    # The keyboard alone: to the search, to the first row, to its page, to another page.
    browser.open(inspector, "/d/cities/overview")
    browser.keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the contents"
    browser.keys("2")
    browser.wait(lambda: browser.text("h1") == "Documents", "the second page of the menu")
    browser.keys("/")
    browser.keys(first[7], Keys.ENTER)
    browser.wait(lambda: "id=" in browser.driver.current_url, "the search")
    browser.keys("j")
    browser.keys(Keys.ENTER)
    browser.wait(lambda: browser.text("h1") == first[7], "the document")
    browser.keys("?")
    browser.wait(lambda: browser.all("dialog[open]"), "the list of keys")
    check_accessibility(browser, "keys")
    browser.keys(Keys.ESCAPE)
    browser.wait(lambda: not browser.all("dialog[open]"), "the end of the list of keys")

    # A change of another process, live; paused and gone on with.
    browser.open(inspector, "/d/cities/changes")
    browser.wait(lambda: browser.text(".live .state") == "Live.", "the stream")
    tool.run("put", "./cities", '{"id": "x-new", "type": "city"}')
    browser.wait(lambda: "x-new" in browser.text(".live ol"), "a change of another process")
    browser.keys("p")
    tool.run("put", "./cities", '{"id": "x-second", "type": "city"}')
    browser.wait(lambda: "1 wait" in browser.text(".live .state"), "a change that waits")
    assert "x-second" not in browser.text(".live ol")
    browser.keys("p")
    browser.wait(lambda: "x-second" in browser.text(".live ol"), "what waited")
    browser.open(inspector, "/d/cities/overview")
    count = browser.text("[data-figure=documents]")
    tool.run("put", "./cities", '{"id": "x-third", "type": "city"}')
    browser.wait(lambda: browser.text("[data-figure=documents]") != count, "the figures")
    browser.check(inspector, "live")

    # On a phone nothing is wider than the screen.
    browser.narrow(360)
    for page in (
        "overview", "documents", "document?id=" + quote(first[0]), "indexes", "index?name=bycountry&level=keys",
        "changes?since=0", "outbox", "replication", "entities", "server",
    ):
        browser.open(inspector, "/d/cities/" + page)
        check_width(browser, page)
    browser.open(inspector, "/d/cities/overview")
    browser.picture("cities-phone")
    browser.narrow(None)
    browser.scheme("dark")
    browser.open(inspector, "/d/cities/overview")
    browser.picture("cities-dark")
    browser.scheme("light")
    browser.check(inspector, "on a phone, and in the dark")
    browser.open(inspector, "/x", "Not Found")
    browser.complaints()  # Of the status of that page.
    browser.requests()
    inspector.end()


def check_writing(tool, browser):
    """Every action, as somebody does it."""
    inspector = Inspector(tool, "./cities", "--write")
    browser.driver.get(inspector.url)
    browser.open(inspector, "/d/cities/edit", "New document")
    check_accessibility(browser, "edit")
    browser.all("[name=id]")[0].send_keys("mine")
    area = browser.all("textarea")[0]
    area.clear()
    area.send_keys('{"type": "mine", "n": 1}')
    browser.submit("Show what is different")
    check_accessibility(browser, "differences")
    browser.picture("cities-differences")
    browser.submit("Save")
    assert browser.text("h1") == "mine"
    browser.open(inspector, "/d/cities/edit?id=mine", "Edit mine")
    area = browser.all("textarea")[0]
    area.clear()
    area.send_keys('{"type": "mine", "n": 2}')
    browser.submit("Show what is different")
    assert [e.text for e in browser.all("tbody th")] == ["n"]
    # Meanwhile somebody else changes it.
    tool.run("put", "./cities", "--replace", '{"id": "mine", "n": 3}')
    browser.submit("Save")
    assert "changed meanwhile" in browser.text("main"), browser.text("main")
    browser.complaints()  # The status of that page is 409, which the browser notes.
    # An attachment is added, replaced and removed, each after what is different was shown.
    for name, content in (("one.txt", b"one"), ("two.txt", b"two and more")):
        with open(os.path.join(tool.folder, name), "wb") as file:
            file.write(content)
    browser.open(inspector, "/d/cities/document?id=mine", "mine")
    browser.driver.find_element(By.LINK_TEXT, "Attach a file").click()
    check_accessibility(browser, "attach")
    browser.fill(file=os.path.join(tool.folder, "one.txt"))
    browser.submit("Show what is different")
    check_accessibility(browser, "differences of an attachment")
    assert "3 bytes" in browser.text("tbody"), browser.text("main")
    browser.submit("Attach")
    assert "one.txt" in browser.text("main")
    browser.driver.find_element(By.LINK_TEXT, "Replace").click()
    browser.fill(file=os.path.join(tool.folder, "two.txt"))
    browser.submit("Show what is different")
    assert "12 bytes" in browser.text("tbody"), browser.text("main")
    browser.submit("Replace")
    assert "12 bytes" in browser.text("main") and "two.txt" not in browser.text("main")
    browser.driver.find_element(By.LINK_TEXT, "Remove").click()
    check_accessibility(browser, "detach")
    browser.submit("Remove")
    assert "one.txt" not in browser.text("main")
    # When it expires is set and removed.
    for date in ("2090-01-31", ""):
        browser.driver.find_element(By.LINK_TEXT, "Set when it expires").click()
        check_accessibility(browser, "expiry")
        browser.fill(date=date)
        browser.submit("Show what is different")
        check_accessibility(browser, "differences of the expiry")
        browser.submit("Save")
        assert ("2090-01-31" in browser.text("dl")) == bool(date), browser.text("dl")
    browser.check(inspector, "attachments and expiry")
    browser.open(inspector, "/d/cities/document?id=mine", "mine")
    browser.submit("Delete")
    assert "tombstone" in browser.text("main")
    browser.submit("Purge")
    assert browser.text("h1") == "Documents"
    browser.open(inspector, "/d/cities/indexes", "Indexes")
    for name, value in (("name", "mine"), ("keys", "country, name"), ("value", "population")):
        browser.all(f"[name={name}]")[0].send_keys(value)
    browser.submit("Build")
    assert browser.text("h1") == "Index mine"
    # It fills while it is looked at, and says when it is done; on a quick machine that was before.
    if browser.all("section.progress"):
        check_accessibility(browser, "progress")
        browser.wait(lambda: "Built" in browser.text("section.progress .state"), "the end of the build")

    def is_built():
        browser.driver.refresh()
        return "up to date" in browser.text("dl")

    browser.wait(is_built, "the index")
    assert len(browser.all("tbody tr")) == 50
    browser.submit("Bring up to date")
    browser.submit("Remove")
    assert "mine" not in browser.text("main table")
    browser.check(inspector, "writing")
    inspector.end()


def check_hostile(tool, browser):
    """Contents and names that try to be more than text."""
    inspector = Inspector(tool, "./hostile", "--write")
    browser.driver.get(inspector.url)
    check_pages(browser, inspector, "hostile")
    pages = []
    for text in HOSTILE:
        pages += [
            "document?id=" + quote("d" + text, safe=""), "edit?id=" + quote("d" + text, safe=""),
            "documents?id=" + quote(text, safe=""), "index?name=" + quote(text, safe=""),
            "changes?since=0&type=" + quote(text, safe=""),
        ]
    for page in pages:
        browser.driver.get(f"{inspector.origin}/d/hostile/{page}")
        assert not browser.driver.execute_script("return window.broken"), page
        assert not browser.all("main script, main img:not([alt]), main svg:not(.chart)"), page
        check_accessibility(browser, page)
    browser.check(inspector, "hostile contents")
    # What comes live is text, too.
    browser.open(inspector, "/d/hostile/changes?since=0")
    browser.wait(lambda: len(browser.all(".live li")) == len(HOSTILE), "the hostile changes")
    assert not browser.driver.execute_script("return window.broken")
    for link in browser.all(".live li a"):
        assert link.get_attribute("href").startswith(inspector.origin)
    browser.picture("hostile-changes")
    browser.check(inspector, "hostile changes")
    # A page that is left open complains of the stream that ends with the inspector.
    browser.driver.get("about:blank")
    inspector.end()


def check_large(tool, browser):
    """Documents of megabytes and of thousands of members, hundreds of indexes, identifiers as long as they may be."""
    longest = "i" * 255
    documents = [
        {"id": "long", "type": "large", "text": "<x>" * (10 * 1024 * 1024 // 3)},
        {"id": "wide", "type": "large", **{f"member{n}": n for n in range(10_000)}},
        {"id": longest, "type": "large", "w" * 200: "v" * 400},
    ]
    path = os.path.join(tool.folder, "large.ndjson")
    with open(path, "w") as file:
        for document in documents:
            file.write(json.dumps(document) + "\n")
        file.write('{"id": "deep", "a": ' + "[" * 511 + "]" * 511 + "}\n")
    tool.run("import", "./large", path)
    inspector = Inspector(tool, "./large", "--write")
    browser.driver.get(inspector.url)
    browser.narrow(360)
    for id in ("long", "wide", longest):
        for page in ("document", "edit", "attach", "expiry"):
            browser.driver.get(f"{inspector.origin}/d/large/{page}?id={id}")
            check_width(browser, (page, id[:9]))
            check_accessibility(browser, (page, id[:9]))
            assert len(browser.driver.page_source) < 3 << 20, (page, id[:9])
    # As deep as may be: a tree to a level, and the rest as JSON.
    browser.open(inspector, "/d/large/document?id=deep", "deep")
    check_width(browser, "deep")
    check_accessibility(browser, "deep")
    assert len(browser.all(".tree details")) == 63, len(browser.all(".tree details"))
    assert browser.all(".tree a")[0].get_attribute("href").endswith("document.json?id=deep")
    browser.open(inspector, "/d/large/documents", "Documents")
    check_width(browser, "long identifiers")
    browser.narrow(None)
    browser.check(inspector, "large documents")
    inspector.end()


def check_entities(tool, browser):
    """Entities that another process made: by type, one with its history, as of a moment, and who refers to it."""
    day = "2026-01-01T00:00:00Z"
    path = os.path.join(tool.folder, "people.json")
    with open(path, "w") as file:
        json.dump(
            {
                "entities": [
                    {
                        "identifier": "anna", "type": "person", "datestamp": {"date": day}, "name": "Anna",
                        "phone": {"entries": ["1", {"string": "2", "datestamp": "2026-01-03T00:00:00Z", "device": "laptop"}]},
                    },
                    {"identifier": "bob", "type": "person", "datestamp": {"date": day}, "boss": {"entity": "anna"}},
                ]
            },
            file,
        )
    tool.run("entities", "import", "./people", path)
    tool.run("entities", "./people")  # Brings their index up to date.
    inspector = Inspector(tool, "./people")
    browser.driver.get(inspector.url)
    browser.open(inspector, "/d/people/entities", "Entities")
    check_accessibility(browser, "entities")
    browser.driver.find_element(By.LINK_TEXT, "person").click()
    browser.wait(lambda: browser.all("a[href*='entity?id=anna']"), "the entities of a type")
    browser.driver.find_element(By.LINK_TEXT, "anna").click()
    browser.wait(lambda: browser.text("h1") == "anna", "an entity")
    check_accessibility(browser, "entity")
    assert browser.all("svg.chart"), browser.text("main")
    assert browser.all("a[href*='entity?id=bob']"), browser.text("main")
    assert "2" in browser.text("tbody"), browser.text("tbody")
    browser.fill(date="2026-01-02T00:00:00Z")
    browser.submit("Show")
    assert "2026-01-02" in browser.text("caption"), browser.text("main")
    browser.narrow(360)
    check_width(browser, "entity")
    browser.narrow(None)
    browser.picture("people-entity")
    browser.check(inspector, "entities")
    inspector.end()


def check_mounted(tool, browser):
    """Under a path of a server, behind its tokens."""
    secret = os.path.join(tool.folder, "secret")
    with open(secret, "w") as file:
        file.write("s" * 40)
    process = subprocess.Popen(
        [
            tool.program, "serve", "--directory", "./server", "--port", "0", "--secret-file", secret, "--json",
            "--inspector-path",
        ],
        cwd=tool.folder, stdout=subprocess.PIPE, text=True,
    )
    Inspector.started.append(process)
    inspector = json.loads(process.stdout.readline())
    parts = urlsplit(inspector["inspectorPath"])

    class Place:
        origin = f"{parts.scheme}://{parts.netloc}"

    token = tool.run("token", "--secret-file", secret, "--claim", "inspector:=true").strip()
    tool.run("put", "./synced", '{"id": "plum"}')
    with open(os.path.join(tool.folder, "token"), "w") as file:
        file.write(token)
    tool.run("sync", "./synced", inspector["url"] + "/tables/items", "--token-file", "token")
    browser.driver.get(inspector["inspectorPath"])
    check_accessibility(browser, "entry")
    browser.fill(token="wrong")
    browser.submit("Look into the server")
    assert "malformed" in browser.text(".warning"), browser.text("main")
    browser.complaints()  # Of the status of those two pages.
    browser.fill(token=token)
    browser.submit("Look into the server")
    browser.driver.find_element(By.LINK_TEXT, "Server").click()
    browser.wait(lambda: browser.text("h1") == "Server", "the page of the server")
    check_accessibility(browser, "mounted server")
    browser.driver.find_element(By.LINK_TEXT, "All databases").click()
    browser.driver.find_element(By.LINK_TEXT, "t-items").click()
    for page in ("Documents", "Indexes", "Changes", "Outbox", "Replication", "Entities", "Server", "Overview"):
        browser.driver.find_element(By.LINK_TEXT, page).click()
        browser.wait(lambda: browser.text("h1") == page, page)
        assert browser.driver.current_url.startswith(inspector["inspectorPath"] + "/d/"), browser.driver.current_url
        check_accessibility(browser, "mounted " + page)
    browser.check(Place, "under a path")
    browser.driver.get(inspector["inspectorPath"] + "/")
    browser.submit("Leave")
    assert browser.all("[name=token]")
    browser.complaints()
    browser.requests()
    process.terminate()
    assert process.wait(timeout=60) == 0


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of another origin."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title><body>")

    def log_message(self, *arguments):
        pass


def check_attacks(tool, browser):
    """What a page of another origin, in a browser that was let in, can do: nothing."""
    inspector = Inspector(tool, "./hostile", "--write")
    browser.driver.get(inspector.url)
    before = tool.run("stats", "./hostile", "--json")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for host in ("127.0.0.1", "localhost"):
        elsewhere = f"http://{host}:{server.server_port}/"
        browser.driver.get(elsewhere)
        target = f"{inspector.origin}/d/hostile/"
        read = browser.driver.execute_async_script(
            """
            const [target, done] = arguments;
            fetch(target + "overview", {credentials: "include"}).then(() => done("read"), () => done("refused"));
            """,
            target,
        )
        assert read == "refused", read
        sent = browser.driver.execute_async_script(
            """
            const [target, done] = arguments;
            const body = new URLSearchParams({name: "evil", keys: "a"});
            fetch(target + "index/add", {method: "POST", mode: "no-cors", credentials: "include", body})
              .then((r) => done(r.type), () => done("refused"));
            """,
            target,
        )
        assert sent in ("opaque", "refused"), sent
        framed = browser.driver.execute_async_script(
            """
            const [target, done] = arguments;
            const frame = document.createElement("iframe");
            frame.onload = () => { let t = "hidden"; try { t = frame.contentDocument.body.textContent; } catch {} done(t); };
            frame.src = target + "overview";
            document.body.append(frame);
            """,
            target,
        )
        assert "Documents" not in framed, framed
        browser.driver.execute_script(
            """
            const form = document.createElement("form");
            form.method = "post";
            form.action = arguments[0] + "index/add";
            for (const [name, value] of [["name", "evil"], ["keys", "a"]]) {
              const field = document.createElement("input");
              field.name = name; field.value = value; form.append(field);
            }
            document.body.append(form);
            form.submit();
            """,
            target,
        )
        browser.wait(lambda: browser.driver.current_url.startswith(inspector.origin), "the form")
        assert "Only a page of this inspector" in browser.text("main"), browser.text("main")
        browser.driver.get(elsewhere)
        browser.driver.execute_script("location = arguments[0]", target + "overview")
        browser.wait(lambda: browser.driver.current_url.startswith(inspector.origin), "the link")
        assert browser.text("h1") == "Forbidden", browser.text("h1")
    server.shutdown()
    assert json.loads(tool.run("stats", "./hostile", "--json")) == json.loads(before)
    browser.complaints()
    browser.requests()
    # The address with the token counts once.
    browser.driver.delete_all_cookies()
    browser.driver.get(inspector.url)
    assert browser.text("h1") == "Unauthorized", browser.text("h1")
    browser.complaints()
    inspector.end()


def measure(tool):
    """How long the server takes for its first page and for others, by a plain client."""
    inspector = Inspector(tool, "./cities")
    import urllib.request

    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(inspector.url).read()
    for page in ("overview", "documents", "documents?by=change", "index?name=bycountry&level=keys"):
        times = []
        for _ in range(5):
            begun = time.monotonic()
            opener.open(f"{inspector.origin}/d/cities/{page}").read()
            times.append(time.monotonic() - begun)
        print(f"  {page}: {min(times) * 1000:.1f} ms at best, {max(times) * 1000:.1f} ms at worst of 5")
    inspector.end()


def main(program, cities):
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(os.path.abspath(program), folder)
        tool.run("import", "./cities", os.path.abspath(cities))
        tool.run(
            "indexes", "add", "./cities", "--name", "bycountry", "--key", "country",
            "--value", "population", "--reduce", "sum",
        )
        hostile = os.path.join(folder, "hostile.ndjson")
        with open(hostile, "w") as file:
            for text in HOSTILE:
                document = {"id": "d" + text, "type": text, text: text, "list": [text, {text: text}]}
                file.write(json.dumps(document) + "\n")
        tool.run("import", "./hostile", hostile)
        for text in HOSTILE:
            tool.run("indexes", "add", "./hostile", "--name", text, "--key", "type", "--value", "type")
        browser = Browser()
        try:
            for step in (check_cities, check_writing, check_hostile, check_large, check_entities, check_mounted, check_attacks):
                begun = time.monotonic()
                step(tool, browser)
                print(f"{step.__name__}: {time.monotonic() - begun:.1f} s")
        finally:
            browser.driver.quit()
            Inspector.end_all()
        measure(tool)


if __name__ == "__main__":
    main(*sys.argv[1:])
