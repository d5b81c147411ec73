// The drawn torus: cells of nodes, segments of links, and the loads of each in a sample.

const MOST_SEGMENTS = 20000;

// Groups nodes into cells until there are few enough links to draw. A cell contains all nodes along
// dimensions beyond the third.
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

// Every link once, {from, to: places; plus, minus: index of the value of each direction}. A link
// that closes a ring is drawn as two stubs that leave the torus.
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
  const links = new Float32Array(cells.count * 6);  // number of links in each mean
  const nodes = new Float32Array(cells.count);
  const degree = Math.min(6, recording.degree);
  for (let node = 0; node < recording.nodes; ++node) {
    ++nodes[cells.cellOf[node]];
    for (let d = 0; d < degree; ++d)
      links[cells.cellOf[node] * 6 + d] += recording.exists[node * recording.degree + d];
  }
  return {recording, cells, segments, links, nodes, degree, sample: tellingSample(recording), yaw: 0.62, pitch: 0.42, zoom: 1,
          direction: -1, showNodes: cells.count <= 1000, playing: false,
          values: new Float32Array(cells.count * 6), fill: new Float32Array(cells.count), valuesOf: -1};
}

const shownSample = ({sample, recording}) => Math.min(Math.floor(sample), recording.samples - 1);

// Mean load of each cell's links and FIFOs in the shown sample, 0 to 1.
function readSample(torus) {
  const {recording, cells, degree, values, fill, links, nodes} = torus;
  const sample = shownSample(torus);
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
