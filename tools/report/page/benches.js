// toroid bench: time or rate against message size, one figure per benchmark and kind of time.

const BENCHES = {
  latency: {title: 'Latency of a message', what: 'one way', time: true},
  alltoall: {title: 'Time of an all-to-all', what: 'per exchange', time: true},
  rate: {title: 'Message rate', key: 'messages_per_s', name: 'messages per second'},
  bw: {title: 'Bandwidth', key: 'bytes_per_s', name: 'MB/s', of: value => value / 1e6},
  bibw: {title: 'Bandwidth in both directions', key: 'bytes_per_s', name: 'MB/s', of: value => value / 1e6},
};
const sizeOf = row => row.bytes ?? row.size;

function benchFigures(benches) {
  const groups = new Map();
  for (const bench of benches) {
    const name = bench.head.bench ?? bench.head.kind ?? 'any';
    const rows = bench.rows.filter(row => sizeOf(row) > 0);
    if (!rows.length) continue;
    const kind = isVirtual(bench.head) ? 'virtual' : 'wall';
    const key = `${name}-${kind}`;
    if (!groups.has(key)) groups.set(key, {name, kind, benches: []});
    groups.get(key).benches.push({...bench, rows});
  }
  for (const [key, group] of groups) benchFigure(key, {...group, benches: relabelled(group.benches)});
}

// An unknown benchmark shows its rate if it has one, otherwise its time.
function benchStyle(name, rows) {
  if (BENCHES[name]) return BENCHES[name];
  const known = rows.some(row => isNumber(row.bytes_per_s)) ? BENCHES.bw : BENCHES.latency;
  return {...known, title: name === 'any' ? 'Benchmark' : `Benchmark ${name}`};
}

function benchFigure(key, {name, kind, benches}) {
  const rows = benches.flatMap(bench => bench.rows);
  const style = benchStyle(name, rows);
  figure({
    id: 'bench-' + key, kind, title: style.title,
    caption: (style.time ? `Median of the batches, ${style.what ?? ''}; the band spans all batches.` : 'Median of the batches.') +
      (rows.some(row => isNumber(boundOf(row, style))) ? ' Dashed: the bound.' : ''),
    label: `${style.title}: ${plural(benches.length, 'curve')} over sizes from ${bytesText(Math.min(...rows.map(sizeOf)))} to ${bytesText(Math.max(...rows.map(sizeOf)))}`,
    draw: (width, label) => drawBench(width, label, benches, style),
    table: {head: ['benchmark', 'bytes', 'time, s', 'least, s', 'most, s', 'messages/s', 'MB/s', 'bound, s', 'iterations'],
      rows: () => benches.flatMap(bench => bench.rows.map(row => [bench.label, sizeOf(row), row.time_s, row.least_s, row.most_s,
        row.messages_per_s, isNumber(row.bytes_per_s) ? row.bytes_per_s / 1e6 : undefined, row.bound_s, row.iterations]))},
  });
}

const figureOf = (row, style) => (style.time ? row.time_s : row[style.key]);
function boundOf(row, style) {
  if (style.time) return row.bound_s;
  return row['bound_' + style.key];
}

function drawBench(width, label, benches, style) {
  const rows = benches.flatMap(bench => bench.rows);
  const values = rows.flatMap(row => [figureOf(row, style), boundOf(row, style), ...(style.time ? [row.least_s, row.most_s] : [])])
      .filter(value => value > 0);
  const unit = style.time ? timeAxis('wall', values.length ? [Math.sqrt(Math.min(...values) * Math.max(...values))] : []) : {name: style.name, of: style.of ?? (value => value)};
  const hasBand = row => style.time && row.least_s > 0 && row.most_s > 0;
  return drawCurves(width, label, {
    x: {kind: 'binary', ...logRange(rows.map(sizeOf), 1.15), name: 'bytes per message', text: bytesText},
    y: {kind: 'log', ...logRange(values.map(unit.of)), name: (style.time ? 'time, ' : '') + unit.name},
    boundName: rows.some(row => boundOf(row, style) > 0) ? 'bound' : '',
    curves: benches.map(bench => ({name: bench.label,
      points: bench.rows.filter(row => figureOf(row, style) > 0).map(row => [sizeOf(row), unit.of(figureOf(row, style))]),
      band: bench.rows.filter(hasBand).map(row => [sizeOf(row), unit.of(row.least_s), unit.of(row.most_s)]),
      bound: bench.rows.filter(row => boundOf(row, style) > 0).map(row => [sizeOf(row), unit.of(boundOf(row, style))])})),
  });
}
