// Curves over an x axis: any number of them, distinguished by colour, marker and dashes.

// x, y: {kind, low, high, name, text}; curves: {name, points: [[x, y, hollow]], second: [[x, y]],
// bound: [[x, y]], band: [[x, least, most]]}; marks: {x | y, name}; secondName, boundName: for the
// legend.
function drawCurves(width, label, {x, y, curves, marks = [], secondName, boundName, hollowName}) {
  const styles = curves.map((_, i) => curveStyle(i));
  const bounds = curves.map(curve => JSON.stringify(curve.bound ?? []));
  const boundsDiffer = new Set(bounds.filter(bound => bound !== '[]')).size > 1;
  const key = curveLegend(width, curves, styles, {secondName, boundName, hollowName, boundsDiffer});
  const left = Math.max(40, marginFor({...y, ...scaleOf(y, 1, 0)}));
  const box = {x: left, y: 28, w: width - left - 22, h: 280};
  const made = picture(width, 0, label);
  const X = scaleOf(x, box.x, box.x + box.w);
  const Y = scaleOf(y, box.y + box.h, box.y);
  made.append(yAxis(box, Y), xAxis(box, X));
  const limits = marks.map(mark => markLine(mark, X, Y, box));
  made.append(...limits.map(([line]) => line));
  const paths = curves.map(curve => JSON.stringify(curve.points));
  curves.forEach((curve, i) => {
    const drawsBound = bounds.indexOf(bounds[i]) === i;  // curves with the same bound share one line
    const hasOwnBound = boundsDiffer && drawsBound && bounds.lastIndexOf(bounds[i]) === i;
    const under = paths.slice(i + 1).filter(path => path === paths[i]).length;
    made.append(curveGroup(curve, {...styles[i], drawsBound, hasOwnBound, under}, X, Y));
  });
  made.append(...limits.map(([, name]) => name));  // names are drawn on top of everything that crosses them
  return closeWith(made, key, box.y + box.h + 56);
}

// Returns [line, its name].
function markLine({x, y, name}, X, Y, box) {
  if (isNumber(x)) return [stroke(X.place(x), box.y, X.place(x), box.y + box.h, 'bound'),
    words(name, X.place(x) - 5, box.y + 9, {anchor: 'end', kind: 'bound'})];
  return [stroke(box.x, Y.place(y), box.x + box.w, Y.place(y), 'bound'), words(name, box.x + 6, Y.place(y) - 9, {kind: 'bound'})];
}

// A curve that others cover exactly is drawn wider than they are.
function curveGroup(curve, style, X, Y) {
  const group = svg('g', {class: 'curve', 'data-name': curve.name});
  const at = points => pathOf(points.filter(([x, y]) => isNumber(x) && isNumber(y)).map(([x, y]) => [X.place(x), Y.place(y)]));
  const bound = at(curve.bound ?? []);
  if (bound && style.drawsBound) group.append(svg('path', {d: bound, class: 'bound', ...(style.hasOwnBound ? {style: `stroke:${style.colour}`} : {})}));
  if (curve.band?.length) group.append(bandOf(curve.band, style.colour, X, Y));
  if (curve.second?.length) group.append(svg('path', {d: at(curve.second), class: 'second', style: `stroke:${style.colour}`}));
  group.append(svg('path', {d: at(curve.points), class: 'first', style: `stroke:${style.colour};stroke-dasharray:${style.dash};stroke-width:${2 + 3 * style.under}`}));
  const radius = 3.4 + 1.8 * style.under;
  if (!curve.plain)
    for (const [x, y, hollow] of curve.points)
      if (isNumber(x) && isNumber(y)) group.append(marker(style.marker, X.place(x), Y.place(y), style.colour, {hollow: !!hollow, radius}));
  if (curve.plain) for (const [x, y] of sparse(curve.points, curve.phase ?? 0)) group.append(marker(style.marker, X.place(x), Y.place(y), style.colour));
  return group;
}

// The points of a long curve that get a marker: about eight, at places that differ between curves.
function sparse(points, phase) {
  const every = Math.max(1, Math.ceil(points.length / 8));
  return points.filter((_, i) => i % every === Math.floor(phase * every) % every);
}

function bandOf(band, colour, X, Y) {
  const up = band.map(([x, , most]) => [X.place(x), Y.place(most)]);
  const down = band.map(([x, least]) => [X.place(x), Y.place(least)]).reverse();
  return svg('path', {d: pathOf([...up, ...down]) + 'Z', class: 'band', style: `fill:${colour}`});
}

function curveLegend(width, curves, styles, {secondName, boundName, hollowName, boundsDiffer}) {
  const sample = style => (x, y) => [svg('line', {x1: x, y1: y, x2: x + 26, y2: y, class: 'first',
    style: `stroke:${style.colour};stroke-dasharray:${style.dash}`}), marker(style.marker, x + 13, y, style.colour)];
  const entries = curves.map((curve, i) => ({name: curve.name, draw: sample(styles[i])}));
  if (secondName) entries.push({name: secondName, draw: dashes('second quiet')});
  if (hollowName) entries.push({name: hollowName, draw: (x, y) => [marker('circle', x + 13, y, 'var(--muted)', {hollow: true})]});
  if (boundName) entries.push({name: boundName + (boundsDiffer ? ', in the colour of its curve unless several curves share it' : ''), draw: dashes('bound')});
  return legend(4, 0, width - 8, entries);
}
