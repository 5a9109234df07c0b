// The explorer's page on its own machine: keeps the address equal to the view, follows back and forward, lets the
// ruler and the phase diagram be dragged, keeps the keyboard's focus where it was, and names what marimo leaves unnamed
// to screen readers. It sends nothing but queries such as "gamma=0.882", through the page's hidden field, and the server reads them as it reads any address.
"use strict";
(() => {
  const problemOf = (query) => { const q = new URLSearchParams(query); return q.get("data") ?? q.get("problem"); };
  const field = () => document.querySelector("[data-address] marimo-text")?.shadowRoot?.querySelector("input");
  let sent = 0;

  function send(query) {
    const input = field();
    if (!input) return false;
    // A number that the server ignores: the same query twice is two wishes.
    const text = `${query}&wish=${++sent}`;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, text);
    input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    return true;
  }

  // The address: every change is a new entry of the history; what belongs to one movement replaces its own.
  const REST = 900; // milliseconds after which a movement has ended
  let waiting = null, seen = null, moved = "", changed = -Infinity, held_down = false, chosen = -Infinity;
  function shown() {
    const view = document.querySelector("[data-view]")?.dataset.view;
    const tab = document.querySelector("[data-tab]")?.dataset.tab;
    return view && tab ? `${view}${tab === "Overview" ? "" : `&tab=${encodeURIComponent(tab)}`}` : undefined;
  }
  function differing(a, b) { // the names of what two addresses say differently
    const [x, y] = [a, b].map((query) => new URLSearchParams(query));
    return [...new Set([...x.keys(), ...y.keys()])].filter((key) => x.get(key) !== y.get(key)).sort().join();
  }
  function copyAddress() {
    waiting = null;
    const view = shown(), now = location.search.slice(1), time = performance.now();
    if (!view || view === seen) return;
    const first = seen === null, what = first ? "" : differing(seen, view);
    seen = view;
    if (view === now) return;
    const movement = held_down || time - changed < REST && what === moved;
    moved = what;
    // The page draws the entry that was chosen by Back in several steps: none of them is a change.
    const own = first || movement || time - chosen < 4 * REST && problemOf(view) === problemOf(now);
    history[own ? "replaceState" : "pushState"](null, "", `?${view}`);
    if (!first) changed = time;
  }
  window.addEventListener("popstate", () => {
    seen = shown(); // what is still there is not to be copied over the entry that was chosen
    chosen = performance.now();
    const query = location.search.slice(1) || "problem=baird";
    if (!send(/(^|&)tab=/.test(query) ? query : `${query}&tab=Overview`)) location.reload();
  });
  let resting = null;
  function moving(now) {
    document.documentElement.classList.add("is-moving");
    clearTimeout(resting);
    if (!now) resting = setTimeout(() => document.documentElement.classList.remove("is-moving"), REST);
  }
  const onSlider = (event) => event.composedPath().some((node) => node.getAttribute?.("role") === "slider" ||
    node.localName === "marimo-slider" || node.dataset?.drag);
  document.addEventListener("pointerdown", (event) => { if (onSlider(event)) { held_down = true; moving(true); } }, true);
  for (const end of ["pointerup", "pointercancel"])
    document.addEventListener(end, () => { if (held_down) { held_down = false; changed = performance.now(); moving(false); } }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow") && onSlider(event)) moving(false);
  }, true);

  // A server that was stopped: marimo's page would wait in silence.
  let missed = 0;
  setInterval(async () => {
    try { missed = (await fetch("/health", { cache: "no-store" })).ok ? 0 : missed + 1; } catch { missed += 1; }
    let notice = document.getElementById("stopped");
    if (missed < 2) { notice?.remove(); return; }
    if (notice) return;
    notice = document.body.appendChild(document.createElement("p"));
    notice.id = "stopped";
    notice.setAttribute("role", "alert");
    notice.textContent = "The explorer was stopped. Start it again with theory explore; this address then opens the same view.";
  }, 2500);

  // A file that is too large is dropped by the page without a word.
  const MOST = 16 * 2 ** 20;
  function tooLarge(event) {
    const file = [...(event.dataTransfer?.files ?? event.composedPath()[0].files ?? [])].find((f) => f.size > MOST);
    if (file) alert(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MiB; the explorer opens files of up to 16 MiB. On the command line: theory inspect ${file.name}`);
  }
  for (const name of ["change", "drop"]) document.addEventListener(name, tooLarge, true);

  // Dragging: data-drag holds the names of what moves sideways and upwards; the edges are in data-x and data-y.
  let dragged = null, next = null, busy = false;
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
  function wish(event, kind) {
    const area = document.querySelector(`[data-drag="${kind}"]`);
    if (!area) return null;
    const box = area.getBoundingClientRect();
    const [x0, x1] = area.dataset.x.split(" ").map(Number);
    const gamma = clamp(x0 + (x1 - x0) * (event.clientX - box.left) / box.width, 0, 0.999);
    let query = `gamma=${gamma.toFixed(3)}`;
    if (area.dataset.y) {
      const [y0, y1] = area.dataset.y.split(" ").map(Number);
      const value = clamp(y1 - (y1 - y0) * (event.clientY - box.top) / box.height, y0, y1);
      query += `&state=${area.dataset.state}&feature=${area.dataset.feature}`;
      query += `&value=${(Math.round(value * 20) / 20).toFixed(2)}`;
    }
    return query;
  }
  function flush() {
    if (busy || next === null) return;
    busy = true;
    send(next);
    next = null;
    setTimeout(() => { busy = false; flush(); }, 250); // about as fast as the server answers
  }
  document.addEventListener("pointerdown", (event) => {
    const area = event.target.closest?.("[data-drag]");
    if (!area || event.button !== 0) return;
    dragged = area.dataset.drag;
    next = wish(event, dragged);
    flush();
    event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (dragged === null) return;
    next = wish(event, dragged);
    flush();
  });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { dragged = null; });

  // Arrows between tabs: marimo's own handler looks for the focus in the document and misses it in a shadow root.
  const step = { ArrowRight: (i, n) => (i + 1) % n, ArrowLeft: (i, n) => (i + n - 1) % n, Home: () => 0, End: (i, n) => n - 1 };
  document.addEventListener("keydown", (event) => {
    const tab = event.composedPath()[0];
    if (tab.getAttribute?.("role") !== "tab" || !(event.key in step)) return;
    const tabs = [...tab.closest("[role=tablist]").querySelectorAll("[role=tab]")];
    event.preventDefault();
    event.stopImmediatePropagation();
    tabs[step[event.key](tabs.indexOf(tab), tabs.length)].focus(); // which opens it
  }, true);

  // Into the tabs with Tab: marimo's own handler tries every tab until the document's focus moves, which in a shadow root
  // it never seems to, and so opens the last one. We go to the tab that is open.
  document.addEventListener("focusin", (event) => {
    const list = event.composedPath()[0];
    if (list.getAttribute?.("role") !== "tablist") return;
    event.stopImmediatePropagation();
    list.querySelector("[role=tab][aria-selected=true]")?.focus();
  }, true);

  // A part of the page that is drawn anew takes the keyboard's focus with it: it goes to the element that stands in the
  // old one's place, unless the visitor has gone elsewhere meanwhile. A place is a way through the shadow roots.
  const control = (element) => element.closest("marimo-ui-element")?.getAttribute("object-id") ?? null;
  const alike = (root, id, tag) => [...root.querySelectorAll(tag)].filter((element) => control(element) === id);
  let held = null, restoring = null;
  function hold(event) {
    const way = event.composedPath().filter((node) => node.shadowRoot).reverse(), end = event.composedPath()[0];
    const place = [...way, end].map((node) => {
      const id = control(node), tag = node.localName;
      return { id, tag, index: alike(node.getRootNode(), id, tag).indexOf(node) };
    });
    held = { end, place };
  }
  document.addEventListener("focusin", hold);
  document.addEventListener("keyup", (event) => { if (!idle()) hold(event); }); // a step inside a shadow root is no focusin
  document.addEventListener("pointerdown", () => { held = null; }, true);
  document.addEventListener("focusout", (event) => {
    // Left for nothing while still there: the visitor's wish. What is taken away is not there any more a moment later.
    const { end } = held ?? {};
    setTimeout(() => { if (held && held.end === end && end?.isConnected && idle()) held = null; });
  });
  const idle = () => !document.activeElement || document.activeElement === document.body;
  function restore(patience) {
    restoring = null;
    if (!held || held.end.isConnected || !idle()) return;
    let root = document, found = null;
    for (const { id, tag, index } of held.place) {
      found = root && alike(root, id, tag)[index];
      root = found?.shadowRoot;
    }
    if (found?.getAttribute("role") === "tab") // focus opens a tab, and that is not ours to do
      found = found.closest("[role=tablist]").querySelector("[role=tab][aria-selected=true]");
    found?.focus({ preventScroll: true });
    if (idle() && patience > 0) restoring = setTimeout(() => restore(patience - 1), 50);
  }

  // Names: a field in a cell with data-name, the stops of a slider (marimo says their number), marimo's own menu, and
  // labels that contain markup.
  const plain = (markup) => new DOMParser().parseFromString(markup, "text/html").body.textContent.trim();
  const set = (element, name, value) => {
    if (element && value && element.getAttribute(name) !== value) element.setAttribute(name, value);
  };
  function* roots(root) { // the document and all that hides in it
    yield root;
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) yield* roots(element.shadowRoot);
  }
  function nameControls() {
    for (const root of roots(document)) {
      for (const cell of root.querySelectorAll("[data-name]")) {
        const inner = cell.querySelector("marimo-text, marimo-tabs")?.shadowRoot;
        set(inner?.querySelector("input, [role=tablist]"), "aria-label", cell.dataset.name);
      }
      for (const named of root.querySelectorAll("[aria-label*='<span class=']"))
        set(named, "aria-label", plain(named.getAttribute("aria-label")));
      for (const button of root.querySelectorAll("button:not([aria-label])"))
        if (!button.textContent.trim()) set(button, "aria-label", "Menu of the page");
      for (const host of root.querySelectorAll("marimo-slider")) {
        const slider = host.shadowRoot?.querySelector("[role=slider]");
        const stop = JSON.parse(host.dataset.steps || "[]")[Number(slider?.getAttribute("aria-valuenow"))];
        if (stop !== undefined) set(slider, "aria-valuetext", String(stop));
      }
    }
  }

  let naming = null;
  new MutationObserver(() => {
    waiting ??= setTimeout(copyAddress, 120);
    if (held && !held.end.isConnected) restoring ??= setTimeout(() => restore(40));
    naming ??= setTimeout(() => { naming = null; nameControls(); }, 400);
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-view"] });
})();
