// A sweep: latency against offered load, or time against message size or node count.

const AXES = {
  load: {title: 'Latency against offered load', x: 'offered load (1: the bound’s rate)', y: 'cycles'},
  bytes: {title: 'Time against message size', x: 'bytes per message', y: 'cycles'},
  nodes: {title: 'Time against node count', x: 'nodes', y: 'cycles'},
};

function groupBySeries(points) {
  const groups = new Map();
  for (const point of points) {
    if (!groups.has(point.series)) groups.set(point.series, []);
    groups.get(point.series).push(point);
  }
  for (const group of groups.values()) group.sort((a, b) => a.x - b.x);
  return groups;
}

function curves(sweep, index) {
  const axis = AXES[sweep.axis];
  const isLoad = sweep.axis === 'load';
  const groups = groupBySeries(sweep.points);
  figure({
    id: 'sweep' + index, title: axis.title,
    caption: isLoad
        ? 'Solid: median; dotted: 99th percentile. Hollow: saturated, more was offered than got through. Dashed: offered load 1, all that the hottest link can carry.'
        : 'Solid: time taken; dashed: the bound.',
    label: `${axis.title}: ${groups.size} curves, ${sweep.points.length} points, the bound beside them`,
    height: 380,
    draw: (c, width) => drawSweep(c, width, sweep, groups, axis),
    table: {
      head: ['series', axis.x, 'accepted', 'latency p50', 'latency p99', 'cycles', 'bound, cycles', '% of peak', 'saturated'],
      rows: () => sweep.points.map(p => [p.series, p.x, p.accepted, p.latency_p50, p.latency_p99, p.cycles, p.bound_cycles,
        p.percent_of_peak, p.saturated ? 'yes' : 'no']),
    },
  });
}

// Steps of 1 in the exponent: 10^n between two positive values.
function decades(low, high) {
  const values = [];
  for (let e = Math.floor(Math.log10(low)); 10 ** e <= high * 1.001; ++e)
    if (10 ** e >= low * 0.999) values.push(10 ** e);
  return values;
}

function drawSweep(c, width, sweep, groups, axis) {
  const isLoad = sweep.axis === 'load';
  const entries = [...groups.keys()].map((name, i) => ({name: name || 'all', colour: theme.series[i % theme.series.length]}));
  const high = legend(c, 8, 350, width - 16, entries.slice(0, 8)) - 18;
  const box = {x: 60, y: 26, w: width - 84, h: 270 - high};
  const columns = isLoad ? ['latency_p50', 'latency_p99'] : ['cycles', 'bound_cycles'];
  const values = sweep.points.flatMap(p => columns.map(k => p[k])).filter(v => v > 0);
  if (!values.length) return text(c, 'no points', width / 2, 150, {align: 'center'});
  const {X, Y} = sweepAxes(c, box, sweep, axis, values);
  if (isLoad) {
    boundLine(c, [[X(1), box.y], [X(1), box.y + box.h]]);
    text(c, 'bound', X(1) - 5, box.y + 8, {colour: theme.bound, align: 'right'});
  }
  [...groups.values()].forEach((points, i) => {
    const colour = theme.series[i % theme.series.length];
    const path = key => points.filter(p => p[key] > 0).map(p => [X(p.x), Y(p[key])]);
    line(c, path(columns[0]), colour, {width: 2});
    if (isLoad) line(c, path(columns[1]), colour, {width: 1.5, dash: [1, 3]});
    else boundLine(c, path(columns[1]));
    points.forEach(p => dot(c, X(p.x), Y(p[columns[0]]), colour, p.saturated));
  });
}

// y logarithmic; x linear for loads, else logarithmic.
function sweepAxes(c, box, sweep, axis, values) {
  const xs = sweep.points.map(p => p.x);
  const isLoad = sweep.axis === 'load';
  const logarithmic = (low, high, from, to) => v => from + (to - from) * Math.log(v / low) / Math.log(high / low || Math.E);
  const low = Math.min(...values) / 1.2;
  const high = Math.max(...values) * 1.2;
  const Y = logarithmic(low, high, box.y + box.h, box.y);
  const xMost = Math.max(1, ...xs) * 1.04;
  const xLow = Math.min(...xs.filter(x => x > 0)) / 1.1;
  const X = isLoad ? v => box.x + box.w * v / xMost : logarithmic(xLow, Math.max(...xs) * 1.1, box.x, box.x + box.w);
  const marks = decades(low, high);
  for (const value of marks.length > 1 ? marks : [low * 1.2, high / 1.2]) {
    line(c, [[box.x, Y(value)], [box.x + box.w, Y(value)]], theme.grid);
    text(c, brief(value), box.x - 6, Y(value), {align: 'right'});
  }
  for (const value of isLoad ? ticks(xMost, 8) : [...new Set(xs)].slice(0, 12)) {
    line(c, [[X(value), box.y + box.h], [X(value), box.y + box.h + 4]], theme.muted);
    text(c, brief(value), X(value), box.y + box.h + 14, {align: 'center'});
  }
  text(c, axis.x, box.x + box.w, box.y + box.h + 32, {align: 'right'});
  text(c, axis.y, 8, box.y - 14);
  return {X, Y};
}

function dot(c, x, y, colour, hollow) {
  c.beginPath();
  c.arc(x, y, 3.4, 0, 2 * Math.PI);
  c.fillStyle = hollow ? theme.card : colour;
  c.fill();
  c.strokeStyle = colour;
  c.lineWidth = 1.6;
  c.stroke();
}
