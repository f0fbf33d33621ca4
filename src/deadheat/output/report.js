"use strict";
// All text in the data is escaped when the page is written; the `html` parts are markup made of such text.
const races = JSON.parse(document.getElementById("data").textContent);
const list = document.querySelector("main");
const search = document.getElementById("search");
const order = document.getElementById("order");
const count = document.getElementById("count");

const made = races.map((race, at) => {
  const article = document.createElement("article");
  article.innerHTML = race.row;
  article.id = race.id;
  article.firstElementChild.addEventListener("click", () => toggle(at));
  return article;
});
const words = races.map((race) => race.words.toLowerCase());
const orders = {
  standing: (a, b) => races[a].rank - races[b].rank || races[b].seen - races[a].seen || a - b,
  seen: (a, b) => races[b].seen - races[a].seen || a - b,
  title: (a, b) => races[a].title.localeCompare(races[b].title) || a - b,
  file: (a, b) => races[a].file.localeCompare(races[b].file, undefined, { numeric: true }) || a - b,
};

function toggle(at, open) {
  const article = made[at], button = article.firstElementChild;
  const shut = button.getAttribute("aria-expanded") !== "true";
  if (open && !shut) return;
  button.setAttribute("aria-expanded", String(shut));
  if (shut) {
    const section = document.createElement("section");
    section.innerHTML = races[at].html;
    article.append(section);
    history.replaceState(null, "", "#" + races[at].id);
  } else {
    article.lastElementChild.remove();
  }
}

function show() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = races.map((_, at) => at).filter((at) => wanted.every((word) => words[at].includes(word)));
  found.sort(orders[order.value]);
  list.replaceChildren(...found.map((at) => made[at]));
  if (!found.length) {
    const none = document.createElement("p");
    none.className = "none";
    none.textContent = races.length ? "No race matches." : "No race was found.";
    list.append(none);
  }
  count.textContent = found.length === races.length ? "" : `${found.length} of ${races.length}`;
}

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

function arrive() {
  const at = races.findIndex((race) => "#" + race.id === location.hash);
  if (at < 0) return;
  toggle(at, true);
  made[at].scrollIntoView();
}

search.addEventListener("input", show);
order.addEventListener("change", show);
document.getElementById("theme").addEventListener("click", theme);
addEventListener("hashchange", arrive);
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  if (event.key === "Escape" && document.activeElement === search) { search.value = ""; show(); }
});
show();
arrive();
