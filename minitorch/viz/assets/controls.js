// @ts-check
// The controls above a picture. Each returns what sets it to a value; a slider, its row.

const MOST_BUTTONS = 4;

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {HTMLElement} parent
 * @param {Partial<Omit<HTMLElementTagNameMap[Tag], "style">>} [fields]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function added(tag, parent, fields = {}) {
  const element = document.createElement(tag);
  Object.assign(element, fields);
  parent.append(element);
  return element;
}

/**
 * @param {HTMLElement} parent
 * @param {object} options
 * @param {string} options.label What it moves, such as "Step".
 * @param {number} options.last Its values are 0 to this one.
 * @param {boolean} options.short One of several beside each other.
 * @param {number[]} options.marks Values with a tick.
 * @param {(value: number) => string} options.text The value in words.
 * @param {(value: number) => void} options.change Called when the reader moves it.
 */
export function addSlider(parent, { label, last, short, marks, text, change }) {
  const row = added("label", parent, { className: short ? "mt-slider mt-short" : "mt-slider" });
  added("span", row, { textContent: label });
  const track = added("div", row, { className: "mt-track" });
  const input = added("input", track, { type: "range", min: "0", max: String(last) });
  input.setAttribute("aria-label", label);
  const ticks = added("div", track, { className: "mt-marks" });
  for (const mark of marks) added("i", ticks).style.left = `${(100 * mark) / last}%`;
  const output = added("output", row);
  input.addEventListener("input", () => change(Number(input.value)));
  /** @param {number} value */
  const set = (value) => {
    input.value = String(value);
    output.textContent = text(value);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  return { row, set };
}

/**
 * @param {HTMLElement} parent
 * @param {string} label
 * @param {() => void} act
 * @param {string} [title]
 */
export function addButton(parent, label, act, title = "") {
  const button = added("button", parent, { type: "button", textContent: label, title });
  button.addEventListener("click", act);
  return button;
}

/**
 * One of a few: buttons beside each other; of many: a list.
 * @param {HTMLElement} parent
 * @param {string} label
 * @param {string[]} options
 * @param {(value: number) => void} change
 * @returns {(value: number) => void}
 */
export function addChoice(parent, label, options, change) {
  const group = added("div", parent, { className: "mt-choice" });
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  if (options.length > MOST_BUTTONS) {
    added("span", group, { textContent: label });
    const list = added("select", group);
    list.setAttribute("aria-label", label);
    for (const text of options) added("option", list, { text });
    list.addEventListener("change", () => change(list.selectedIndex));
    return (value) => void (list.selectedIndex = value);
  }
  const buttons = options.map((words, at) => addButton(group, words, () => change(at)));
  return (value) => buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === value)));
}
