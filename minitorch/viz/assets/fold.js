// @ts-check
// A part of a picture in several lines, where it is wider than the page: each line shows
// a stretch of it, and the pointer there is where it would be in one line.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Bounds of the lines: as few as there can be, broken only where the part allows it.
 * @param {number[]} edges The part's left end, the places to break it, its right end.
 * @param {number} room
 */
export function broken(edges, room) {
  const lines = [edges[0]];
  edges.slice(1).forEach((edge, at) => {
    const before = edges[at];
    if (edge - lines[lines.length - 1] > room && before > lines[lines.length - 1]) {
      lines.push(before);
    }
  });
  return [...lines, edges[edges.length - 1]];
}

/** One part, whose size is `data-stack="width height left breaks…"`. */
export class Part {
  /** @param {SVGGraphicsElement} group */
  constructor(group) {
    const [wide, high, left = 0, ...breaks] =
      (group.getAttribute("data-stack") ?? "").split(" ").map(Number);
    this.group = group;
    this.high = high;
    this.edges = [left, ...breaks.filter((at) => at > left && at < wide), wide];
    this.place = group.getAttribute("transform") ?? "";
    this.name = `mt-part-${Math.random().toString(36).slice(2)}`;
    /** @type {{copy: SVGGraphicsElement, from: number, to: number}[]} */
    this.copies = [];
    /** @type {Element | null} */
    this.clip = null;
  }

  /** What is drawn, in a group of its own that other lines can show too. */
  wrap() {
    const inner = document.createElementNS(SVG, "g");
    inner.id = this.name;
    inner.append(...this.group.childNodes);
    this.group.append(inner);
  }

  /**
   * Show a stretch only.
   * @param {SVGElement} group
   * @param {number} from
   * @param {number} to
   */
  cut(group, from, to) {
    const clip = document.createElementNS(SVG, "clipPath");
    const box = document.createElementNS(SVG, "rect");
    clip.id = `${this.name}-${from}`;
    const sizes = { x: from - 3, y: -8, width: to - from + 3, height: this.high + 16 };
    for (const [name, value] of Object.entries(sizes)) box.setAttribute(name, String(value));
    clip.append(box);
    group.append(clip);
    group.setAttribute("clip-path", `url(#${clip.id})`);
    if (group === this.group) this.clip = clip;
  }

  /** As Python drew it. */
  reset() {
    for (const { copy } of this.copies) copy.remove();
    this.copies = [];
    this.clip?.remove(); // this part's own: the drawing may have others
    this.clip = null;
    this.group.removeAttribute("clip-path");
    this.group.setAttribute("transform", this.place);
  }

  /**
   * Put the part at the left, in as many lines as it needs.
   * @param {number} y
   * @param {number} room
   * @param {number} gap
   * @returns {{y: number, wide: number}} Where the next part begins, and its own width.
   */
  stack(y, room, gap) {
    this.reset();
    const lines = broken(this.edges, room);
    let wide = 0;
    for (let at = 0; at + 1 < lines.length; at++) {
      const [from, to] = [lines[at], lines[at + 1]];
      const group = at ? this.#copy(from, to) : this.group;
      group.setAttribute("transform", `translate(${-from} ${y})`);
      if (lines.length > 2) this.cut(group, from, to);
      y += this.high + gap;
      wide = Math.max(wide, to - from);
    }
    return { y, wide };
  }

  /** @param {number} from @param {number} to */
  #copy(from, to) {
    if (!this.group.querySelector(`#${this.name}`)) this.wrap();
    const copy = document.createElementNS(SVG, "g");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#${this.name}`);
    copy.setAttribute("aria-hidden", "true");
    copy.append(use);
    this.group.after(copy);
    this.copies.push({ copy, from, to });
    return copy;
  }

  /**
   * Where the pointer would be if the part were in one line.
   * @param {MouseEvent} event
   */
  unfolded(event) {
    const own = this.group.getScreenCTM();
    for (const { copy, from, to } of this.copies) {
      const matrix = copy.getScreenCTM();
      if (!matrix || !own) continue;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      const within = at.x >= from && at.x < to && at.y >= 0 && at.y < this.high;
      if (within) return at.matrixTransform(own);
    }
    return null;
  }
}

/**
 * Tell the view where the pointer would be; it listens later than this.
 * @param {SVGSVGElement} svg
 * @param {Part[]} parts
 */
export function unfoldPointer(svg, parts) {
  /** @param {MouseEvent} event */
  function pass(event) {
    if (!event.isTrusted) return;
    for (const part of parts) {
      const at = part.unfolded(event);
      if (!at) continue;
      event.stopImmediatePropagation();
      const { buttons } = event;
      const moved = { clientX: at.x, clientY: at.y, buttons, bubbles: true };
      const pointer = event instanceof PointerEvent ? event.pointerType : "mouse";
      svg.dispatchEvent(new PointerEvent(event.type, { ...moved, pointerType: pointer }));
      return;
    }
  }
  for (const kind of ["pointermove", "pointerdown", "click"]) {
    svg.addEventListener(kind, (event) => pass(/** @type {MouseEvent} */ (event)));
  }
}
