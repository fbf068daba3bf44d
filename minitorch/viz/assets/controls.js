// @ts-check
// The controls above a live view.

/** @typedef {(name: string, act: () => void) => void} OnKey */
/** @typedef {{set: (value: any) => void}} Setter */

/**
 * @typedef {object} SliderOptions
 * @property {string} label What it moves, such as "Step".
 * @property {number} count How many values there are, from 0.
 * @property {number} value
 * @property {boolean} [short] One of several beside each other, without keys.
 * @property {number[]} [marks] Values that Shift with an arrow jumps to.
 * @property {(value: number) => string} text The value in words.
 * @property {(value: number) => void} change Called when the reader moves it.
 */

/**
 * @typedef {object} ButtonOptions
 * @property {string} label
 * @property {string} [key] The key that does the same.
 * @property {() => void} act
 */

/**
 * @typedef {object} ChoiceOptions
 * @property {string} label
 * @property {{value: any, label: string}[]} options
 * @property {any} [value] The one chosen at first; the first one if left out.
 * @property {(value: any) => void} change
 */

const MOST_BUTTONS = 4;

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {HTMLElement} parent
 * @param {Partial<Omit<HTMLElementTagNameMap[Tag], "style">>} [fields]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function added(tag, parent, fields = {}) {
  const element = document.createElement(tag);
  Object.assign(element, fields);
  parent.append(element);
  return element;
}

/**
 * @param {HTMLElement} parent
 * @param {number[]} marks
 * @param {number} last
 */
function addMarks(parent, marks, last) {
  const row = added("div", parent, { className: "mt-marks" });
  for (const mark of marks) {
    const tick = added("i", row);
    tick.style.left = `${(100 * mark) / Math.max(last, 1)}%`;
  }
}

/**
 * Arrow keys, Home and End move a slider wherever in the view the focus is.
 * @param {OnKey} key
 * @param {number[]} marks
 * @param {number} last
 * @param {() => number} now
 * @param {(value: number) => void} move
 */
function addSliderKeys(key, marks, last, now, move) {
  const up = [...marks].sort((a, b) => a - b);
  const down = [...up].reverse();
  key("ArrowRight", () => move(now() + 1));
  key("ArrowLeft", () => move(now() - 1));
  key("Home", () => move(0));
  key("End", () => move(last));
  key("Shift+ArrowRight", () => move(up.find((each) => each > now()) ?? last));
  key("Shift+ArrowLeft", () => move(down.find((each) => each < now()) ?? 0));
}

/**
 * @param {HTMLElement} parent
 * @param {SliderOptions} options
 * @param {OnKey} key
 * @returns {Setter}
 */
export function addSlider(parent, options, key) {
  const last = options.count - 1;
  const label = added("label", parent, { className: options.short ? "mt-slider mt-short" : "mt-slider" });
  added("span", label, { textContent: options.label });
  const track = added("div", label, { className: "mt-track" });
  const input = added("input", track, { type: "range", min: "0", max: String(last) });
  input.disabled = last < 1;
  const output = added("output", label);
  addMarks(track, options.marks ?? [], last);
  let now = options.value;
  /** @param {number} value */
  const set = (value) => {
    now = value;
    const words = options.text(value);
    input.value = String(value);
    input.setAttribute("aria-label", options.label);
    input.setAttribute("aria-valuetext", words);
    output.textContent = words;
  };
  /** @param {number} value */
  const move = (value) => {
    const inside = Math.max(0, Math.min(last, value));
    if (inside === now) return;
    set(inside);
    options.change(inside);
  };
  set(now);
  input.addEventListener("input", () => move(Number(input.value)));
  if (!options.short) addSliderKeys(key, options.marks ?? [], last, () => now, move);
  return { set };
}

/**
 * @param {HTMLElement} parent
 * @param {ButtonOptions} options
 * @param {OnKey} key
 */
export function addButton(parent, options, key) {
  const { label, act } = options;
  const button = added("button", parent, { type: "button", textContent: label });
  button.addEventListener("click", act);
  if (options.key) {
    key(options.key, act);
    button.title = `Key: ${options.key === " " ? "Space" : options.key}`;
  }
  return button;
}

/**
 * One of a few: buttons beside each other; of many: a list.
 * @param {HTMLElement} parent
 * @param {ChoiceOptions} options
 * @returns {Setter}
 */
export function addChoice(parent, options) {
  const group = added("div", parent, { className: "mt-choice" });
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", options.label);
  const values = options.options.map((each) => each.value);
  const first = options.value ?? values[0];
  if (values.length > MOST_BUTTONS) {
    const list = added("select", group);
    list.setAttribute("aria-label", options.label);
    for (const each of options.options) added("option", list, { text: each.label });
    list.addEventListener("change", () => options.change(values[list.selectedIndex]));
    list.selectedIndex = values.indexOf(first);
    return { set: (value) => void (list.selectedIndex = values.indexOf(value)) };
  }
  const buttons = options.options.map((each) => {
    const button = added("button", group, { type: "button", textContent: each.label });
    button.addEventListener("click", () => (set(each.value), options.change(each.value)));
    return button;
  });
  /** @param {any} value */
  const set = (value) => {
    buttons.forEach((button, at) => {
      button.setAttribute("aria-pressed", String(values[at] === value));
    });
  };
  set(first);
  return { set };
}
