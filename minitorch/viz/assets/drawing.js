// @ts-check
// What the renderer, which is translated from Python, is built on: a scene's arrays, SVG
// as Python's `drawing` spells it, and Python's functions of these names.

/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */

const MONO = "Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
/** @type {Record<string, string>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": " " };

/** @type {Record<string, string>} */
const NAMES = {};

/** @param {string} words */
function escaped(words) {
  return !/[&<>"\n]/.test(words) ? words : words.replace(/[&<>"\n]/g, (letter) => ESCAPES[letter]);
}

/** Elements of a picture as texts, in the order they are drawn. */
export class Drawing {
  constructor(width = 0, height = 0) {
    this.width = width;
    this.height = height;
    /** @type {string[]} */
    this.parts = [];
  }

  /**
   * Values of attributes are our own: only words are escaped.
   * @param {string} tag
   * @param {string} content
   * @param {Attributes} attributes
   */
  element(tag, content, attributes) {
    let text = `<${tag}`;
    for (const name in attributes) {
      const value = attributes[name];
      if (value === undefined || value === null) continue;
      const shown = typeof value === "number" ? Math.round(value * 100) / 100 : value;
      text += ` ${NAMES[name] ??= name.replace("_", "-")}="${shown}"`;
    }
    this.parts.push(`${text}>${content}</${tag}>`);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {Attributes} look
   */
  rect(x, y, width, height, look) {
    this.element("rect", "", { x, y, width, height, ...look });
  }

  /**
   * @param {string} d
   * @param {Attributes} look
   */
  path(d, look) {
    this.element("path", "", { d, fill: "none", ...look });
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {any} words
   * @param {number} size
   * @param {Attributes} [look]
   */
  text(x, y, words, size, look = {}) {
    const { fill = "var(--ink)", anchor, bold, mono, transform } = look;
    const more = (anchor ? ` text-anchor="${anchor}"` : "") + (bold ? ' font-weight="600"' : "")
      + (mono ? ` font-family="${MONO}"` : "") + (transform ? ` transform="${transform}"` : "");
    const [left, base] = [x, y].map((each) => Math.round(each * 100) / 100);
    this.parts.push(
      `<text x="${left}" y="${base}" font-size="${size}" fill="${fill}"${more}>${escaped(String(words))}</text>`,
    );
  }

  /**
   * One line of words in several styles, such as "bold"; the last is a look.
   * @param {number} x
   * @param {number} y
   * @param {number} font_size
   * @param {any[]} runs
   */
  runs(x, y, font_size, ...runs) {
    const { mono } = runs.pop();
    const spans = runs.map(([words, style]) =>
      `<tspan font-weight="${style === "bold" ? 600 : 400}" fill="var(--${/mut|note/.test(style) ? "mut" : "ink"})"${
        style === "note" ? ' font-size="11.5"' : ""}>${escaped(words)}</tspan>`);
    this.element("text", spans.join(""), { x, y, font_size, font_family: mono ? MONO : undefined });
  }
}

const ENGLISH = new Intl.NumberFormat("en"); // made once: toLocaleString is slow

/** @param {number} value A whole number. */
export const number = (value) => ENGLISH.format(value);

export const math = Math;
export const int = Math.trunc;
export const abs = Math.abs;
export const str = String;

/** @param {any} all @returns {any[]} */
export const list = (all) => Array.isArray(all) ? all : Array.from(all);

/** @param {any} value An array is true unless it is empty. */
export const truthy = (value) => value && value.length !== 0;

/** @param {any} all */
export const len = (all) => all.length;

/** @param {(each: any) => any} f @param {any} all */
export const map = (f, all) => list(all).map((each) => f(each));

/** @param {number} low @param {number} [high] @param {number} [step] */
export const range = (low, high, step = 1) => {
  const found = [];
  for (let at = high === undefined ? 0 : low; at < (high ?? low); at += step) found.push(at);
  return found;
};

/** @param {any} all */
export const enumerate = (all) => list(all).map((each, at) => [at, each]);

/** @param {any} one @param {any} other */
export const zip = (one, other) => list(one).map((each, at) => [each, other[at]]);

/** @param {...any} all */
export const max = (...all) => Math.max(...(all.length > 1 ? all : all[0]));

/** @param {...any} all */
export const min = (...all) => Math.min(...(all.length > 1 ? all : all[0]));

/** @param {number[]} all */
export const sum = (all) => all.reduce((total, each) => total + each, 0);

/** @param {any[]} all @param {any} none */
export const next = (all, none) => (all.length ? all[0] : none);

/** @param {number} a @param {number} b */
export const divmod = (a, b) => [Math.floor(a / b), a % b];

/** @param {any[]} all @param {(each: any) => number} key */
export const sorted = (all, key) => [...all].sort((one, other) => key(one) - key(other));

/** @param {string} words @param {string} sign */
export const partition = (words, sign) => {
  const at = words.indexOf(sign);
  return at < 0 ? [words, "", ""] : [words.slice(0, at), sign, words.slice(at + sign.length)];
};

/** @param {any} array An array of two dimensions is a list of rows. */
export const tolist = (array) => {
  const [, wide] = array.shape ?? [];
  return wide ? range(array.length / wide).map((/** @type {number} */ at) =>
    array.subarray(wide * at, wide * at + wide)) : list(array);
};

/** @param {any} mark @param {string} key @param {() => string[]} make */
export const kept = (mark, key, make) => (mark.kept ??= {})[key] ??= make();

/** @param {any} mark */
export const kind_of = (mark) => mark?.is;

export const re = {
  /** @param {string} pattern @param {string} words */
  split: (pattern, words) => words.split(new RegExp(pattern)),
};

/**
 * The JSON and the arrays that `Scene.packed` deflated.
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  // @ts-ignore: younger than the types of this compiler.
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const kinds = /** @type {Record<string, any>} */ ({ i1: Int8Array, i2: Int16Array, i4: Int32Array });
  /** @type {Map<number, any>} */
  const known = new Map();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)), (_, value) => {
    if (!value?.$) return value;
    const [kind, offset, count, shape] = value.$;
    const key = offset * 4 + count; // arrays of one place are one
    if (!known.has(key)) {
      known.set(key, Object.assign(new kinds[kind](buffer, 4 + size + offset, count), { shape }));
    }
    return known.get(key);
  });
}

/**
 * The values of items at a place of a table.
 * @param {any} values
 * @param {number[]} place
 * @param {number[]} items
 */
export function taken(values, place, items) {
  const row = place.reduce((sum, at, n) => sum * values.shape[n] + at, 0);
  const size = values.shape[place.length];
  return items.map((item) => values[size === undefined ? row : row * size + item]);
}
