// The torus through time: its figure, legend and time line.

function torusCaption({recording, cells}) {
  let text = 'Every link, coloured by how busy it is in the interval shown. It first shows the interval in which links differ most. Drag or use the arrow keys to turn, + and - to zoom, space to play.';
  if (recording.extents.length > 3)
    text += ` Shown are X, Y and Z; colours are means over ${DIMENSIONS.slice(3, recording.extents.length).join(', ')}.`;
  if (cells.block > 1) text += ` ${cells.block} nodes of each dimension are drawn as one, with their mean.`;
  return text;
}

function torusFigure(recording, section) {
  const torus = makeTorus(recording);
  const canvas = element('canvas', {role: 'img', tabindex: '0'});
  const key = element('div', {class: 'key'});
  const line = element('div', {class: 'timeline'});
  const plot = figure({
    id: 'torus', section, kind: 'virtual', title: 'The torus through time', caption: torusCaption(torus), canvas,
    draw: width => {
      paint(canvas, width, Math.min(600, Math.max(380, width * 0.6)), (c, w, h) => drawTorus(c, w, h, torus));
      key.replaceChildren(torusKey(width, torus));
      line.replaceChildren(timeLine(width, torus));
    },
    table: {
      head: ['until cycle', ...recording.over.flatMap(row => [directionName(row.direction) + ' mean, %', directionName(row.direction) + ' busiest, %']), 'a link’s rate, %'],
      rows: () => Array.from({length: recording.samples}, (_, s) => [sampleEnd(recording, s),
        ...recording.over.flatMap(row => [100 * row.mean[s], 100 * row.most[s]]), 100]),
    },
  });
  canvas.setAttribute('aria-label', `Three-dimensional view of the ${recording.run.head.torus ?? ''} torus, links coloured by load; ${recording.samples} samples over ${number(recording.end)} cycles, bound ${number(recording.bound)}`);
  plot.place.before(key);
  plot.place.after(line);
  plot.torus = torus;
  plot.stop = () => { torus.playing = false; };
  plot.box.dataset.opened = torus.sample;
  addControls(plot, torus);
  addTurning(plot, torus);
  return plot;
}

// The legend of colours and squares.
function torusKey(width, torus) {
  const beside = width > 640;
  const made = picture(width, beside ? 52 : 92, 'Legend: colours of links, squares of injection FIFOs');
  made.append(loadScale(2, 22, Math.min(300, width - 20), {low: 0, high: 100, bound: 100, text: value => `${number(value)} %`, boundText: 'link busy: all of the time'}));
  if (!torus.showNodes) return made;
  const [x, y] = beside ? [350, 27] : [2, 74];
  const group = svg('g', {class: 'fifo-key'}, words('injection FIFOs', x, y, {kind: 'plain'}));
  let at = x + textWidth('injection FIFOs') + 18;
  for (const [fill, name] of [[0, 'empty'], [0.5, 'half full'], [1, 'full']]) {
    const side = fifoSide(fill, 0.5);
    group.append(svg('rect', {x: at, y: y - side / 2, width: side, height: side, class: 'fifo'}), words(name, at + side + 6, y, {kind: 'plain'}));
    at += side + textWidth(name) + 22;
  }
  made.append(group);
  return made;
}

// The mean load of all links over time, the interval shown, and the bound.
function timeLine(width, torus) {
  const {recording} = torus;
  const height = 46;
  const made = picture(width, height, 'Mean load of the links over time, with the interval shown');
  const most = Math.max(recording.end, recording.bound ?? 0, 1);
  const X = cycles => 2 + (width - 4) * cycles / most;
  const count = sumOf(recording.over.map(row => row.count)) || 1;
  const mean = s => sumOf(recording.over.map(row => row.mean[s] * row.count)) / count;
  const Y = share => height - 2 - (height - 20) * share;
  const steps = Array.from({length: recording.samples}, (_, s) => s).flatMap(s => [[X(s * recording.interval), Y(mean(s))], [X(sampleEnd(recording, s)), Y(mean(s))]]);
  const sample = shownSample(torus);
  const [from, to] = [X(sample * recording.interval), X(sampleEnd(recording, sample))];
  made.append(svg('path', {d: pathOf([[X(0), Y(0)], ...steps, [X(recording.end), Y(0)]]) + 'Z', class: 'load-area'}),
    svg('rect', {x: from, y: 14, width: Math.max(2, to - from), height: height - 16, class: 'now', 'data-from': sample * recording.interval}),
    stroke(X(0), Y(0), X(most), Y(0), 'base'), words('mean load of the links', 2, 6));
  if (recording.bound > 0) made.append(stroke(X(recording.bound), 12, X(recording.bound), height, 'bound'),
    words('bound', X(recording.bound), 6, {anchor: 'end', kind: 'bound'}));
  return made;
}

function timeShown(torus) {
  const {recording} = torus;
  const sample = shownSample(torus);
  return `cycles ${number(sample * recording.interval)} to ${number(sampleEnd(recording, sample))} of ${number(recording.end)}`;
}
