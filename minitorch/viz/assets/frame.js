// @ts-check
// What every live view has: its words, its keys, its state.

import { addButton, addChoice, addSlider } from "./controls.js";
import { unpacked } from "./lookup.js";
import { inlined } from "./still.js";

/** @typedef {import("./controls.js").SliderOptions} SliderOptions */
/** @typedef {import("./controls.js").ButtonOptions} ButtonOptions */
/** @typedef {import("./controls.js").ChoiceOptions} ChoiceOptions */
/** @typedef {import("./controls.js").Setter} Setter */
/** @typedef {Record<string, any>} State */

/**
 * What a view gets: the picture, and what surrounds it.
 * @typedef {object} Frame
 * @property {SVGSVGElement} svg The still picture.
 * @property {boolean} calm Whether the reader wants no motion.
 * @property {(answer: string, detail?: string) => void} say Change the words on top.
 * @property {(options: SliderOptions) => Setter} slider
 * @property {(options: ButtonOptions) => HTMLButtonElement} button
 * @property {(options: ChoiceOptions) => Setter} choice
 * @property {(name: string, act: () => void) => void} key "w", "Home", "Shift+ArrowLeft".
 * @property {(state: State) => void} changed Tell what the reader chose.
 */

/** @typedef {{show: (state: State) => void, state: () => State}} View */
/** @typedef {(frame: Frame, data: any) => View} Attach */

/**
 * @param {string} tag
 * @param {string} className
 * @param {string} [words]
 */
function made(tag, className, words = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = words;
  return element;
}

/**
 * The words on top, which replace those within the picture.
 * @param {HTMLElement} root
 * @param {SVGSVGElement} svg
 */
function addHead(root, svg) {
  const head = made("div", "mt-head");
  const alarm = root.dataset.alarm ?? "";
  const answer = made("div", alarm ? "mt-answer mt-below" : "mt-answer", root.dataset.answer);
  const detail = made("div", "mt-detail", root.dataset.detail);
  answer.setAttribute("aria-live", "polite");
  head.append(made("div", "mt-question", root.dataset.question));
  if (alarm) head.append(made("div", "mt-alarm", alarm));
  head.append(answer, detail);
  root.insertBefore(head, svg);
  const cut = Number(root.dataset.head);
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("viewBox", `0 ${cut} ${width} ${height - cut}`);
  svg.setAttribute("height", String(height - cut));
  svg.querySelector('[data-part="head"]')?.setAttribute("display", "none");
  keepHeight(head);
  return { head, alarm, answer, detail };
}

/**
 * Let the words grow but never shrink, so that the picture does not jump.
 * @param {HTMLElement} head
 */
function keepHeight(head) {
  let width = 0;
  new ResizeObserver(() => {
    if (head.offsetWidth !== width) head.style.minHeight = "";
    width = head.offsetWidth;
    head.style.minHeight = `${head.offsetHeight}px`;
  }).observe(head);
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
 */
function addKeyLine(root) {
  const line = made("p", "mt-keys");
  const own = isPage() && parent === window ? [["T", "light or dark"]] : [];
  for (const [keys, does] of [...JSON.parse(root.dataset.keys ?? "[]"), ...own]) {
    if (line.childElementCount) line.append(" \u00a0 ");
    for (const key of keys.split(" ")) line.append(made("kbd", "", key), " ");
    line.append(does);
  }
  root.append(line);
}

/** Change between light and dark, on a page of its own. */
function flip() {
  const page = document.documentElement;
  const says = page.dataset.theme;
  const dark = says ? says === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  page.dataset.theme = dark ? "light" : "dark";
}

/**
 * On a page of its own a view has a button for light and dark.
 * @param {HTMLElement} head
 * @param {Frame["key"]} key
 */
function addTheme(head, key) {
  const button = addButton(head, { label: "◐", key: "t", act: flip }, key);
  button.setAttribute("aria-label", "Light or dark");
}

/**
 * Show the state that a page's address names, such as #step=62&thread=42.
 * @param {View} view
 */
function fromAddress(view) {
  const named = [...new URLSearchParams(location.hash.slice(1))];
  const known = named.filter(([name, value]) => name in view.state() && value !== "");
  if (!known.length) return;
  try {
    view.show(Object.fromEntries(known.map(([name, value]) => [name, Number(value)])));
  } catch (error) {
    console.info(error);
  }
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
 * @param {HTMLElement} root
 * @param {SVGSVGElement} svg
 */
function addControls(root, svg) {
  const controls = made("div", "mt-controls");
  root.insertBefore(controls, svg);
  return controls;
}

/**
 * A view that stays where it is when a program names a state that it does not have.
 * @param {View} view
 * @returns {View}
 */
function guarded(view) {
  /** @param {State} wanted */
  function show(wanted) {
    const before = view.state();
    try {
      view.show(wanted);
    } catch (error) {
      view.show(before);
      throw new RangeError(`[live] got ${JSON.stringify(wanted)}, which is not here: ${error}`);
    }
  }
  return { show, state: view.state };
}

/**
 * The live view within `root`: its picture, its data, and `attach` that moves it.
 * @param {HTMLElement} root
 * @param {Attach} attach
 * @param {(state: State) => void} [tell]
 * @returns {Promise<View>}
 */
export async function open(root, attach, tell = () => {}) {
  const script = root.querySelector('script[type="application/json"]');
  root.dataset.attached = "";
  const data = JSON.parse(script?.textContent ?? "{}");
  if (data.packed) data.scene = await unpacked(data.packed);
  const svg = inlined(root);
  const words = addHead(root, svg);
  const controls = addControls(root, svg);
  const acts = addKeys(root);
  addKeyLine(root);
  /** @type {Frame["key"]} */
  const key = (name, act) => void acts.set(name, act);
  /** @type {Frame} */
  const frame = {
    svg,
    calm: matchMedia("(prefers-reduced-motion:reduce)").matches,
    say(answer, detail = "") {
      words.answer.textContent = answer;
      words.detail.textContent = detail;
      const said = `${words.alarm} ${answer} ${detail}`;
      svg.setAttribute("aria-label", said.trim().slice(0, 300));
    },
    slider: (options) => addSlider(controls, options, key),
    button: (options) => addButton(controls, options, key),
    choice: (options) => addChoice(controls, options),
    key,
    changed: (state) => {
      tell(state);
      if (!isPage()) return;
      const named = String(new URLSearchParams(state));
      history.replaceState(null, "", `#${named}`);
      if (parent !== window) parent.postMessage({ figureState: named }, "*");
    },
  };
  const view = guarded(attach(frame, data));
  if (isPage() && parent === window) addTheme(words.head, key);
  else if (isPage()) followOuterPage();
  if (isPage()) {
    fromAddress(view);
    addEventListener("hashchange", () => fromAddress(view));
  }
  if (!controls.childElementCount) controls.remove();
  Object.assign(root, { view });
  return view;
}

/**
 * Open every copy of a figure on this page that is not open yet.
 * @param {string} name
 * @param {Attach} attach
 */
export function start(name, attach) {
  /** @type {NodeListOf<HTMLElement>} */
  const copies = document.querySelectorAll(`[data-live="${name}"]:not([data-attached])`);
  for (const root of copies) void open(root, attach);
}
