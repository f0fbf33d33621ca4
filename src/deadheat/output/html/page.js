"use strict";
// The pages are complete without this script. It adds a theme button, copy buttons, and search, filters and sorting.
// It only reads text and sets properties; it never makes markup from text.
const byId = (id) => document.getElementById(id);
const root = document.documentElement;
const say = (text) => { byId("status").textContent = text; };
root.classList.add("scripts");

// -- theme ---------------------------------------------------------------------------------------------
const theme = byId("theme");
const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function showTheme() { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours"); }
theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; showTheme(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
showTheme();

// -- copy buttons --------------------------------------------------------------------------------------
async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* not allowed here: try the old way */ }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const done = await copyText(button.dataset.copy);
  button.textContent = done ? "Copied" : "Failed";
  say(done ? "Copied" : "The browser did not allow copying");
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});

// -- printing: browsers that cannot show closed details by style open them -----------------------------
if (!CSS.supports("selector(::details-content)")) {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });
}

// -- the report ----------------------------------------------------------------------------------------
const list = byId("races");
const search = byId("search");
if (list && search) {
  const order = byId("order");
  const filters = document.querySelector(".filters");
  if (filters) filters.open = matchMedia("(min-width: 60rem)").matches;
  const boxes = [...document.querySelectorAll(".controls input[type=checkbox]")];
  const races = [...list.children].map((article, at) => ({
    article, at,
    details: article.firstElementChild,
    seen: Number(article.dataset.seen), rank: Number(article.dataset.rank), file: article.dataset.file || "",
    values: new Set((article.dataset.facets || "").split(" ")),
  }));
  const title = (race) => race.title ??= race.article.querySelector("h2").textContent;
  const words = (race) => race.words ??= [race.article.id, ...[...race.article.querySelectorAll("summary h2, summary .cause, .place, code, dd, .frames")]
    .map((part) => part.textContent)].join("\n").toLowerCase();
  const orders = {
    standing: (a, b) => a.rank - b.rank || a.at - b.at,
    seen: (a, b) => b.seen - a.seen || a.at - b.at,
    title: (a, b) => title(a).localeCompare(title(b)) || a.at - b.at,
    file: (a, b) => a.file.localeCompare(b.file, undefined, { numeric: true }) || a.at - b.at,
  };
  let shownOrder = "standing"; // of the page as it was written

  const checkedGroups = () => {
    const groups = new Map();
    for (const box of boxes) if (box.checked) groups.set(box.name, [...(groups.get(box.name) || []), box.dataset.number]);
    return groups;
  };
  const isIn = (race, groups, except) =>
    [...groups].every(([name, numbers]) => name === except || numbers.some((number) => race.values.has(number)));

  function showRaces() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = checkedGroups();
    const found = races.filter((race) => wanted.every((word) => words(race).includes(word)));
    const shown = new Set(found.filter((race) => isIn(race, groups)));
    for (const race of races) race.article.hidden = !shown.has(race);
    if (order.value !== shownOrder) {
      list.append(...[...races].sort(orders[order.value]).map((race) => race.article));
      shownOrder = order.value;
    }
    countValues(found, groups);
    byId("none").hidden = shown.size > 0;
    byId("clear").hidden = !wanted.length && !groups.size;
    say(shown.size === races.length ? "" : `${shown.size} of ${races.length} races`);
    byId("shown").textContent = shown.size === races.length ? "" : `${shown.size} of ${races.length} shown`;
  }

  function countValues(found, groups) {
    const counts = new Map();
    for (const name of new Set(boxes.map((box) => box.name))) {
      const others = found.filter((race) => isIn(race, groups, name));
      for (const race of others) for (const number of race.values) counts.set(name + number, (counts.get(name + number) || 0) + 1);
    }
    for (const box of boxes) {
      const count = counts.get(box.name + box.dataset.number) || 0;
      const label = box.parentElement;
      label.lastElementChild.textContent = count;
      label.classList.toggle("empty", !count);
    }
  }

  // The fragment of the address has the state: "#q=cart&sort=seen&cause=…&race=ID"; "#ID" opens one race.
  function saveState() {
    const state = new URLSearchParams();
    if (search.value) state.set("q", search.value);
    if (order.value !== "standing") state.set("sort", order.value);
    for (const box of boxes) if (box.checked) state.append(box.name, box.value);
    for (const race of races) if (race.details.open) state.append("race", race.article.id);
    const text = state.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  function loadState() {
    const fragment = location.hash.slice(1);
    const single = races.find((race) => race.article.id === fragment);
    const state = new URLSearchParams(single ? `race=${fragment}` : fragment);
    search.value = state.get("q") || "";
    order.value = orders[state.get("sort")] ? state.get("sort") : "standing";
    for (const box of boxes) box.checked = state.getAll(box.name).includes(box.value);
    const open = new Set(state.getAll("race"));
    for (const race of races) race.details.open = open.has(race.article.id);
    showRaces();
    const first = races.find((race) => race.details.open);
    if (first && first !== races[0]) first.article.scrollIntoView();
  }

  const change = () => { showRaces(); saveState(); };
  search.addEventListener("input", change);
  order.addEventListener("change", change);
  for (const box of boxes) box.addEventListener("change", change);
  byId("clear").addEventListener("click", () => {
    search.value = "";
    for (const box of boxes) box.checked = false;
    change();
    search.focus();
  });
  list.addEventListener("toggle", (event) => { if (event.target.parentElement.parentElement === list) saveState(); }, true);
  addEventListener("hashchange", loadState);

  const visible = () => [...list.children].filter((article) => !article.hidden).map((article) => article.querySelector("summary"));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement;
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && at === search) {
      search.value = "";
      change();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const summaries = visible();
      const index = summaries.indexOf(at);
      if (index < 0 && at !== search) return;
      const next = event.key === "ArrowDown" ? index + 1 : index - 1;
      if (next < -1 || (next < 0 && at === search)) return;
      event.preventDefault();
      (summaries[next] || (next < 0 ? search : at)).focus();
    }
  });
  if (location.hash) loadState(); // the page as it was written shows everything
}
