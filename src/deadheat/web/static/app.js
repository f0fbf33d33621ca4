"use strict";
// The dashboard works without this script. It keeps the theme, adds keys, and shows changes as they happen.
(() => {
  const byIdOrNull = (id) => document.getElementById(id);
  const isTyping = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && element.type !== "checkbox";

  // -- theme: kept for all pages ------------------------------------------------------------------------
  const kept = localStorage.getItem("deadheat-theme");
  if (kept === "dark" || kept === "light") {
    document.documentElement.dataset.theme = kept;
    showTheme();
  }
  theme.addEventListener("click", () => localStorage.setItem("deadheat-theme", document.documentElement.dataset.theme));

  // -- keys: "/" searches, "j" and "k" or the arrows go through a list -----------------------------------
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement;
    if (event.key === "/" && !isTyping(at)) {
      event.preventDefault();
      const field = byIdOrNull("q") || byIdOrNull("find");
      field.focus();
      field.select();
      return;
    }
    const links = [...document.querySelectorAll(".rows-list :is(h2, h3) a")];
    const index = links.indexOf(at);
    const down = event.key === "j" || event.key === "ArrowDown", up = event.key === "k" || event.key === "ArrowUp";
    if (!links.length || !(down || up) || isTyping(at)) return;
    if (index < 0 && event.key.startsWith("Arrow")) return; // the arrows scroll until a race has the focus
    const next = links[down ? index + 1 : Math.max(0, index - 1)];
    if (next) { event.preventDefault(); next.focus(); }
  });

  // -- changes: the content is shown anew, unless somebody is writing in it ------------------------------
  const main = byIdOrNull("main");
  const isBusy = () => {
    const at = document.activeElement;
    if (at && main.contains(at) && isTyping(at)) return true;
    return [...main.querySelectorAll("textarea, input[type=text], input[type=checkbox][form=bulk]")]
      .some((field) => field.type === "checkbox" ? field.checked : field.value !== field.defaultValue);
  };
  function showChange(version) {
    if (version === main.dataset.version) return;
    main.dataset.version = version;
    if (isBusy() || document.hidden) { byIdOrNull("changed").hidden = false; return; }
    htmx.ajax("GET", location.pathname + location.search, { target: "#content", select: "#content", swap: "outerMorph" })
      .then(() => say("The page was updated"), () => { byIdOrNull("changed").hidden = false; });
  }
  if (window.EventSource && !document.querySelector("[data-static]")) {
    const source = new EventSource("/events");
    source.addEventListener("change", (event) => showChange(event.data));
    addEventListener("pagehide", () => source.close());
  }
})();
