// Plots over the time of a run: link use, injection FIFOs, reception FIFOs, output queues.

function overTime(recording, section, {id, title, caption, label, series, most, yName, limitName, table}) {
  return figure({
    id, section, kind: 'virtual', title, caption, label, table,
    draw: (width, text) => drawCurves(width, text, {
      x: {kind: 'linear', low: 0, high: Math.max(recording.end, recording.bound ?? 0) * 1.02, name: 'cycles'},
      y: {kind: 'linear', low: 0, high: most * 1.08, name: yName},
      curves: series.map(({name, mean, top}, i) => ({name, plain: true, phase: i / series.length,
        points: mean.map((value, s) => [sampleMiddle(recording, s), value]), second: top.map((value, s) => [sampleMiddle(recording, s), value])})),
      marks: [{y: most, name: limitName}, ...(recording.bound > 0 ? [{x: recording.bound, name: 'bound'}] : [])],
      secondName: 'maximum', boundName: 'limits',
    }),
  });
}

function linksOverTime(recording, section) {
  const series = recording.over.map(row => ({
    name: directionName(row.direction), mean: row.mean.map(v => 100 * v), top: row.most.map(v => 100 * v)}));
  overTime(recording, section, {
    id: 'links', title: 'Links in use over time', series, most: 100, yName: '% of the time busy', limitName: 'a link’s rate',
    caption: 'With markers: mean of the links of a direction; dotted: the busiest of them. Dashed: a link’s full rate, and the bound that no schedule can beat.',
    label: `Link use of ${recording.run.label} over ${number(recording.end)} cycles, per direction, with the bound at ${number(recording.bound)} cycles`,
    table: {
      head: ['until cycle', ...series.flatMap(s => [s.name + ' mean, %', s.name + ' most, %'])],
      rows: () => series.length === 0 ? [] : series[0].mean.map(
          (_, s) => [sampleEnd(recording, s), ...series.flatMap(one => [one.mean[s], one.top[s]])]),
    },
  });
}

function fifosOverTime(recording, section) {
  const chunks = recording.fifoChunks;
  const column = (bytes, f) => Array.from({length: recording.samples}, (_, s) => bytes[s * recording.fifos + f] / 255 * chunks);
  const series = Array.from({length: recording.fifos}, (_, f) => (
      {name: 'FIFO ' + f, mean: column(recording.fifoMean, f), top: column(recording.fifoMost, f)}));
  overTime(recording, section, {
    id: 'fifos', title: 'Injection FIFOs over time', series, most: chunks, yName: 'chunks of 32 B', limitName: 'full',
    caption: 'With markers: mean over the nodes; dotted: the fullest node’s. Dashed: capacity, and the bound that no schedule can beat.',
    label: `Occupancy of ${recording.fifos} injection FIFOs of ${recording.run.label} over time, with their capacity of ${chunks} chunks and the bound`,
    table: {
      head: ['until cycle', ...series.flatMap(s => [s.name + ' mean', s.name + ' most'])],
      rows: () => Array.from({length: recording.samples}, (_, s) => [
        sampleEnd(recording, s), ...series.flatMap(one => [one.mean[s], one.top[s]])]),
    },
  });
}

// What nodes hold in one kind of place: the mean over the nodes, and the node that holds most.
function levelOverTime(recording, section, level, {id, title, name, yName, limitName, what}) {
  if (!level) return null;
  const values = bytes => Array.from(bytes, byte => byte / 255 * level.full);
  const mean = values(level.mean), top = values(level.most);
  return overTime(recording, section, {
    id, title, series: [{name, mean, top}], most: level.full, yName, limitName,
    caption: `With markers: mean over the nodes; dotted: the node that holds most. Dashed: ${limitName}, and the bound that no schedule can beat.`,
    label: `${what} of ${recording.run.label} over time, mean and most of a node, with the bound`,
    table: {
      head: ['until cycle', name + ' mean', name + ' most'],
      rows: () => mean.map((value, s) => [sampleEnd(recording, s), value, top[s]]),
    },
  });
}

const receptionOverTime = (recording, section) => levelOverTime(recording, section, recording.levels.reception, {
  id: 'reception', title: 'Reception FIFOs over time', name: 'reception', yName: 'chunks of 32 B', limitName: 'full',
  what: 'Chunks in reception FIFOs'});
const queuesOverTime = (recording, section) => levelOverTime(recording, section, recording.levels.queues, {
  id: 'queues', title: 'Output queues over time', name: 'queues', yName: 'packets', limitName: 'most',
  what: 'Packets in output queues'});
