// SPDX-License-Identifier: Apache-2.0
// The search box: words.js, loaded when the box is first used, has [page, anchor, title, heading, text] of every section. All words of the
// question must occur (the last one as a beginning); what occurs in names counts more than what occurs in text.
"use strict";
const box = document.getElementById("search"), list = document.getElementById("found"), menu = document.getElementById("menu");
const MOST = 12, TITLE = 8, HEADING = 6, TEXT = 1;
let chosen = -1;

function load() {
  if (document.getElementById("words")) return;
  const script = Object.assign(document.createElement("script"), {id: "words", src: "words.js", onload: search});
  document.head.append(script);
}

// The worth of a section for these words; 0 where one is missing.
function worth([, , title, heading, text], words) {
  let sum = 0;
  for (const word of words) {
    const parts = [[heading, HEADING], [title, TITLE], [text, TEXT]];
    let best = 0;
    for (const [part, weight] of parts) {
      const at = part.toLowerCase().indexOf(word);
      if (at < 0) continue;
      const whole = !/[\w-]/.test(part[at - 1] || " ") ? 1 : 0.4;
      const alone = part.length === word.length ? 2 : 1;
      best = Math.max(best, weight * whole * alone);
    }
    if (!best) return 0;
    sum += best;
  }
  return sum;
}

// A piece of the text around the first word, with the words marked; nodes, never markup.
function excerpt(text, words) {
  const at = Math.max(0, Math.min(...words.map(w => text.toLowerCase().indexOf(w)).filter(k => k >= 0), text.length) - 50);
  const piece = (at ? "... " : "") + text.slice(at, at + 170), out = document.createElement("p");
  const pattern = new RegExp("(" + words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "i");
  piece.split(pattern).forEach((part, k) => out.append(k % 2 ? Object.assign(document.createElement("mark"), {textContent: part}) : part));
  return out;
}

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  choose(-1);
  if (!words.length || !window.sections) return show(false);
  const found = window.sections.map((s, k) => [worth(s, words), k]).filter(f => f[0] > 0);
  found.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  for (const [, k] of found.slice(0, MOST)) {
    const [page, anchor, title, heading, text] = window.sections[k];
    const item = Object.assign(document.createElement("li"), {id: "found-" + list.children.length});
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    const link = Object.assign(document.createElement("a"), {href: page + (anchor ? "#" + anchor : ""), tabIndex: -1});
    link.textContent = heading && heading !== title ? title + ": " + heading : title;
    item.append(link, excerpt(text, words));
    item.onclick = () => { location.href = link.href; show(false); };
    list.append(item);
  }
  if (!found.length) {
    const none = Object.assign(document.createElement("li"), {textContent: "Nothing found."});
    none.setAttribute("role", "option");
    list.append(none);
  }
  show(true);
}

function show(open) {
  list.hidden = !open;
  box.setAttribute("aria-expanded", open);
}

function choose(k) {
  if (list.children[chosen]) list.children[chosen].setAttribute("aria-selected", "false");
  chosen = k;
  box.removeAttribute("aria-activedescendant");
  if (!list.children[k]) return;
  list.children[k].setAttribute("aria-selected", "true");
  list.children[k].scrollIntoView({block: "nearest"});
  box.setAttribute("aria-activedescendant", list.children[k].id);
}

box.addEventListener("focus", load);
box.addEventListener("input", search);
box.addEventListener("keydown", event => {
  const links = list.querySelectorAll("a").length;
  if (event.key === "Escape") show(false);
  else if (event.key === "ArrowDown" && links) choose((chosen + 1) % links);
  else if (event.key === "ArrowUp" && links) choose((chosen + links - 1) % links);
  else return;
  event.preventDefault();
});
box.form.addEventListener("submit", event => {
  event.preventDefault();
  const link = list.querySelectorAll("a")[Math.max(chosen, 0)];
  if (link) { location.href = link.href; show(false); }
});
document.addEventListener("click", event => { if (!box.form.contains(event.target)) show(false); });
document.addEventListener("keydown", event => {
  if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); box.focus(); }
});
menu.addEventListener("click", () => {
  const open = document.querySelector(".pages").classList.toggle("open");
  menu.setAttribute("aria-expanded", open);
});
