// How close each run comes to its bound: one bar per run, one figure per kind of time.

const MOST_BARS = 400;

function boundFigures(runs) {
  for (const kind of Object.keys(TIME_KINDS)) {
    const these = runs.filter(run => run.kind === kind && isNumber(run.percent));
    if (these.length) boundFigure(kind, these);
  }
}

function boundFigure(kind, runs) {
  const shown = runs.slice(0, MOST_BARS);
  const best = runs.reduce((a, b) => (b.percent > a.percent ? b : a));
  const more = runs.length > shown.length ? ` Shown are the first ${shown.length} runs; all are in the table.` : '';
  figure({
    id: 'bound-' + kind, kind, title: runs.length > 1 ? 'How close to the bound' : 'Time against its bound',
    caption: (kind === 'virtual'
      ? 'Bar: the tightest lower bound divided by the time taken; no schedule exceeds 100 %. Diamond: the time that the hottest link needs at its full rate, divided by the time taken.'
      : 'Bar: the least time that copying into and out of packets takes on this host, divided by the time taken.') + more,
    label: `Bar chart of percent of the bound for ${plural(runs.length, 'run')}, ${TIME_KINDS[kind].badge}; the best is ${best.label} with ${percentText(best.percent)}`,
    draw: (width, label) => drawBars(width, label, shown, kind),
    table: {
      head: ['run', '% of bound', 'bound by', kind === 'virtual' ? 'cycles' : 'time, s', kind === 'virtual' ? 'bound, cycles' : 'bound, s',
             'hottest link, % of peak', 'hottest link', 'mean link', 'p50', 'p99', 'seed', 'machine', 'file'],
      rows: () => runs.map(({label, percent, boundBy, time, bound, peak, head}) => [label, percent, boundBy, time, bound, peak,
        head.max_load, head.mean_load, head.latency_p50, head.latency_p99, isKnown(head.seed) ? String(head.seed) : '', head.machine, head.file]),
    },
  });
}

const percentWords = run => percentText(run.percent) + (boundName(run) ? ` of the ${boundName(run)} bound` : ' of the bound');
const againstWords = run => `${timeText(run, run.time)}, bound ${timeText(run, run.bound)}`;

// A line of text above each bar, because labels are long and windows may be narrow.
function drawBars(width, label, runs, kind) {
  const step = runs.length > 12 ? 35 : 46;
  const top = 20;
  const made = picture(width, 0, label);
  // The peak assumes shortest paths; detours may beat it, so values may exceed 100.
  const most = Math.max(100, ...runs.map(run => Math.max(run.percent, run.peak ?? 0)));
  const box = {x: 1, y: top, w: width - 26, h: step * runs.length};
  const x = scaleOf({kind: 'linear', low: 0, high: most, name: '% of the bound', text: value => `${number(value)} %`}, box.x, box.x + box.w);
  for (const value of x.marks(width < 600 ? 4 : 5)) made.append(stroke(x.place(value), top, x.place(value), top + box.h, 'grid'));
  made.append(xAxis(box, {...x, marks: () => linearTicks(0, most, width < 600 ? 4 : 5)}));
  runs.forEach((run, i) => made.append(barOf(run, x, top + i * step, width, step)));
  made.append(stroke(x.place(100), top - 4, x.place(100), top + box.h, 'bound'), words('bound', x.place(100), 8, {anchor: 'end', kind: 'bound'}));
  const entries = [{name: 'bound / time', draw: swatch('bar')}];
  if (runs.some(run => isNumber(run.peak)))
    entries.push({name: 'hottest link’s share', draw: (at, y) => [marker('diamond', at + 13, y, 'var(--ink)', {hollow: true})]});
  return closeWith(made, legend(0, 0, width, entries), top + box.h + 48);
}

function barOf(run, x, y, width, step) {
  const tall = step - 28;  // below the text, with some space
  const against = againstWords(run);
  const share = percentWords(run);
  const right = width >= 640 ? `${share}  ·  ${against}` : share;
  const group = svg('g', {class: 'run'});
  const name = words(run.label, 0, y + 11, {kind: 'name', most: x.place(100) - textWidth(right) - 28});
  const from = x.place(0);
  group.append(name, words(right, x.place(100) - 8, y + 11, {anchor: 'end', kind: 'plain'}),
    svg('rect', {x: from, y: y + 21, width: Math.max(1, x.place(run.percent) - from), height: Math.min(16, tall + 3), class: 'bar', 'data-percent': run.percent}));
  if (isNumber(run.peak)) group.append(marker('diamond', x.place(run.peak), y + 21 + Math.min(16, tall + 3) / 2, 'var(--ink)', {hollow: true, radius: 3.6}));
  group.append(svg('title', {}, `${run.label}: ${share}; ${against}`));
  return group;
}
