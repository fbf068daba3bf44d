// @ts-check
// Owns the picture's layout on narrow pages: its parts below each other instead of beside.
// Must not know views: parts that can be moved carry their size, `data-stack="width height"`.

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
  const parts = [...svg.querySelectorAll("[data-stack]")];
  if (!body || !key || !parts.length) return;
  const places = parts.map((part) => part.getAttribute("transform") ?? "");
  const below = key.getAttribute("transform") ?? "";
  const { width, height } = svg.viewBox.baseVal;
  let narrow = false;

  /** @param {number} wide @param {number} high */
  function resize(wide, high) {
    svg.setAttribute("viewBox", `0 ${head} ${wide} ${high}`);
    svg.setAttribute("width", String(wide));
    svg.setAttribute("height", String(high));
  }

  /** @param {Element} under */
  function stack(under) {
    let [y, room] = [0, 0];
    for (const part of parts) {
      const [wide, high] = (part.getAttribute("data-stack") ?? "").split(" ").map(Number);
      move(part, 0, y);
      y += high + GAP;
      room = Math.max(room, wide);
    }
    move(under, MARGIN, head + y);
    resize(room + 2 * MARGIN, y + flowKey(under, room) + MARGIN);
  }

  /** @param {Element} under */
  function spread(under) {
    parts.forEach((part, at) => part.setAttribute("transform", places[at]));
    under.setAttribute("transform", below);
    flowKey(under, width - 2 * MARGIN);
    resize(width, height);
  }

  new ResizeObserver(() => {
    const now = root.clientWidth < NARROW;
    if (now !== narrow) (now ? stack : spread)(key);
    narrow = now;
  }).observe(root);
}
