// The torus in three dimensions on a canvas. Near parts are thicker and hide far ones; a colour
// means the same load everywhere.

const COLOURS = 24;
const DEPTHS = 8;

// Draws in CSS pixels, sharp on high-resolution screens.
function paint(canvas, width, height, draw) {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = height + 'px';
  const c = canvas.getContext('2d');
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.font = FONT;
  c.fillStyle = theme.card;
  c.fillRect(0, 0, width, height);
  draw(c, width, height);
}

// Rotates and projects in perspective: [x, y] in pixels, depth from 0 (far) to 1.
function projector(torus, width, height) {
  const longest = Math.max(...torus.cells.extents);
  const scale = torus.zoom * Math.min(width, height) / (longest * 1.62);
  const [sy, cy, sp, cp] = [Math.sin(torus.yaw), Math.cos(torus.yaw), Math.sin(torus.pitch), Math.cos(torus.pitch)];
  const middle = torus.cells.extents.map(k => (k - 1) / 2);
  const far = longest * 3.2;
  return ([a, b, c]) => {
    const [x, y, z] = [a - middle[0], b - middle[1], c - middle[2]];
    const across = x * cy + z * sy;
    const away = z * cy - x * sy;
    const up = y * cp - away * sp;
    const depth = away * cp + y * sp;
    const near = far / (far + depth);
    return [width / 2 + across * scale * near, height / 2 - up * scale * near, 0.5 - depth / (longest * 1.75)];
  };
}

const depthOf = share => Math.max(0, Math.min(DEPTHS - 1, Math.floor(DEPTHS * share)));

function drawTorus(c, width, height, torus, withAxes = true) {
  readSample(torus);
  const project = projector(torus, width, height);
  const buckets = Array.from({length: DEPTHS * COLOURS}, () => []);
  const {values, direction} = torus;
  for (const {from, to, plus, minus} of torus.segments) {
    if (direction >= 0 && plus % 6 >> 1 !== direction >> 1) continue;
    const a = project(from);
    const b = project(to);
    const load = direction < 0 ? Math.max(values[plus], values[minus]) : values[direction & 1 ? minus : plus];
    buckets[depthOf((a[2] + b[2]) / 2) * COLOURS + Math.min(COLOURS - 1, Math.floor(load * COLOURS))].push(a[0], a[1], b[0], b[1]);
  }
  const thin = Math.max(0.8, Math.min(3, 27 / Math.cbrt(torus.segments.length)));
  const nodes = torus.showNodes ? nodesByDepth(torus, project) : [];
  for (let depth = 0; depth < DEPTHS; ++depth) {
    const layer = buckets.slice(depth * COLOURS, (depth + 1) * COLOURS);
    const wide = thin * (0.5 + 1.5 * depth / (DEPTHS - 1));
    strokeEnds(c, layer.flat(), theme.card, wide + 2);
    layer.forEach((ends, colour) => strokeEnds(c, ends, css(loadColour((colour + 0.5) / COLOURS)), wide));
    drawNodes(c, nodes[depth] ?? []);
  }
  if (withAxes) drawAxes(c, torus, height);
}

function strokeEnds(c, ends, colour, wide) {
  if (!ends.length) return;
  c.strokeStyle = colour;
  c.lineWidth = wide;
  c.beginPath();
  for (let i = 0; i < ends.length; i += 4) {
    c.moveTo(ends[i], ends[i + 1]);
    c.lineTo(ends[i + 2], ends[i + 3]);
  }
  c.stroke();
}

// Side of a node's square for a fill of its FIFOs from 0 to 1.
const fifoSide = (fill, depth) => (2 + 9 * fill) * (0.65 + 0.7 * Math.max(0, Math.min(1, depth)));

function nodesByDepth(torus, project) {
  const [, B, C] = torus.cells.extents;
  const layers = Array.from({length: DEPTHS}, () => []);
  for (let cell = 0; cell < torus.cells.count; ++cell) {
    const [x, y, depth] = project([Math.floor(cell / (B * C)), Math.floor(cell / C) % B, cell % C]);
    layers[depthOf(depth)].push([x, y, fifoSide(torus.fill[cell], depth)]);
  }
  return layers;
}

// Squares whose size shows the fill of the injection FIFOs.
function drawNodes(c, nodes) {
  c.fillStyle = theme.ink;
  c.strokeStyle = theme.card;
  c.lineWidth = 1;
  for (const [x, y, side] of nodes) {
    c.fillRect(x - side / 2, y - side / 2, side, side);
    if (side > 4) c.strokeRect(x - side / 2, y - side / 2, side, side);
  }
}

function drawAxes(c, torus, height) {
  const turn = projector({...torus, zoom: 1, cells: {extents: [1, 1, 1]}}, 90, 90);
  const [ox, oy] = [46, height - 46];
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  for (let d = 0; d < torus.degree / 2; ++d) {
    const [x, y] = turn([0, 1, 2].map(i => (i === d ? 0.55 : 0)));
    c.strokeStyle = theme.muted;
    c.lineWidth = 1.4;
    c.beginPath();
    c.moveTo(ox, oy);
    c.lineTo(ox + x - 45, oy + y - 45);
    c.stroke();
    c.fillStyle = theme.ink;
    c.fillText(DIMENSIONS[d], ox + (x - 45) * 1.3, oy + (y - 45) * 1.3);
  }
}
