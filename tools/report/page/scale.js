// Scales and axes: from values to pixels, with enough marks to read the values between them.

// Round steps from `low` to `high`, about `count` of them.
function linearTicks(low, high, count = 5) {
  if (!(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))) return [low];
  const rough = (high - low) / Math.max(1, count) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) values.push(+(i * step).toPrecision(12));
  return values;
}

const LADDERS = [[1, 2, 5], [1, 3], [1]];
const FINE = [1, 1.5, 2, 3, 5, 7];

// Every `every`-th decade, with the steps of `ladder` in each.
function ladderTicks(low, high, ladder, every = 1) {
  const values = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high) + 1e-9; ++e)
    if (e % every === 0)
      for (const step of ladder) {
        const value = +(step * 10 ** e).toPrecision(6);
        if (value >= low * 0.9999 && value <= high * 1.0001) values.push(value);
      }
  return values;
}

// At least 3 marks, and at most about `most` if possible: decades if the axis has three of them,
// otherwise steps of 1-2-5 or 1-3, or finer steps if these give fewer than 3 marks.
function logTicks(low, high, most = 8) {
  if (high / low < 4) return evenTicks(low, high, most);
  const coarse = LADDERS.slice(high / low >= 1000 ? 2 : 0);
  const choices = coarse.map(ladder => ladderTicks(low, high, ladder));
  for (const every of [2, 3, 5, 10]) choices.push(ladderTicks(low, high, [1], every));
  const fit = choices.find(ticks => ticks.length >= 3 && ticks.length <= Math.max(3, most));
  if (fit) return fit;
  const enough = choices.filter(ticks => ticks.length >= 3).sort((a, b) => a.length - b.length);
  return enough[0] ?? ladderTicks(low, high, FINE);
}

// On a short logarithmic axis, equal steps are rounder than equal ratios.
function evenTicks(low, high, most) {
  let ticks = [];
  for (let count = Math.max(3, Math.min(most - 2, 6)); ticks.length < 3 && count < 30; ++count) ticks = linearTicks(low, high, count);
  return ticks;
}

// Powers of two, for bytes and nodes.
function binaryTicks(low, high, most = 8) {
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const every = Math.ceil((last - first + 1) / Math.max(3, most));
  const values = [];
  for (let e = first; e <= last; e += every) values.push(2 ** e);
  return values.length >= 3 ? values : logTicks(low, high, most);
}

// {kind: linear|log|binary, low, high, name, text(value)} over pixels from..to
function scaleOf(axis, from, to) {
  const {kind, low, high} = axis;
  const place = kind === 'linear'
    ? v => from + (to - from) * (v - low) / (high - low || 1)
    : v => from + (to - from) * Math.log(v / low) / Math.log(high / low);
  const marks = {linear: (count) => linearTicks(low, high, count), log: count => logTicks(low, high, count),
                 binary: count => binaryTicks(low, high, count)}[kind];
  return {...axis, place, marks, text: axis.text ?? brief};
}

// The range of a logarithmic axis around values; its width is never zero.
function logRange(values, slack = 1.2) {
  const known = values.filter(value => value > 0);
  if (!known.length) return {low: 1, high: 10};
  return {low: Math.min(...known) / slack, high: Math.max(...known) * slack};
}

function yAxis(box, scale) {
  const group = svg('g', {class: 'axis', 'data-scale': scale.kind});
  const marks = scale.marks(Math.max(3, Math.floor(box.h / 34)));
  for (const value of marks) {
    const y = scale.place(value);
    group.append(stroke(box.x, y, box.x + box.w, y, 'grid'), words(scale.text(value), box.x - 7, y, {anchor: 'end', kind: 'tick'}));
  }
  group.append(words(scale.name, 0, box.y - 16));
  return group;
}

// Labels that would touch the previous one are left out.
function xAxis(box, scale) {
  const group = svg('g', {class: 'axis', 'data-scale': scale.kind});
  const y = box.y + box.h;
  group.append(stroke(box.x, y, box.x + box.w, y, 'base'));
  let free = -Infinity;
  for (const value of scale.marks(Math.max(4, Math.floor(box.w / 90)))) {
    const x = scale.place(value);
    const wide = textWidth(scale.text(value)) / 2;
    group.append(stroke(x, y, x, y + 4, 'base'));
    if (x - wide < free) continue;
    free = x + wide + 8;
    group.append(words(scale.text(value), Math.max(x, wide), y + 14, {anchor: 'middle', kind: 'tick'}));
  }
  group.append(words(scale.name, box.x + box.w, y + 33, {anchor: 'end'}));
  return group;
}

// The space for the marks of an axis to the left of a plot.
const marginFor = scale => widest(scale.marks(12).map(scale.text)) + 12;
