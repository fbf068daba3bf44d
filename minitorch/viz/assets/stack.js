// @ts-check
// The picture's layout on narrow pages: its parts below each other instead of beside.
//

import { Part, unfoldPointer } from "./fold.js";

const NARROW = 860;
const [MARGIN, GAP] = [20, 12];
const [KEY_LEFT, KEY_TOP, KEY_ROW, SWATCH] = [40, 38, 23, 22];

/**
 * @param {Element} element
 * @param {number} x
 * @param {number} y
 */
function move(element, x, y) {
  element.setAttribute("transform", `translate(${x} ${y})`);
}

/**
 * Fill the lines of the key anew; its entries are a mark and words each.
 * @param {Element} key
 * @param {number} width
 * @returns {number} Its height.
 */
function flowKey(key, width) {
  let [x, y] = [KEY_LEFT, KEY_TOP];
  for (const mark of key.querySelectorAll(":scope > g")) {
    const words = /** @type {SVGTextElement} */ (mark.nextElementSibling);
    const room = SWATCH + words.getComputedTextLength();
    if (x + room > width && x > KEY_LEFT) [x, y] = [KEY_LEFT, y + KEY_ROW];
    move(mark, x, y - 12);
    words.setAttribute("x", String(x + SWATCH));
    words.setAttribute("y", String(y));
    x += room + 18;
  }
  return y;
}

/**
 * Follow the width of the page.
 * @param {HTMLElement} root
 * @param {SVGSVGElement} svg
 * @param {number} head Height of the words on top, which are not shown.
 */
export function followWidth(root, svg, head) {
  const body = svg.querySelector('[data-part="head"]')?.nextElementSibling;
  const key = body?.nextElementSibling;
  /** @type {NodeListOf<SVGGraphicsElement>} */
  const groups = svg.querySelectorAll("[data-stack]");
  const parts = [...groups].map((group) => new Part(group));
  if (!body || !key || !parts.length) return;
  unfoldPointer(svg, parts);
  // What is between parts, such as a line, has no place where they are below each other.
  const only = body.querySelectorAll(":scope > path");
  const below = key.getAttribute("transform") ?? "";
  const { width, height } = svg.viewBox.baseVal;
  let shown = 0;

  /** @param {number} wide @param {number} high */
  function resize(wide, high) {
    svg.setAttribute("viewBox", `0 ${head} ${wide} ${high}`);
    svg.setAttribute("width", String(wide));
    svg.setAttribute("height", String(high));
  }

  /** @param {Element} under @param {number} most */
  function stack(under, most) {
    let [y, room] = [0, 0];
    for (const part of parts) {
      const found = part.stack(y, most, GAP);
      y = found.y;
      room = Math.max(room, found.wide);
    }
    for (const each of only) each.setAttribute("display", "none");
    move(under, MARGIN, head + y);
    resize(room + 2 * MARGIN, y + flowKey(under, room) + MARGIN);
  }

  /** @param {Element} under */
  function spread(under) {
    for (const part of parts) part.reset();
    for (const each of only) each.removeAttribute("display");
    under.setAttribute("transform", below);
    flowKey(under, width - 2 * MARGIN);
    resize(width, height);
  }

  new ResizeObserver(() => {
    const now = root.clientWidth < NARROW ? root.clientWidth : 0;
    if (now === shown) return;
    if (now) stack(key, now - 2 * MARGIN);
    else spread(key);
    shown = now;
  }).observe(root);
}
