// The torus in three dimensions, turned by mouse and keys, played through the run's samples.

const MOST_SEGMENTS = 20000;
const COLOURS = 24;
const DEPTHS = 4;
const PLAY_SECONDS = 10;

// Nodes put together to cells until there are few enough links to draw; dimensions past the third
// are in the same cell.
function cellsOf(recording) {
  const kept = recording.extents.slice(0, 3);
  while (kept.length < 3) kept.push(1);
  let block = 1;
  const blocked = () => kept.map(k => Math.ceil(k / block));
  while (3 * blocked().reduce((a, b) => a * b) > MOST_SEGMENTS) ++block;
  const extents = blocked();
  const cellOf = new Int32Array(recording.nodes);
  for (let node = 0; node < recording.nodes; ++node) {
    const at = coordinates(node, recording.extents).slice(0, 3).map(x => Math.floor(x / block));
    while (at.length < 3) at.push(0);
    cellOf[node] = (at[0] * extents[1] + at[1]) * extents[2] + at[2];
  }
  return {block, extents, cellOf, count: extents.reduce((a, b) => a * b)};
}

// Every link once, {a, b: places; plus, minus: index of the value of each direction}. A link that
// closes a ring is drawn as two stubs that leave the torus.
function segmentsOf(recording, cells) {
  const [A, B, C] = cells.extents;
  const index = (x, y, z) => (x * B + y) * C + z;
  const segments = [];
  const steps = Math.min(3, recording.extents.length);
  for (let x = 0; x < A; ++x) for (let y = 0; y < B; ++y) for (let z = 0; z < C; ++z)
    for (let d = 0; d < steps; ++d) {
      const at = [x, y, z];
      const k = cells.extents[d];
      const next = at.slice();
      next[d] = (at[d] + 1) % k;
      const plus = index(...at) * 6 + 2 * d;
      const minus = index(...next) * 6 + 2 * d + 1;
      if (at[d] + 1 < k) segments.push({from: at, to: next, plus, minus});
      else if (recording.wraps[d] && recording.extents[d] > 1)
        for (const [end, way] of [[at, 0.45], [next, -0.45]]) {
          const out = end.slice();
          out[d] += way;
          segments.push({from: end, to: out, plus, minus});
        }
    }
  return segments;
}

function makeTorus(recording) {
  const cells = cellsOf(recording);
  const segments = segmentsOf(recording, cells);
  const links = new Float32Array(cells.count * 6);  // links in each mean
  const nodes = new Float32Array(cells.count);
  const degree = Math.min(6, recording.degree);
  for (let node = 0; node < recording.nodes; ++node) {
    ++nodes[cells.cellOf[node]];
    for (let d = 0; d < degree; ++d)
      links[cells.cellOf[node] * 6 + d] += recording.exists[node * recording.degree + d];
  }
  return {recording, cells, segments, links, nodes, degree, sample: Math.floor(recording.samples / 2), yaw: 0.62, pitch: 0.42, zoom: 1,
          direction: -1, showNodes: cells.count <= 1000, playing: false,
          values: new Float32Array(cells.count * 6), fill: new Float32Array(cells.count), valuesOf: -1};
}

// Mean load of each cell's links and FIFOs in the sample shown, 0 to 1.
function readSample(torus) {
  const {recording, cells, degree, values, fill, links, nodes} = torus;
  const sample = Math.min(Math.floor(torus.sample), recording.samples - 1);
  if (torus.valuesOf === sample) return;
  torus.valuesOf = sample;
  values.fill(0);
  fill.fill(0);
  const base = sample * recording.links;
  for (let node = 0; node < recording.nodes; ++node) {
    const cell = cells.cellOf[node];
    fill[cell] += recording.fifoFill[sample * recording.nodes + node];
    for (let d = 0; d < degree; ++d) values[cell * 6 + d] += recording.linkBusy[base + node * recording.degree + d];
  }
  for (let i = 0; i < values.length; ++i) values[i] = links[i] ? values[i] / links[i] / 255 : 0;
  for (let i = 0; i < fill.length; ++i) fill[i] = nodes[i] ? fill[i] / nodes[i] / 255 : 0;
}

// Turned and seen from a distance: [x, y] in pixels, depth from 0 (far) to 1.
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

