// toroid paper: one row per published figure, on an axis of the ratio ours / published.

const isCompared = row => row.seed > 0 && isNumber(row.ours) && row.ours > 0;
const ratioOf = row => row.ratio ?? row.ours / row.seed;

function paperFigures(papers) {
  papers.forEach((paper, i) => {
    if (paper.rows.length) paperFigure(paper, i, papers.length > 1);
    if (paper.curves.length) paperCurves(paper, i, papers.length > 1);
  });
}

function paperFigure(paper, index, isOneOfSeveral) {
  const rows = paper.rows.filter(isCompared);
  const others = paper.rows.length - rows.length;
  figure({
    id: 'paper' + index, kind: isVirtual(paper.head) ? 'virtual' : 'wall',
    title: 'Published and ours' + (isOneOfSeveral ? `: ${paper.label}` : ''),
    caption: 'Dot: our figure divided by the published one. Band: the accepted ratios; a hollow dot is outside the band. Upright line: our bound, if there is one.' +
      (others ? ` ${others === 1 ? 'One figure' : `${others} figures`} without a counterpart ${others === 1 ? 'is' : 'are'} only in the table.` : ''),
    label: `Ratio of our figure to the published one in ${plural(rows.length, 'row')}`,
    draw: (width, label) => drawPaper(width, label, rows),
    table: {head: ['figure', 'section', 'unit', 'published', 'ours', 'ratio', 'bound', 'least ratio', 'most ratio', 'held', 'source', 'note'],
      rows: () => paper.rows.map(row => [row.what, row.section, row.unit, row.seed, row.ours, row.ratio, row.bound,
        row.bar?.least, row.bar?.most, row.bar ? (row.bar.held ? 'yes' : 'no') : '', row.source, row.note])},
  });
}

// The range of the ratios; it always includes 1, the published figure.
function paperRange(rows) {
  const ends = rows.flatMap(row => [ratioOf(row), row.bar?.least, row.bar?.most, row.bound > 0 ? row.bound / row.seed : undefined]).filter(value => value > 0);
  return {low: Math.min(0.8, ...ends) / 1.08, high: Math.max(1.25, ...ends) * 1.08};
}

function drawPaper(width, label, rows) {
  const sections = [...new Set(rows.map(row => row.section))];
  const step = width < 760 ? 40 : 24;
  const head = 28;
  const made = picture(width, 0, label);
  const right = widest(rows.map(paperText)) + 14;
  const left = width < 760 ? 8 : Math.min(width * 0.4, widest(rows.map(row => row.what ?? '')) + 16);
  const box = {x: left, y: 22, w: Math.max(120, width - left - right - 12), h: 6 + sections.length * head + rows.length * step};
  const x = scaleOf({kind: 'log', ...paperRange(rows), name: 'ours / published', text: number}, box.x, box.x + box.w);
  for (const value of x.marks(Math.max(3, box.w / 70))) made.append(stroke(x.place(value), box.y, x.place(value), box.y + box.h, 'grid'));
  made.append(xAxis(box, x), stroke(x.place(1), box.y - 4, x.place(1), box.y + box.h, 'one'), words('published', x.place(1), 8, {anchor: 'middle', kind: 'plain'}),
    words('published → ours', width - 4, 8, {anchor: 'end'}));
  let y = box.y + 2;
  for (const section of sections) {
    made.append(words(section ?? '', 0, y + 14, {kind: 'name', most: left > 100 ? left - 12 : width}));
    y += head;
    for (const row of rows.filter(one => one.section === section)) made.append(paperRow(row, x, box, {y, width, left, step})), y += step;
  }
  const key = legend(0, 0, width, [
    {name: 'ours', draw: (at, row) => [marker('circle', at + 13, row, 'var(--series0)', {radius: 4.5})]},
    {name: 'outside its band', draw: (at, row) => [marker('circle', at + 13, row, 'var(--series1)', {radius: 4.5, hollow: true})]},
    {name: 'band', draw: swatch('range')}, {name: 'bound', draw: (at, row) => boundMark(at + 13, row - 8, row + 8)}]);
  return closeWith(made, key, box.y + box.h + 48);
}

