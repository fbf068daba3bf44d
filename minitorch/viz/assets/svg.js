// @ts-check
// SVG as text, spelled as Python's `drawing` does.

/** @typedef {Record<string, string | number | undefined>} Attributes */

const MONO = "Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
/** @type {Record<string, string>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": " " };

export const MUT = { fill: "var(--mut)" };

/** @param {string} words */
export function escaped(words) {
  return !/[&<>"\n]/.test(words) ? words : words.replace(/[&<>"\n]/g, (letter) => ESCAPES[letter]);
}

/**
 * An element in a line of its own, so that a part can be taken apart into its elements.
 * Values of attributes are our own: only words are escaped, by `text`.
 * @param {string} tag
 * @param {Attributes} attributes
 * @param {string} [content]
 */
export function element(tag, attributes, content = "") {
  let text = `<${tag}`;
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined) continue;
    text += ` ${name}="${typeof value === "number" ? Math.round(value * 100) / 100 : value}"`;
  }
  return `${text}>${content.replaceAll("\n", "")}</${tag}>\n`;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Attributes} [look]
 */
export function rect(x, y, width, height, look = {}) {
  return element("rect", { x, y, width, height, ...look });
}

/**
 * @param {string} d
 * @param {Attributes} [look]
 */
export function path(d, look = {}) {
  return element("path", { d, fill: "none", ...look });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {number} size
 * @param {{fill?: string, anchor?: string, bold?: boolean, mono?: boolean,
 *   transform?: string, raw?: boolean}} [look] `raw`: the words are elements already.
 */
export function text(x, y, words, size, look = {}) {
  return element(
    "text",
    {
      x,
      y,
      "font-size": size,
      fill: look.raw ? undefined : look.fill ?? "var(--ink)",
      "text-anchor": look.anchor,
      "font-weight": look.bold ? 600 : undefined,
      "font-family": look.mono ? MONO : undefined,
      transform: look.transform,
    },
    look.raw ? words : escaped(words),
  );
}

/**
 * The mark of the one focus, as Python's `marks.ring`.
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {boolean} [inside]
 */
export function ring(x, y, w, h, inside = true) {
  const look = { fill: "none", stroke: "var(--bg)", "stroke-width": 1.6 };
  const inner = rect(x + 0.8, y + 0.8, w - 1.6, h - 1.6, { rx: 2.5, ...look });
  const outer = { rx: 4, fill: "none", stroke: "var(--ink)", "stroke-width": 2.4 };
  return (inside ? inner : "") + rect(x - 1, y - 1, w + 2, h + 2, outer);
}

const ENGLISH = new Intl.NumberFormat("en"); // made once: toLocaleString is slow

/** @param {number} value A whole number. */
export const number = (value) => ENGLISH.format(value);

/** @param {number} who */
export function strong(who) {
  return `var(--c${who % 4})`;
}

/** @param {number} who */
export function tint(who) {
  return `var(--c${who % 4}t)`;
}

/** @param {number} value In tenths of pixels. */
export const tenth = (value) => Math.floor(value * 10 + 0.5) / 10;

/** @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, at) => at);

/**
 * A rectangle as a part of a path, with round corners.
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} [r]
 */
export function box(x, y, w, h, r = 0) {
  const [left, top, wide, high] = [tenth(x), tenth(y), tenth(w), tenth(h)];
  if (!r) return `M${left} ${top}h${wide}v${high}h${-wide}z`;
  const [across, down, turn] = [tenth(wide - 2 * r), tenth(high - 2 * r), `a${r} ${r} 0 0 1 `];
  return (
    `M${tenth(left + r)} ${top}h${across}${turn}${r} ${r}v${down}${turn}${-r} ${r}` +
    `h-${across}${turn}${-r} ${-r}v-${down}${turn}${r} ${-r}z`
  );
}

/**
 * A value in so many letters, as Python's `fitted`.
 * @param {string} words
 * @param {number} most
 */
export function fitted(words, most) {
  if (words.length <= most) return words;
  const found = /^(-?[\d,]+)\.(\d+)(e.*)?$/.exec(words);
  if (found) {
    const power = found[3] ?? "";
    const digits = found[2].slice(0, Math.max(most - found[1].length - 1 - power.length, 0));
    const short = digits ? `${found[1]}.${digits}${power}` : found[1] + power;
    if (short.length <= most) return /[1-9]/.test(short) ? short : "≈0";
  }
  return `${words.slice(0, most - 1)}…`;
}

/**
 * A long name with its middle left out, as Python's `shortened`.
 * @param {string} words
 * @param {number} most
 */
export function shortened(words, most) {
  if (words.length <= most) return words;
  const head = Math.floor(most / 2);
  return `${words.slice(0, head)}…${words.slice(words.length - (most - 1 - head))}`;
}
