// Recordings, unpacked when they are shown.

const DIMENSIONS = ['X', 'Y', 'Z', 'U', 'V', 'W'];
const directionName = d => DIMENSIONS[d >> 1] + '+-'[d & 1];

// Decoded in pieces on this thread: a Blob would have to wait for another process.
async function bytesOf(packed) {
  const inflater = new DecompressionStream('deflate-raw');
  const writer = inflater.writable.getWriter();
  const written = writer.write(Uint8Array.from(atob(packed), letter => letter.charCodeAt(0)));
  const closed = writer.close();
  const pieces = [];
  const reader = inflater.readable.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  await Promise.all([written, closed]);
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  pieces.reduce((at, piece) => (bytes.set(piece, at), at + piece.length), 0);
  return bytes;
}

async function wordsOf(packed) {
  const bytes = await bytesOf(packed);
  const view = new DataView(bytes.buffer);
  return Uint32Array.from({length: bytes.length / 4}, (_, i) => view.getUint32(4 * i, true));
}

// Nodes are numbered in C order: the last dimension is fastest.
function coordinates(rank, extents) {
  const at = new Array(extents.length);
  for (let d = extents.length - 1; d >= 0; --d) {
    at[d] = rank % extents[d];
    rank = Math.floor(rank / extents[d]);
  }
  return at;
}
const coordinateText = at => '(' + at.join(',') + ')';

async function openRecording(run) {
  const r = run.recording;
  const [packets, busyCycles, linkBusy, fifoFill, fifoMean, fifoMost] = await Promise.all([
    wordsOf(r.packets), wordsOf(r.busy_cycles), bytesOf(r.link_busy), bytesOf(r.fifo_fill),
    bytesOf(r.fifo_mean), bytesOf(r.fifo_most)]);
  const levels = {};  // recordings of older versions have none
  for (const name of ['reception', 'queues'])
    if (r[name]) levels[name] = {full: r[name].full, mean: await bytesOf(r[name].mean), most: await bytesOf(r[name].most)};
  const nodes = r.extents.reduce((a, b) => a * b, 1);
  const degree = 2 * r.extents.length;
  const opened = {run, extents: r.extents, wraps: r.wraps, nodes, degree, links: nodes * degree,
    samples: linkBusy.length / (nodes * degree), interval: r.interval_cycles, end: r.end_cycles,
    fifos: r.fifos, fifoChunks: r.fifo_chunks, bound: run.bound, linkBound: linkBound(run) ?? 0,
    packets, values: busyCycles, unit: 'cycles', linkBusy, fifoFill, fifoMean, fifoMost, levels};
  opened.boundText = `bound ${number(opened.linkBound)} cycles`;
  opened.exists = presentLinks(opened);
  opened.over = utilisation(opened);
  return opened;
}

// Packets per link of a run without a recording. Their mean is a bound: with paths of this length
// the hottest link cannot carry less.
async function openLoads(run) {
  const {packets: packed, extents, wraps} = run.loads;
  const packets = await wordsOf(packed);
  const nodes = extents.reduce((a, b) => a * b, 1);
  const degree = 2 * extents.length;
  const opened = {run, extents, wraps, nodes, degree, links: nodes * degree, packets, values: packets, unit: 'packets'};
  opened.exists = presentLinks(opened);
  const count = sumOf(opened.exists);
  opened.linkBound = count ? sumOf(packets.filter((_, l) => opened.exists[l])) / count : 0;
  opened.boundText = `bound ${number(opened.linkBound)} packets, the mean link’s load`;
  opened.over = Array.from({length: degree}, (_, direction) => ({direction, count: sumOf(opened.exists.filter((_, l) => l % degree === direction))}))
      .filter(row => row.count);
  return opened;
}

// 1 for each existing link: none at the edge of a mesh or in a dimension of extent 1.
function presentLinks({extents, wraps, nodes, degree}) {
  const exists = new Uint8Array(nodes * degree);
  const at = new Array(extents.length).fill(0);
  for (let node = 0; node < nodes; ++node) {
    for (let d = 0; d < degree; ++d) {
      const k = extents[d >> 1];
      const edge = at[d >> 1] === (d & 1 ? 0 : k - 1);
      exists[node * degree + d] = k > 1 && (wraps[d >> 1] || !edge) ? 1 : 0;
    }
    for (let d = extents.length - 1; d >= 0 && ++at[d] === extents[d]; --d) at[d] = 0;
  }
  return exists;
}

// Per direction and sample: mean and maximum of the links, 0 to 1.
function utilisation({samples, links, degree, linkBusy, exists}) {
  const count = new Array(degree).fill(0);
  for (let l = 0; l < links; ++l) count[l % degree] += exists[l];
  const rows = Array.from({length: degree}, () => ({mean: [], most: []}));
  for (let s = 0; s < samples; ++s) {
    const sum = new Float64Array(degree);
    const most = new Uint8Array(degree);
    for (let l = 0, d = 0, at = s * links; l < links; ++l, ++at) {
      const busy = linkBusy[at];
      sum[d] += busy;
      if (busy > most[d]) most[d] = busy;
      if (++d === degree) d = 0;
    }
    for (let d = 0; d < degree; ++d) {
      rows[d].mean.push(count[d] ? sum[d] / count[d] / 255 : 0);
      rows[d].most.push(most[d] / 255);
    }
  }
  return rows.map((row, d) => ({...row, direction: d, count: count[d]})).filter(row => row.count);
}

// Standard deviation of the loads of a sample's links, 0 to 1.
function spreadOf({links, linkBusy, exists}, sample) {
  let count = 0, sum = 0, squares = 0;
  for (let l = 0, at = sample * links; l < links; ++l, ++at) {
    if (!exists[l]) continue;
    const busy = linkBusy[at] / 255;
    ++count, sum += busy, squares += busy * busy;
  }
  return count ? Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2)) : 0;
}

// The sample in which the links differ most, because equal loads show nothing. If the links never
// differ, the first of the busiest samples.
function tellingSample(recording) {
  const samples = Array.from({length: recording.samples}, (_, s) => s);
  const spreads = samples.map(s => spreadOf(recording, s));
  const scores = Math.max(...spreads) > 0.01 ? spreads : samples.map(s => sumOf(recording.over.map(row => row.mean[s])));
  return scores.indexOf(Math.max(...scores));
}

// The cycle at which a sample ends.
const sampleEnd = (r, s) => Math.min((s + 1) * r.interval, r.end);
const sampleMiddle = (r, s) => (s * r.interval + sampleEnd(r, s)) / 2;
