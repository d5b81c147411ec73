// The phases of a transform: the exchange beside its bound, and computing.

const MOST_PHASED = 12;  // runs in one picture

function phaseFigures(runs, isNamed) {
  for (const kind of Object.keys(TIME_KINDS)) {
    const these = runs.filter(run => run.kind === kind && run.phases.length);
    if (these.length) phaseFigure(kind, these, isNamed);
  }
}

// Cycles or seconds, depending on the kind of time.
function phaseOf(phase, kind) {
  const unit = kind === 'virtual' ? 'cycles' : 's';
  const take = key => phase[`${key}_${unit}`];
  const time = kind === 'virtual' ? phase.cycles : phase.time_s;
  const exchange = take('exchange');
  const bound = take('exchange_bound');
  const percent = phase.percent_of_bound ?? (bound > 0 && exchange > 0 ? 100 * bound / exchange : undefined);
  return {name: phase.name ?? '', overlap: take('overlap') ?? 0, time: time ?? exchange ?? 0, exchange, bound, percent, boundBy: phase.bound_by, packets: phase.packets};
}

// Each phase begins when the previous one has ended on all nodes; its exchange may begin earlier.
function inTurn(phases) {
  let end = 0;
  return phases.map(phase => {
    const begin = end;
    end += phase.time;
    return {...phase, begin: begin - phase.overlap, end};
  });
}

function phaseFigure(kind, runs, isNamed) {
  const shown = runs.slice(0, MOST_PHASED).map(run => ({run, phases: inTurn(run.phases.map(phase => phaseOf(phase, kind)))}));
  const unit = kind === 'virtual' ? 'cycles' : 's';
  figure({
    id: 'phases-' + kind, kind, title: 'Phases against their bounds',
    caption: 'Time runs from left to right: each phase exchanges data and then computes on it. Upright line: where the exchange would end if it took only its bound. Above the bar: the exchange’s percentage of the bound, and what sets the bound.' +
      (shown.some(({phases}) => phases.some(phase => phase.overlap > 0)) ? ' Nodes that finish early begin the next exchange before all others have ended the phase, so bars overlap.' : '') +
      (runs.length > shown.length ? ` Shown are the first ${shown.length} of ${runs.length} runs; all are in the table.` : ''),
    label: `Bars of exchange and computing per phase for ${plural(runs.length, 'run')}, with the exchange’s bound`,
    draw: (width, label) => drawPhases(width, label, shown, kind, isNamed),
    table: {
      head: ['run', 'phase', `time, ${unit}`, `exchange, ${unit}`, `bound of the exchange, ${unit}`, `overlap with the phases before, ${unit}`, '% of bound', 'bound by', 'packets'],
      rows: () => runs.flatMap(run => run.phases.map(phase => phaseOf(phase, kind)).map(
          p => [run.label, p.name, p.time, p.exchange, p.bound, p.overlap, p.percent, p.boundBy, p.packets])),
    },
  });
}

function phaseWords(phase, kind) {
  if (!isNumber(phase.exchange)) return timeText({kind}, phase.time);
  if (phase.exchange === 0) return `${timeText({kind}, phase.time)}, no exchange`;
  const share = isNumber(phase.percent) ? `exchange ${percentText(phase.percent)} of ${boundName(phase) ? `the ${boundName(phase)} ` : 'its '}bound` : '';
  return [timeText({kind}, phase.time), share].filter(isKnown).join(' · ');
}

function drawPhases(width, label, shown, kind, isNamed) {
  const step = 42;
  const rows = sumOf(shown.map(({phases}) => phases.length));
  const heads = isNamed ? 24 * shown.length : 0;
  const made = picture(width, 0, label);
  const values = shown.flatMap(({phases}) => phases.flatMap(phase => [phase.end, phase.begin + (phase.exchange ?? 0), phase.begin + (phase.bound ?? 0)]));
  const axis = timeAxis(kind, values);
  const most = Math.max(...values.filter(isNumber).map(axis.of), 1e-12);
  const box = {x: 1, y: 6, w: width - 22, h: rows * step + heads};
  const x = scaleOf({kind: 'linear', low: 0, high: most * 1.02, name: axis.name}, box.x, box.x + box.w);
  for (const value of x.marks(6)) made.append(stroke(x.place(value), box.y, x.place(value), box.y + box.h, 'grid'));
  made.append(xAxis(box, x));
  let y = box.y;
  for (const {run, phases} of shown) {
    if (isNamed) made.append(words(run.label, 0, y + 14, {kind: 'name', most: width})), y += 24;
    for (const phase of phases) made.append(phaseRow(phase, kind, value => x.place(axis.of(value)), y, width)), y += step;
  }
  const key = legend(0, 0, width, [{name: 'exchange', draw: swatch('bar')}, {name: 'computing', draw: swatch('computing')},
    {name: 'bound of the exchange', draw: (at, row) => boundMark(at + 13, row - 8, row + 8)}]);
  return closeWith(made, key, box.y + box.h + 48);
}

function phaseRow(phase, kind, place, y, width) {
  const right = phaseWords(phase, kind);
  const group = svg('g', {class: 'phase', 'data-phase': phase.name},
    words(phase.name, 0, y + 10, {kind: 'plain', most: width - textWidth(right) - 40}), words(right, width - 20, y + 10, {anchor: 'end', kind: 'plain'}));
  const exchanged = phase.begin + (phase.exchange ?? 0);
  const [from, middle, end] = [phase.begin, exchanged, Math.max(phase.end, exchanged)].map(place);
  group.append(svg('rect', {x: from, y: y + 20, width: Math.max(0, middle - from), height: 14, class: 'bar'}),
    svg('rect', {x: middle, y: y + 20, width: Math.max(0, end - middle), height: 14, class: 'computing'}));
  if (isNumber(phase.bound) && phase.bound > 0) group.append(...boundMark(place(phase.begin + phase.bound), y + 18, y + 37));
  return group;
}