function drawTorus(c, width, height, torus) {
  readSample(torus);
  const project = projector(torus, width, height - 66);
  const buckets = Array.from({length: DEPTHS * COLOURS}, () => []);
  const {values, direction} = torus;
  for (const {from, to, plus, minus} of torus.segments) {
    const a = project(from);
    const b = project(to);
    const load = direction < 0 ? Math.max(values[plus], values[minus]) : values[direction & 1 ? minus : plus];
    if (direction >= 0 && plus % 6 >> 1 !== direction >> 1) continue;
    const depth = Math.max(0, Math.min(DEPTHS - 1, Math.floor(DEPTHS * (a[2] + b[2]) / 2)));
    buckets[depth * COLOURS + Math.min(COLOURS - 1, Math.floor(load * COLOURS))].push(a[0], a[1], b[0], b[1]);
  }
  const thin = Math.max(0.7, Math.min(2.6, 60 / Math.cbrt(torus.segments.length) / 2.2));
  buckets.forEach((ends, i) => strokeBucket(c, ends, Math.floor(i / COLOURS), i % COLOURS, thin));
  if (torus.showNodes) drawNodes(c, torus, project);
  drawAxes(c, torus, height);
  loadScale(c, 10, 18, 180, {least: 0, most: 100, bound: 100, unit: '% busy'});
  drawTimeline(c, width, height, torus);
}

function strokeBucket(c, ends, depth, colour, thin) {
  if (!ends.length) return;
  c.globalAlpha = 0.15 + 0.85 * ((depth + 1) / DEPTHS) ** 2;
  c.strokeStyle = css(loadColour((colour + 0.5) / COLOURS));
  c.lineWidth = thin * (0.7 + 0.3 * depth) * (0.6 + colour / COLOURS);
  c.beginPath();
  for (let i = 0; i < ends.length; i += 4) {
    c.moveTo(ends[i], ends[i + 1]);
    c.lineTo(ends[i + 2], ends[i + 3]);
  }
  c.stroke();
  c.globalAlpha = 1;
}

// Sized by what stands in their injection FIFOs.
function drawNodes(c, torus, project) {
  const [, B, C] = torus.cells.extents;
  c.fillStyle = theme.ink;
  for (let cell = 0; cell < torus.cells.count; ++cell) {
    const [x, y, depth] = project([Math.floor(cell / (B * C)), Math.floor(cell / C) % B, cell % C]);
    const size = (1 + 5 * torus.fill[cell]) * (0.7 + 0.5 * depth);
    c.globalAlpha = 0.3 + 0.6 * Math.max(0, Math.min(1, depth));
    c.fillRect(x - size / 2, y - size / 2, size, size);
  }
  c.globalAlpha = 1;
}

function drawAxes(c, torus, height) {
  const turn = projector({...torus, zoom: 1, cells: {extents: [1, 1, 1]}}, 90, 90);
  const [ox, oy] = [42, height - 110];
  for (let d = 0; d < torus.degree / 2; ++d) {
    const [x, y] = turn([0, 1, 2].map(i => (i === d ? 0.55 : 0)));
    line(c, [[ox, oy], [ox + x - 45, oy + y - 45]], theme.muted, {width: 1.4});
    text(c, DIMENSIONS[d], ox + (x - 45) * 1.28, oy + (y - 45) * 1.28, {align: 'center', colour: theme.ink});
  }
}

function drawTimeline(c, width, height, {recording, sample}) {
  const most = Math.max(recording.end, recording.bound, 1);
  const X = cycles => 10 + (width - 20) * cycles / most;
  const y = height - 16;
  c.fillStyle = theme.grid;
  c.fillRect(X(0), y, X(recording.end) - X(0), 5);
  c.fillStyle = theme.bar;
  c.fillRect(X(0), y, X(sampleEnd(recording, Math.floor(sample))) - X(0), 5);
  const at = X(recording.bound);
  boundLine(c, [[at, y - 8], [at, y + 12]]);
  text(c, 'bound', at - 5, y - 9, {colour: theme.bound, align: 'right'});
}

function torusCaption({recording, cells}) {
  let words = 'Every link, coloured by how busy it is in the interval shown. Drag or use the arrow keys to turn, + and - to zoom, space to play.';
  if (recording.extents.length > 3)
    words += ` Shown are X, Y and Z; colours are means over ${DIMENSIONS.slice(3, recording.extents.length).join(', ')}.`;
  if (cells.block > 1) words += ` ${cells.block} nodes of each dimension are drawn as one, with their mean.`;
  return words;
}

