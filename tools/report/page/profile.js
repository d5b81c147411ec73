// Where time went in the patent's flowcharts: how turns of FIG. 10 ended, and what FIG. 9 waited
// for.

// How a turn of drain can end; the first entry is the remainder after the others.
const TURN_ENDS = [
  {key: 'moving', kind: 'bar', name: 'moved all, or the limit of a turn'},
  {key: 'idle_turns', kind: 'computing', name: 'idle: all queues empty (1004)'},
  {key: 'stuck_turns', kind: 'turn-stuck', name: 'stuck: room, but not for any head (1012)'},
  {key: 'full_turns', kind: 'turn-full', name: 'full: no FIFO had room (1012)'},
];

const ratio = (part, whole) => (whole > 0 && isNumber(part) ? part / whole : undefined);

// Percentages of the turns, and means of the counts at turns that ended stuck.
function profileOf(run) {
  const {fill, drain} = run.profile;
  const ended = ['idle_turns', 'stuck_turns', 'full_turns'];
  const counts = {...drain, moving: drain.turns - sumOf(ended.map(key => drain[key] ?? 0))};
  const shares = Object.fromEntries(TURN_ENDS.map(({key}) => [key, 100 * (ratio(counts[key], drain.turns) ?? 0)]));
  const directions = Object.entries(drain.stuck_on ?? {}).sort((a, b) => b[1] - a[1]);
  return {run, fill, drain, shares, directions, most: directions.find(([, heads]) => heads > 0),
          heads: ratio(drain.stuck_heads, drain.stuck_turns), skipped: ratio(drain.skipped_queues, drain.stuck_turns)};
}

function profileFigures(runs) {
  for (const kind of Object.keys(TIME_KINDS)) {
    const these = runs.filter(run => run.kind === kind && run.profile?.fill && run.profile?.drain?.turns > 0);
    if (these.length) profileFigure(kind, these.map(profileOf));
  }
}

function profileFigure(kind, profiles) {
  const shown = profiles.slice(0, MOST_BARS);
  const more = profiles.length > shown.length ? ` Shown are the first ${shown.length} runs; all are in the table.` : '';
  figure({
    id: 'profile-' + kind, kind, title: 'Where the time went in the patent’s FIG. 9 and 10',
    caption: 'Bar: the turns in which nodes drained their output queues (FIG. 10), by how they ended; the numbers are the patent’s steps. Idle: nothing to send. ' +
      'Stuck: an injection FIFO had room, but no queue’s head could use it: more queues or another order may help. Full: the network accepts no more packets. ' +
      'The table also shows how often filling the queues (FIG. 9) found no room.' + more,
    label: `Stacked bars of how the turns of drain ended, for ${plural(profiles.length, 'run')}`,
    draw: (width, label) => drawProfiles(width, label, shown),
    table: {
      head: ['run', 'turns', 'idle, %', 'stuck, %', 'full, %', 'stuck heads per stuck turn', 'empty queues per stuck turn', 'heads stuck on each direction',
             'packets moved', 'rounds', 'visits', 'empty visits', 'packets filled', 'stops of fill: no room', 'stops of fill: throttle'],
      rows: () => profiles.map(({run, fill, drain, shares, heads, skipped, directions}) => [run.label, drain.turns, shares.idle_turns, shares.stuck_turns,
        shares.full_turns, heads, skipped, directions.map(([name, count]) => `${name} ${number(count)}`).join(', '), drain.packets, fill.rounds,
        fill.visits, fill.empty_visits, fill.packets, fill.stops, fill.held_back]),
    },
  });
}

function profileWords({shares, heads, most}) {
  const said = [`stuck ${percentText(shares.stuck_turns)}`, `full ${percentText(shares.full_turns)}`, `idle ${percentText(shares.idle_turns)}`];
  if (isNumber(heads)) said.push(`${number(+heads.toPrecision(3))} stuck heads a time` + (most ? `, most for ${most[0]}` : ''));
  return said;
}

function drawProfiles(width, label, profiles) {
  const step = 42;
  const made = picture(width, 0, label);
  const box = {x: 1, y: 6, w: width - 26, h: step * profiles.length};
  const x = scaleOf({kind: 'linear', low: 0, high: 100, name: '% of the turns', text: value => `${number(value)} %`}, box.x, box.x + box.w);
  for (const value of x.marks(width < 600 ? 4 : 5)) made.append(stroke(x.place(value), box.y, x.place(value), box.y + box.h, 'grid'));
  made.append(xAxis(box, {...x, marks: () => linearTicks(0, 100, width < 600 ? 4 : 5)}));
  profiles.forEach((profile, i) => made.append(profileRow(profile, x, box.y + i * step, width)));
  return closeWith(made, legend(0, 0, width, TURN_ENDS.map(({name, kind}) => ({name, draw: swatch(kind)}))), box.y + box.h + 48);
}

function profileRow(profile, x, y, width) {
  const right = profileWords(profile).slice(0, width >= 640 ? 4 : 2).join(' · ');
  const group = svg('g', {class: 'profile'},
    words(profile.run.label, 0, y + 10, {kind: 'name', most: width - textWidth(right) - 44}), words(right, width - 26, y + 10, {anchor: 'end', kind: 'plain'}));
  let from = 0;
  for (const {key, kind, name} of TURN_ENDS) {
    const share = profile.shares[key];
    group.append(svg('rect', {x: x.place(from), y: y + 20, width: Math.max(0, x.place(from + share) - x.place(from)), height: 14, class: kind, 'data-share': share},
      svg('title', {}, `${name}: ${percentText(share)} of the turns`)));
    from += share;
  }
  return group;
}
