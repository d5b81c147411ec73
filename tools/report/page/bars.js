// Percent of peak: a bar per run, its bound on it.

const MOST_BARS = 400;

// What percent a run would reach that took exactly its bound: less than 100 where something else
// than the hottest link bounds it.
const boundPercent = run => run.bound_cycles > 0 && run.cycles > 0
    ? run.percent_of_peak * run.cycles / run.bound_cycles : 100;

function bars(runs) {
  const shown = runs.slice(0, MOST_BARS);
  const step = 26;
  const best = runs.reduce((a, b) => (b.percent_of_peak > a.percent_of_peak ? b : a));
  const more = runs.length > shown.length ? ` The first ${shown.length}; all are in the table.` : '';
  figure({
    id: 'peak', title: 'Percent of peak',
    caption: 'The hottest link’s time at full rate, over the time taken. Dashed: what a run of exactly its bound would reach.' + more,
    label: `Bar chart of percent of peak for ${runs.length} runs; the best is ${best.name} with ${number(best.percent_of_peak)} percent`,
    height: 36 + step * shown.length,
    draw: (c, width) => drawBars(c, width, shown, step),
    table: {
      head: ['run', '% of peak', 'bound, %', 'cycles', 'bound, cycles', 'hottest link', 'mean link', 'p50', 'p99', 'seed', 'machine', 'file'],
      rows: () => runs.map(r => [r.name, r.percent_of_peak, boundPercent(r), r.cycles, r.bound_cycles, r.max_load, r.mean_load,
        r.latency_p50, r.latency_p99, r.seed === undefined ? '' : String(r.seed), r.machine, r.file]),
    },
  });
}

function drawBars(c, width, runs, step) {
  const names = Math.min(width * 0.4, Math.max(...runs.map(r => c.measureText(r.name).width)) + 12);
  const box = {x: names, w: width - names - 56, y: 4, h: step * runs.length};
  // Ways other than the minimal ones may be faster than those: beyond 100.
  const most = Math.max(100, ...runs.map(r => Math.max(r.percent_of_peak, boundPercent(r))));
  const apart = most > 200 ? 10 ** Math.ceil(Math.log10(most / 10)) : 25;
  const X = percent => box.x + box.w * percent / most;
  for (let value = 0; value <= most; value += apart) {
    line(c, [[X(value), box.y], [X(value), box.y + box.h]], theme.grid);
    text(c, value + ' %', X(value), box.y + box.h + 16, {align: 'center'});
  }
  runs.forEach((run, i) => {
    const y = box.y + i * step;
    text(c, fitted(c, run.name, names - 12), 0, y + step / 2, {colour: theme.ink});
    c.fillStyle = theme.bar;
    c.fillRect(box.x, y + 5, X(run.percent_of_peak) - box.x, step - 10);
    const at = X(boundPercent(run));
    boundLine(c, [[at, y + 1], [at, y + step - 1]]);
    text(c, run.percent_of_peak.toFixed(1), width - 46, y + step / 2, {colour: theme.ink});
  });
}
