// What pages do by themselves: lists that go on, and the keyboard. Everything works without it but that.

const shownMax = 500;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A change as a line of the list.
function line(change, documents) {
  const item = element("li", undefined, "new");
  item.append(element("span", String(change.sequence) + " ", "quiet"));
  if (change.change === "purged") {
    item.append(element("bdi", change.shown));
  } else {
    const link = element("a");
    link.href = documents + encodeURIComponent(change.id);
    link.append(element("bdi", change.shown));
    item.append(link);
  }
  const rest = [change.change, change.type, change.date, change.origin && "from " + change.origin];
  item.append(element("span", " " + rest.filter(Boolean).join(", "), "quiet"));
  return item;
}

// A list that goes on while changes come, the newest first.
function follow(section) {
  const list = section.querySelector("ol");
  const state = section.querySelector(".state");
  const button = section.querySelector("[data-pause]");
  const waiting = [];
  let isPaused = false;

  function show(change) {
    list.prepend(line(change, section.dataset.documents));
    while (list.children.length > shownMax) list.lastElementChild.remove();
  }

  function say() {
    state.textContent = isPaused ? "Paused, " + waiting.length + " wait." : "Live.";
  }

  button.addEventListener("click", () => {
    isPaused = !isPaused;
    button.setAttribute("aria-pressed", String(isPaused));
    button.textContent = isPaused ? "Go on" : "Pause";
    if (!isPaused) waiting.splice(0).forEach(show);
    say();
  });

  const source = new EventSource(section.dataset.events);
  source.addEventListener("open", say);
  source.addEventListener("error", () => { state.textContent = "Not connected."; });
  source.addEventListener("change", (event) => {
    const change = JSON.parse(event.data);
    if (!isPaused) return show(change);
    waiting.push(change);
    if (waiting.length > shownMax) waiting.shift();
    say();
  });
  source.addEventListener("figures", (event) => {
    for (const [name, value] of Object.entries(JSON.parse(event.data))) {
      const place = document.querySelector(`[data-figure="${name}"] bdi`);
      if (place) place.textContent = value;
    }
  });
  window.addEventListener("pagehide", () => source.close());
}

document.querySelectorAll("[data-events]").forEach(follow);

// Something that fills while it is looked at. How far it is is shown and not read out; the end is.
function fill(section) {
  const bar = section.querySelector("progress");
  const far = section.querySelector(".far");
  const source = new EventSource(section.dataset.progress);
  source.addEventListener("progress", (event) => {
    const { completed, total, text } = JSON.parse(event.data);
    if (total > 0) {
      bar.max = total;
      bar.value = completed;
    }
    far.textContent = text;
  });
  source.addEventListener("end", (event) => {
    source.close();
    bar.remove();
    far.remove();
    section.querySelector(".state").textContent = JSON.parse(event.data).text;
  });
  window.addEventListener("pagehide", () => source.close());
}

document.querySelectorAll("[data-progress]").forEach(fill);

// The keyboard: single keys where nothing is written.

function isWriting(target) {
  return target instanceof Element && target.closest("input, textarea, select") !== null;
}

// Moves from link to link in the tables and lists of the page.
function move(step) {
  const links = [...document.querySelectorAll("main tbody a, main .live li a")];
  if (links.length === 0) return;
  const place = links.indexOf(document.activeElement);
  const next = place < 0 ? (step > 0 ? 0 : links.length - 1) : place + step;
  links[Math.max(0, Math.min(links.length - 1, next))].focus();
}

const keys = [
  ["/", "To the search", () => document.querySelector("[data-search]")?.focus()],
  ["j", "To the next link", () => move(1)],
  ["k", "To the link before", () => move(-1)],
  ["n", "To the next page", () => document.querySelector("[data-next]")?.click()],
  ["p", "Pause, or go on", () => document.querySelector("[data-pause]")?.click()],
  ["?", "These keys", help],
];

function help() {
  const dialog = element("dialog");
  dialog.setAttribute("aria-label", "Keys");
  dialog.append(element("h2", "Keys"));
  const list = element("dl");
  const pages = [...document.querySelectorAll("nav a")].map((link, index) => [String(index + 1), link.textContent]);
  for (const [key, text] of [...keys, ...pages]) {
    const pair = element("div");
    pair.append(element("dt", key), element("dd", text));
    list.append(pair);
  }
  const form = element("form");
  form.method = "dialog";
  form.append(element("button", "Close"));
  dialog.append(list, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const page = /^[1-9]$/.test(event.key) ? document.querySelectorAll("nav a")[Number(event.key) - 1] : undefined;
  const key = keys.find(([name]) => name === event.key);
  if (!page && !key) return;
  event.preventDefault();
  if (page) page.click(); else key[2]();
});
