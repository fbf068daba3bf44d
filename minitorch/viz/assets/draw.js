// Owns the drawing primitives all views share; knows no view and no data.
"use strict";
const make = (namespace, tag, attributes, children) => {
  const element = namespace
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  children.flat(9).forEach((child) => child != null && element.append(child));
  return element;
};
const svg = (tag, attributes, ...children) => make(true, tag, attributes, children);
const html = (tag, attributes, ...children) => make(false, tag, attributes, children);
const rect = (x, y, width, height, more) => svg("rect", { x, y, width, height, ...more });
const text = (x, y, words, more) =>
  svg("text", { x, y, "font-size": 12, ...more }, String(words));
const strong = (index) => `var(--c${index % 4})`;
const tint = (index) => `var(--c${index % 4}t)`;
const number = (value) => value.toLocaleString("en");

// One frame for every view: question, sentence, picture, key, keyboard line.
const frame = (id, question) => {
  const parts = {};
  for (const part of ["say", "picture", "side", "legend", "keys"])
    parts[part] = html("div", { class: part });
  parts.say.setAttribute("aria-live", "polite");
  document.getElementById(id).append(
    html("h1", {}, question), parts.say,
    html("div", { class: "two" }, parts.picture, parts.side), parts.legend, parts.keys);
  return parts;
};
const sentence = (parts, answer, detail) =>
  parts.say.replaceChildren(answer, html("small", {}, detail));

const swatch = (...marks) =>
  svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": true }, marks);
const legend = (parts, ...entries) =>
  parts.legend.replaceChildren(
    html("b", {}, "Key"),
    ...entries.map(([mark, words]) => html("span", {}, swatch(mark), words)));

const root = document.documentElement;
if (!root.dataset.theme)
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches
    ? "dark" : "light";
const flip = () => {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
};