function paperText({seed, ours, unit, ...row}) {
  const figures = unit === 's' ? `${secondsText(seed)} → ${secondsText(ours)}`
                : `${number(seed)} → ${number(ours)}${unit && unit !== 'ratio' ? ' ' + unit : ''}`;
  return `${figures} (×${number(+ratioOf({seed, ours, ...row}).toPrecision(3))})`;
}

function paperRow(row, x, box, {y, width, left, step}) {
  const narrow = step > 30;
  const middle = narrow ? y + 27 : y + step / 2;
  const group = svg('g', {class: 'figure-row', 'data-ratio': ratioOf(row)}, svg('title', {}, `${row.what}: ${paperText(row)}${row.source ? `; ${row.source}` : ''}`));
  group.append(words(row.what ?? '', narrow ? 0 : 4, narrow ? y + 9 : middle, {kind: 'plain', most: narrow ? width : left - 14}),
    words(paperText(row), width - 4, middle, {anchor: 'end', kind: 'plain'}));
  if (row.bar) {  // a side without a limit ends at the edge of the plot
    const least = row.bar.least > 0 ? x.place(row.bar.least) : box.x;
    const most = isNumber(row.bar.most) ? x.place(row.bar.most) : box.x + box.w;
    group.append(svg('rect', {x: least, y: middle - 7, width: most - least, height: 14, rx: 2, class: 'range'}));
  }
  const missed = row.bar && row.bar.held === false;
  group.append(stroke(x.place(1), middle, x.place(ratioOf(row)), middle, 'base'));
  if (row.bound > 0) group.append(...boundMark(x.place(row.bound / row.seed), middle - 9, middle + 9));
  group.append(marker('circle', x.place(ratioOf(row)), middle, `var(--series${missed ? 1 : 0})`, {radius: 4.5, hollow: missed}));
  return group;
}

// The time of the transform against the number of nodes.
function paperCurves(paper, index, isOneOfSeveral) {
  const groups = new Map();
  for (const point of paper.curves) {
    const name = `${point.size}³ ${point.method ?? ''}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(point);
  }
  for (const points of groups.values()) points.sort((a, b) => a.nodes - b.nodes);
  const kind = isVirtual(paper.head) ? 'virtual' : 'wall';
  const unit = timeAxis('wall', [Math.max(...paper.curves.map(point => point.time_s))]);
  figure({
    id: 'paper-curves' + index, kind, title: 'Transform time against node count' + (isOneOfSeveral ? `: ${paper.label}` : ''),
    caption: 'With markers: time of a transform. Dashed: its bound.',
    label: `Time of ${plural(groups.size, 'transform')} against the number of nodes, with bounds`,
    draw: (width, label) => drawCurves(width, label, {
      x: {kind: 'binary', ...logRange(paper.curves.map(point => point.nodes), 1.15), name: 'nodes', text: number},
      y: {kind: 'log', ...logRange(paper.curves.flatMap(point => [point.time_s, point.bound_s]).filter(isNumber).map(unit.of)), name: `time, ${unit.name}`},
      boundName: 'bound',
      curves: [...groups].map(([name, points]) => ({name, points: points.map(point => [point.nodes, unit.of(point.time_s)]),
        bound: points.filter(point => point.bound_s > 0).map(point => [point.nodes, unit.of(point.bound_s)])}))}),
    table: {head: ['transform', 'method', 'nodes', 'torus', 'time, s', 'bound, s', 'speed-up'],
      rows: () => paper.curves.map(point => [`${point.size}³`, point.method, point.nodes, point.torus, point.time_s, point.bound_s, point.speedup])},
  });
}
