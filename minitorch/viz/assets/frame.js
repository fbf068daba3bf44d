// @ts-check
// What surrounds a picture: its words, its keys, the page's address and theme.

import { added } from "./controls.js";

/** @typedef {Record<string, number>} State As people count. */
/** @typedef {{show: (state: State) => void, state: () => State}} View */

/**
 * @typedef {object} Words What a figure says besides its sentences.
 * @property {string} question
 * @property {string} alarm
 * @property {number} findings
 * @property {[string, string][]} keys
 * @property {number} head Height of the words within the still picture.
 */

/**
 * The picture within `root`, put there in place of an image of it.
 * @param {HTMLElement} root
 */
function inlined(root) {
  const image = root.querySelector("img");
  if (image) {
    const bytes = atob(image.src.slice(image.src.indexOf(",") + 1));
    const codes = Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
    image.outerHTML = new TextDecoder().decode(codes);
  }
  return /** @type {SVGSVGElement} */ (root.querySelector("svg"));
}

/**
 * The words on top, which replace those within the picture.
 * @param {HTMLElement} head
 * @param {Words} words
 * @param {SVGSVGElement} svg
 * @returns {(answer: string, detail: string) => void}
 */
function addHead(head, { question, alarm, findings, head: cut }, svg) {
  added("div", head, { className: "mt-question", textContent: question });
  if (alarm) added("div", head, { className: "mt-alarm", textContent: alarm });
  const answer = added("div", head, { className: "mt-answer" });
  if (alarm || findings) answer.classList.add(alarm ? "mt-below" : "mt-found");
  const detail = added("div", head, { className: "mt-detail" });
  answer.setAttribute("aria-live", "polite");
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("viewBox", `0 ${cut} ${width} ${height - cut}`);
  svg.setAttribute("height", String(height - cut));
  for (const each of [answer, detail]) keepHeight(each, answer);
  return (now, more) => {
    answer.textContent = now;
    detail.textContent = more;
    svg.setAttribute("aria-label", `${alarm} ${now} ${more}`.trim().slice(0, 300));
  };
}

/**
 * Let words grow but never shrink, so that the picture does not jump; buttons that stay
 * on a narrow screen stand below the answer.
 * @param {HTMLElement} words
 * @param {HTMLElement} answer
 */
function keepHeight(words, answer) {
  let width = 0;
  new ResizeObserver(() => {
    if (words.offsetWidth !== width) words.style.minHeight = "";
    width = words.offsetWidth;
    words.style.minHeight = `${words.offsetHeight}px`;
    const root = /** @type {HTMLElement} */ (words.closest(".mt-live"));
    root.style.setProperty("--said", `${answer.offsetHeight}px`);
  }).observe(words);
}

/** @param {KeyboardEvent} event */
function nameOf(event) {
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.shiftKey && name.length > 1 ? `Shift+${name}` : name;
}

/**
 * Whether a control needs this key for itself.
 * @param {KeyboardEvent} event
 */
function isTaken(event) {
  const target = /** @type {Element} */ (event.target);
  const tag = target.tagName;
  if (target.closest(".mt-short") && /^(Arrow|Home|End)/.test(event.key)) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (tag === "SELECT" || tag === "TEXTAREA") return true;
  return tag === "BUTTON" && (event.key === " " || event.key === "Enter");
}

/**
 * Keys act while the view has the focus; a page of its own has no other reader of keys.
 * @param {HTMLElement} root
 */
function addKeys(root) {
  /** @type {Map<string, () => void>} */
  const acts = new Map();
  root.tabIndex = 0;
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab's own keys, such as A and D
  const place = isPage() ? document.body : root;
  place.addEventListener("keydown", (event) => {
    const act = isTaken(event) ? undefined : acts.get(nameOf(event));
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (!target.closest("button,input,select")) root.focus({ preventScroll: true });
  });
  return acts;
}

function isPage() {
  return document.body.dataset.page !== undefined;
}

/**
 * The line that says what keys do.
 * @param {HTMLElement} root
 * @param {[string, string][]} keys
 */
function addKeyLine(root, keys) {
  const line = added("p", root, { className: "mt-keys" });
  for (const [names, does] of keys) {
    if (line.childElementCount) line.append(" \u00a0 ");
    for (const textContent of names.split(" ")) {
      added("kbd", line, { textContent });
      line.append(" ");
    }
    line.append(does);
  }
}

/**
 * Show the state that a page's address names, such as #step=62&thread=42, now and later.
 * @param {View} view
 */
export function followAddress(view) {
  if (!isPage()) return;
  const follow = () => {
    const named = [...new URLSearchParams(location.hash.slice(1))];
    const known = named.filter(([name, value]) =>
      name in view.state() && value !== "" && Number.isFinite(Number(value)));
    if (known.length) view.show(Object.fromEntries(known.map(([name, value]) => [name, Number(value)])));
  };
  follow();
  addEventListener("hashchange", follow);
}

/**
 * Keep a state in the page's address, and tell the page around it.
 * @param {State} state
 */
export function keepAddress(state) {
  if (!isPage()) return;
  const figureState = String(new URLSearchParams(/** @type {any} */ (state)));
  history.replaceState(null, "", `#${figureState}`);
  if (parent !== window) parent.postMessage({ figureState }, "*");
}

/** Within another page: tell it how high this one is, and follow its light or dark. */
function followOuterPage() {
  new ResizeObserver(() => {
    parent.postMessage({ figureHeight: document.body.getBoundingClientRect().height }, "*");
  }).observe(document.body);
  addEventListener("message", ({ data }) => {
    if (["light", "dark", "auto"].includes(data?.theme)) document.documentElement.dataset.theme = data.theme;
  });
}

/**
 * Put words, a place for controls, and keys around the picture within `root`.
 * @param {HTMLElement} root
 * @param {Words} words
 */
export function surround(root, words) {
  const svg = inlined(root);
  const [head, moves, controls] = ["mt-head", "mt-moves", "mt-controls"].map((className) =>
    added("div", root, { className }));
  svg.before(head, moves, controls);
  const say = addHead(head, words, svg);
  const keys = addKeys(root);
  addKeyLine(root, words.keys);
  if (isPage() && parent !== window) followOuterPage();
  return { svg, moves, controls, keys, say };
}
