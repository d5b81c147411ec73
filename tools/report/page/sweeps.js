// A sweep: latency against offered load, or time against message size or node count.

const AXES = {
  load: {title: 'Latency against offered load', x: {name: 'offered load (1: the bound’s rate)', kind: 'linear'}},
  bytes: {title: 'Time against message size', x: {name: 'bytes per message', kind: 'binary', text: bytesText}},
  nodes: {title: 'Time against node count', x: {name: 'nodes', kind: 'binary', text: number}},
};
const POINT_KEYS = [
  'policy', 'traffic', 'torus', 'bytes', 'fabric', 'machine', 'failed_link', 'link_error', 'seed', 'order', 'routing', 'output_queues',
  'packets_per_visit', 'route', 'threads', 'workers',
];

// The name of a point's curve: the settings in which points differ, except the axis.
function curvesOf(sweep) {
  const hidden = {bytes: ['bytes'], nodes: ['torus', 'nodes'], load: []}[sweep.axis] ?? [];
  const heads = sweep.points.map(point => Object.fromEntries(
      POINT_KEYS.filter(key => !hidden.includes(key) && isKnown(point[key])).map(key => [key, point[key]])));
  const keys = POINT_KEYS.filter(key => new Set(heads.map(head => JSON.stringify(head[key]))).size > 1);
  const groups = new Map();
  sweep.points.forEach((point, i) => {
    const settings = keys.filter(key => key in heads[i]).map(key => settingText(key, heads[i][key])).join(' · ');
    const name = settings || point.series || sweep.label;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(point);
  });
  return [...groups].map(([name, points]) => ({name, points: [...points].sort((a, b) => xOf(sweep, a) - xOf(sweep, b))}));
}

const xOf = (sweep, point) => point.x ?? (sweep.axis === 'load' ? point.offered : point[sweep.axis]);

function sweepFigures(sweeps) {
  sweeps.forEach((sweep, i) => {
    const alike = sweeps.filter(other => other.axis === sweep.axis);
    const labelled = relabelled(alike)[alike.indexOf(sweep)];
    sweepFigure({...labelled, isNamed: alike.length > 1}, i);
  });
}

function sweepFigure(sweep, index) {
  const axis = AXES[sweep.axis];
  if (!axis || !sweep.points.length) return;
  const kind = isVirtual(sweep.head) ? 'virtual' : 'wall';
  const isLoad = sweep.axis === 'load';
  const groups = curvesOf(sweep);
  figure({
    id: 'sweep' + index, kind, title: axis.title + (sweep.isNamed ? `: ${sweep.label}` : ''),
    caption: isLoad
        ? 'Solid: median; dotted: 99th percentile. Hollow: saturated, i.e. much less arrived than was offered, or packets arrived very late. Offered load 1 is the most that the hottest link can carry.'
        : 'With markers: time taken. Dashed: the bound, which no schedule can beat.',
    label: `${axis.title}: ${plural(groups.length, 'curve')}, ${plural(sweep.points.length, 'point')}, the bound beside them`,
    draw: (width, label) => drawSweep(width, label, sweep, groups, kind),
    table: {
      head: ['curve', axis.x.name, 'accepted', 'latency p50', 'latency p99', 'cycles', 'bound, cycles', 'time, s', 'bound, s', '% of bound', '% of peak', 'saturated'],
      rows: () => groups.flatMap(({name, points}) => points.map(p => [name, xOf(sweep, p), p.accepted, p.latency_p50, p.latency_p99, p.cycles,
        p.bound_cycles, p.time_s, p.bound_s, p.percent_of_bound, p.percent_of_peak, isLoad ? (p.saturated ? 'yes' : 'no') : ''])),
    },
  });
}

function drawSweep(width, label, sweep, groups, kind) {
  const isLoad = sweep.axis === 'load';
  const isCycles = kind === 'virtual';
  const [first, other] = isLoad ? ['latency_p50', 'latency_p99'] : isCycles ? ['cycles', 'bound_cycles'] : ['time_s', 'bound_s'];
  const known = sweep.points.flatMap(point => [point[first], point[other]]).filter(isNumber);
  const unit = isLoad ? timeAxis('virtual', known) : timeAxis(kind, known);
  const values = known.map(unit.of);
  const xs = sweep.points.map(point => xOf(sweep, point)).filter(isNumber);
  const x = isLoad ? {...AXES.load.x, low: 0, high: Math.max(1, ...xs) * 1.04} : {...AXES[sweep.axis].x, ...logRange(xs, 1.15)};
  const path = (points, key) => points.filter(point => point[key] > 0).map(point => [xOf(sweep, point), unit.of(point[key]), point.saturated]);
  return drawCurves(width, label, {
    x, y: {kind: 'log', ...logRange(values), name: (isLoad ? 'latency, ' : 'time, ') + unit.name},
    curves: groups.map(({name, points}) => ({name, points: path(points, first),
      ...(isLoad ? {second: path(points, other)} : {bound: path(points, other)})})),
    marks: isLoad ? [{x: 1, name: 'bound'}] : [], secondName: isLoad ? '99th percentile' : '',
    hollowName: isLoad && sweep.points.some(point => point.saturated) ? 'saturated' : '', boundName: 'bound',
  });
}