function torusFigure(recording) {
  const torus = makeTorus(recording);
  const plot = figure({
    id: 'torus', title: 'The torus through time', interactive: true, caption: torusCaption(torus),
    label: `Three-dimensional view of the ${recording.run.torus} torus, links coloured by load; ${recording.samples} samples over ${number(recording.end)} cycles, bound ${number(recording.bound)}`,
    height: width => Math.min(600, Math.max(380, width * 0.6)),
    draw: (c, width, height) => drawTorus(c, width, height, torus),
    table: {
      head: ['until cycle', ...recording.over.flatMap(row => [directionName(row.direction) + ' mean, %', directionName(row.direction) + ' busiest, %']), 'a link’s rate, %'],
      rows: () => Array.from({length: recording.samples}, (_, s) => [sampleEnd(recording, s),
        ...recording.over.flatMap(row => [100 * row.mean[s], 100 * row.most[s]]), 100]),
    },
  });
  plot.torus = torus;
  addControls(plot, torus);
  addTurning(plot, torus);
  return plot;
}

function addControls(plot, torus) {
  const last = torus.recording.samples - 1;
  const play = element('button', {type: 'button', id: 'play'}, 'Play');
  const slider = element('input', {type: 'range', id: 'time', min: 0, max: last, step: 1, value: torus.sample, 'aria-label': 'time'});
  const now = element('output', {for: 'time'});
  const direction = element('select', {id: 'direction', 'aria-label': 'links shown'},
    element('option', {value: -1}, 'busier direction'),
    ...Array.from({length: torus.degree}, (_, d) => element('option', {value: d}, directionName(d))));
  const nodes = element('input', {type: 'checkbox', id: 'nodes'});
  nodes.checked = torus.showNodes;
  plot.controls.append(play, slider, now, direction, element('label', {}, nodes, ' FIFOs'));
  torus.show = () => {
    slider.value = Math.floor(torus.sample);
    play.textContent = torus.playing ? 'Pause' : 'Play';
    now.textContent = `cycle ${number(sampleEnd(torus.recording, Math.floor(torus.sample)))} of ${number(torus.recording.end)}`;
    plot.draw();
  };
  torus.toggle = () => {
    torus.playing = !torus.playing;
    if (torus.playing && (torus.sample >= last || !torus.played)) torus.sample = 0;
    torus.played = true;
    torus.show();
    if (torus.playing) playOn(torus, last);
  };
  play.addEventListener('click', torus.toggle);
  slider.addEventListener('input', () => { torus.sample = +slider.value; torus.show(); });
  direction.addEventListener('change', () => { torus.direction = +direction.value; torus.show(); });
  nodes.addEventListener('change', () => { torus.showNodes = nodes.checked; torus.show(); });
  now.textContent = `cycle ${number(sampleEnd(torus.recording, torus.sample))} of ${number(torus.recording.end)}`;
}

function playOn(torus, last) {
  let before = performance.now();
  const frame = now => {
    if (!torus.playing) return;
    torus.sample = Math.min(last, torus.sample + Math.max(0, now - before) / 1000 * (last + 1) / PLAY_SECONDS);
    before = now;
    if (torus.sample >= last) torus.playing = false;
    torus.show();
    if (torus.playing) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function addTurning(plot, torus) {
  let drag = null;
  const {canvas} = plot;
  canvas.style.touchAction = 'pan-y';
  canvas.addEventListener('pointerdown', event => {
    drag = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) return;
    turn(torus, (event.clientX - drag[0]) * 0.008, (event.clientY - drag[1]) * 0.008);
    drag = [event.clientX, event.clientY];
    later(plot);
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { drag = null; });
  canvas.addEventListener('keydown', event => {
    if (!pressed(torus, event.key)) return;
    event.preventDefault();
    later(plot);
  });
}

function turn(torus, yaw, pitch) {
  torus.yaw += yaw;
  torus.pitch = Math.max(-1.57, Math.min(1.57, torus.pitch + pitch));
}

// Whether a key did something.
function pressed(torus, key) {
  const turns = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]};
  const zooms = {'+': 1.15, '=': 1.15, '-': 1 / 1.15};
  if (turns[key]) turn(torus, ...turns[key]);
  else if (zooms[key]) torus.zoom = Math.max(0.3, Math.min(6, torus.zoom * zooms[key]));
  else if (key === ' ') torus.toggle();
  else return false;
  return true;
}

// At most once per frame.
function later(plot) {
  if (plot.waiting) return;
  plot.waiting = true;
  requestAnimationFrame(() => { plot.waiting = false; plot.draw(); });
}
