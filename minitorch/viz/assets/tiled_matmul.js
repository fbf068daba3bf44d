// Owns the view "which thread of which block computes which output cell" of the tiled
// matrix product. Data: m, k, n, tile, a, b, c (row-major) and owner[cell] =
// [block x, block y, thread x, thread y] as the launch itself wrote them.
"use strict";
function drawTiledMatmul(id, data) {
  const { m, k, n, tile, a, b, c, owner } = data;
  const parts = frame(id, "Which thread of which block computes which output cell?");
  const phases = Math.ceil(k / tile), gridX = Math.ceil(n / tile);
  const cell = Math.min(19, 620 / (k + n));
  const gap = 66, left = 34, top = 40;
  const B = [left + k * cell + gap, top];
  const A = [left, top + k * cell + gap];
  const C = [B[0], A[1]];
  let focus = [Math.min(m - 1, tile + 2), Math.min(n - 1, tile + 3)], phase = 0;

  const ownerOf = (row, column) => owner[row * n + column];
  // Neighbouring blocks differ in hue.
  const hue = ([bx, by]) => bx + by;
  const place = (origin, row, column) =>
    [origin[0] + column * cell + 0.8, origin[1] + row * cell + 0.8, cell - 1.6, cell - 1.6];

  function matrix(view, origin, rows, columns, values, style) {
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const look = style(row, column);
        view.append(rect(...place(origin, row, column), { rx: 2.5, ...look.cell }));
        if (look.value && cell >= 15)
          view.append(text(origin[0] + (column + 0.5) * cell,
            origin[1] + (row + 0.5) * cell + 3.4, values[row * columns + column],
            { "font-size": 9.5, "text-anchor": "middle", class: "mono", ...look.text }));
      }
  }
  const ring = (view, origin, row, column) => {
    const [x, y, w, h] = place(origin, row, column);
    view.append(
      rect(x + 0.6, y + 0.6, w - 1.2, h - 1.2,
        { rx: 2.5, fill: "none", stroke: "var(--bg)", "stroke-width": 1.6 }),
      rect(x - 1.8, y - 1.8, w + 3.6, h + 3.6,
        { rx: 4, fill: "none", stroke: "var(--ink)", "stroke-width": 2.6 }));
  };
  const title = (view, origin, name, words) => view.append(
    text(origin[0], origin[1] - 22, name, { "font-size": 13.5, "font-weight": 600 }),
    text(origin[0], origin[1] - 7, words, { "font-size": 11.5, class: "mut" }));

  function draw() {
    const [row, column] = focus;
    const [bx, by, tx, ty] = ownerOf(row, column);
    const block = hue([bx, by]);
    const k0 = phase * tile, k1 = Math.min(k, k0 + tile);
    const width = C[0] + n * cell + 24, height = C[1] + m * cell + 10;
    const view = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    const inTileA = (r, q) => Math.floor(r / tile) === by && q >= k0 && q < k1;
    const inTileB = (r, q) => Math.floor(q / tile) === bx && r >= k0 && r < k1;
    const dashed = { fill: "var(--bg)", stroke: strong(block), "stroke-width": 1.3,
                     "stroke-dasharray": "2.6 1.8" };
    const loaded = { fill: tint(block) };
    title(view, A, "A", `${m} × ${k} · tile ${phase}: columns ${k0}–${k1 - 1}`);
    title(view, B, "B", `${k} × ${n} · tile ${phase}: rows ${k0}–${k1 - 1}`);
    title(view, C, "C = A · B", `${m} × ${n} · colour: block · one cell a thread`);
    matrix(view, A, m, k, a, (r, q) => {
      const inside = inTileA(r, q), read = inside && r === row;
      return { cell: read ? dashed : inside ? loaded : { fill: "var(--off)" },
               value: inside };
    });
    matrix(view, B, k, n, b, (r, q) => {
      const inside = inTileB(r, q), read = inside && q === column;
      return { cell: read ? dashed : inside ? loaded : { fill: "var(--off)" },
               value: inside };
    });
    for (let r = 0; r < m; r++)
      for (let q = 0; q < n; q++) {
        const index = hue(ownerOf(r, q)), here = r === row && q === column;
        view.append(rect(...place(C, r, q), {
          rx: 2.5, fill: here ? strong(index) : tint(index), style: "cursor:pointer",
          onpointerenter: () => { focus = [r, q]; draw(); },
          onclick: () => { focus = [r, q]; draw(); } }));
      }
    for (let y = 0; y < Math.ceil(m / tile); y++)
      for (let x = 0; x < gridX; x++) {
        const w = Math.min(tile, n - x * tile) * cell;
        const h = Math.min(tile, m - y * tile) * cell;
        const mine = x === bx && y === by;
        view.append(
          rect(C[0] + x * tile * cell, C[1] + y * tile * cell, w, h,
            { fill: "none", stroke: strong(hue([x, y])), rx: 3,
              "stroke-width": mine ? 2.4 : 1, "pointer-events": "none" }),
          text(C[0] + x * tile * cell + 4, C[1] + y * tile * cell + 13, `${x},${y}`,
            { "font-size": 11, "font-weight": 600, class: "mono",
              style: `fill:${strong(hue([x, y]))}`, "pointer-events": "none" }));
      }
    ring(view, C, row, column);
    if (k0 + tx < k) ring(view, A, row, k0 + tx);
    if (k0 + ty < k) ring(view, B, k0 + ty, column);
    describe(row, column, bx, by, tx, ty, k0, k1, view);
  }

  function describe(row, column, bx, by, tx, ty, k0, k1, view) {
    const answer = `Thread (${tx}, ${ty}) of block (${bx}, ${by}) computes ` +
      `C[${row}, ${column}] = ${c[row * n + column]}.`;
    const detail = `In tile ${phase} of ${phases} it copies one cell of A and one of B ` +
      `(ringed) into shared memory, then reads ${2 * (k1 - k0)} cells that the ` +
      `threads of its block copied.`;
    sentence(parts, answer, detail);
    view.setAttribute("aria-label", answer + " " + detail);
    parts.picture.replaceChildren(view);
    let before = 0, now = 0;
    for (let q = 0; q < k1; q++) {
      const product = a[row * k + q] * b[q * n + column];
      if (q < k0) before += product;
      now += product;
    }
    const slider = html("input", {
      type: "range", min: 0, max: phases - 1, value: phase, "aria-label": "tile",
      oninput: (event) => { phase = +event.target.value; draw();
                            parts.side.querySelector("input").focus(); } });
    const reads = 2 * k * m * n, gridY = Math.ceil(m / tile);
    const loads = m * k * gridX + k * n * gridY;
    parts.side.replaceChildren(
      html("h2", {}, "From thread to cell"),
      html("div", { class: "sum" },
        `row = ${by} × ${tile} + ${ty} = ${row}\ncol = ${bx} × ${tile} + ${tx} = ${column}`),
      html("h2", {}, "One tile ", html("span", {}, `${phase} of 0–${phases - 1}`)), slider,
      html("div", { class: "sum" }, `acc: ${before} → ${now}`),
      html("h2", {}, "Why shared memory?"),
      html("div", { class: "sum" },
        `without tiles ${number(reads)} reads of A and B\n` +
        `with tiles    ${number(loads)} copies, each cell\n` +
        `              is then read ${tile} times`));
  }

  legend(parts,
    [rect(1, 1, 14, 14, { rx: 3, fill: tint(0), stroke: strong(0) }),
     "belongs to this block; in A and B: the tile in its shared memory"],
    [rect(1, 1, 14, 14, { rx: 3, fill: strong(0) }), "the cell the thread writes"],
    [rect(2, 2, 12, 12, { rx: 3, fill: "none", stroke: strong(0),
                          "stroke-dasharray": "2.6 1.8" }), "cell the thread reads"],
    [rect(2, 2, 12, 12, { rx: 3, fill: "none", stroke: "var(--ink)",
                          "stroke-width": 2.6 }), "focus, and the cells it copies"]);
  parts.keys.append("point at or tap a cell of C · ", html("kbd", {}, "W"),
    html("kbd", {}, "A"), html("kbd", {}, "S"), html("kbd", {}, "D"), " move · ",
    html("kbd", {}, "←"), html("kbd", {}, "→"), " tile");
  const host = document.getElementById(id);
  host.tabIndex = 0;
  host.addEventListener("keydown", (event) => {
    const move = { w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1] }[event.key];
    if (move) focus = [Math.max(0, Math.min(m - 1, focus[0] + move[0])),
                       Math.max(0, Math.min(n - 1, focus[1] + move[1]))];
    else if (event.key === "ArrowRight") phase = Math.min(phases - 1, phase + 1);
    else if (event.key === "ArrowLeft") phase = Math.max(0, phase - 1);
    else return;
    event.preventDefault();
    draw();
  });
  draw();
}
