// With #selftest the page inspects itself as a reader would, and reports what it sees.

const nextFrame = () => new Promise(resolve => requestAnimationFrame(resolve));
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const textOf = node => node.firstChild?.textContent ?? '';  // the visible part of a shortened text

// Fraction of a canvas's pixels that are not background, and a checksum of all pixels.
function inkOf(canvas) {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let drawn = 0, sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    const differs = data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 2] !== data[2];
    drawn += differs ? 1 : 0;
    sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) % 1000000007;
  }
  return {share: drawn / (data.length / 4), sum};
}

// Colours that cover more than a hundredth of the drawing.
function coloursOf(canvas) {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const colour = `rgb(${data[i]},${data[i + 1]},${data[i + 2]})`;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const background = `rgb(${data[0]},${data[1]},${data[2]})`;
  counts.delete(background);
  const drawn = sumOf([...counts.values()]);
  return [...counts].filter(([, count]) => count > drawn / 100).map(([colour]) => colour);
}

// Texts of a picture that overlap, or extend beyond it by more than a pixel.
function illegible(picture) {
  const frame = picture.getBoundingClientRect();
  const boxes = all('text', picture).map(text => ({text: textOf(text), box: text.getBoundingClientRect()})).filter(one => one.box.width > 0);
  const bad = boxes.filter(({box}) => box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      .map(({text}) => 'outside: ' + text);
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (across > 0.5 && down > 3) bad.push(`overlap: ${a.text} | ${b.text}`);
  }));
  return bad;
}

const BROKEN = /NaN|undefined|Infinity|null|\[object/;
function brokenIn(box) {
  return all('*', box).flatMap(node => [...node.attributes].filter(({name, value}) => name !== 'href' && name !== 'id' && BROKEN.test(value)).map(({name, value}) => `${node.nodeName} ${name}=${value}`))
      .concat(all('text, td, figcaption, h2', box).map(textOf).filter(text => BROKEN.test(text)));
}

function lookAt(plot) {
  const curves = all('.curve', plot.box).map(curve => {
    const path = curve.querySelector('path.first');
    const style = getComputedStyle(path);
    return {name: curve.dataset.name, colour: style.stroke, dash: style.strokeDasharray, marker: curve.querySelector('.marker')?.dataset.shape ?? ''};
  });
  return {
    kind: plot.box.dataset.timeKind ?? '', badge: plot.box.querySelector('.badge')?.textContent ?? '',
    shapes: all('svg line, svg path, svg rect, svg image', plot.box).length,
    ink: plot.canvas ? inkOf(plot.canvas).share : 0,
    names: all('text.name', plot.box).map(textOf), texts: all('text.plain', plot.box).map(textOf),
    ticks: all('text.tick', plot.box).map(textOf),
    images: all('image[data-pixels]', plot.box).map(image => image.dataset.pixels.split(' ').map(Number)),
    profiles: all('.profile', plot.box).map(profile => all('rect', profile).map(bar => +bar.dataset.share)),
    phases: all('.phase', plot.box).map(phase => all('rect', phase).map(bar => [bar.x.baseVal.value, bar.width.baseVal.value])),
    axes: all('.axis', plot.box).map(axis => ({scale: axis.dataset.scale, marks: all('text.tick', axis).map(textOf)})),
    curves, illegible: all('svg', plot.box).flatMap(illegible), broken: brokenIn(plot.box),
    caption: plot.box.querySelector('figcaption').textContent,
  };
}

// The scale of loads on the screen: the position of its mark as a fraction of its ramp.
function scaleSeen(box) {
  const scale = box.querySelector('.load-scale');
  const ramp = scale.querySelector('.ramp').getBoundingClientRect();
  const mark = scale.querySelector('line.bound').getBoundingClientRect();
  const {low, high, bound} = scale.dataset;
  return {low: +low, high: +high, bound: +bound, mark: (mark.left - ramp.left) / ramp.width, texts: all('text', scale).map(textOf)};
}

async function playTorus(plot) {
  const {torus, canvas} = plot;
  const press = key => canvas.dispatchEvent(new KeyboardEvent('keydown', {key}));
  const seen = {opened: +plot.box.dataset.opened, now: document.getElementById('now').textContent,
    spreads: Array.from({length: torus.recording.samples}, (_, s) => +spreadOf(torus.recording, s).toFixed(6)),
    key: all('.fifo-key text', plot.box).map(textOf)};
  const still = inkOf(canvas).sum;
  document.getElementById('play').click();
  for (let i = 0; i < 300 && torus.sample < 2; ++i) await nextFrame();
  if (torus.playing) document.getElementById('play').click();
  const played = inkOf(canvas).sum;
  press('ArrowLeft');
  await nextFrame();
  await nextFrame();
  return {...seen, plays: played !== still, turns: inkOf(canvas).sum !== played, ...evenLoad(torus)};
}

// The colours of a torus whose links are all equally busy. There must be only one colour, near and
// far.
function evenLoad(torus) {
  const recording = {...torus.recording, linkBusy: new Uint8Array(torus.recording.linkBusy.length).fill(128)};
  const canvas = document.createElement('canvas');
  const even = {...makeTorus(recording), showNodes: false};
  paint(canvas, 800, 500, (c, w, h) => drawTorus(c, w, h, even, false));
  return {evenColours: coloursOf(canvas)};
}

async function selfTest() {
  const outcome = {plots: {}, title: document.getElementById('title').textContent, summary: document.getElementById('summary').textContent,
    common: Object.fromEntries(all('#common dl').map(line => [line.dataset.of,
      Object.fromEntries(all('div', line).map(pair => [pair.children[0].textContent, pair.children[1].textContent]))])),
    origins: all('.origin').map(origin => origin.textContent), made: document.getElementById('made').textContent};
  for (const plot of plots) outcome.plots[plot.id] = lookAt(plot);
  const torus = plots.find(plot => plot.torus);
  if (torus) outcome.torus = await playTorus(torus);
  const heat = plots.find(plot => plot.id === 'heat');
  if (heat) {
    outcome.scale = scaleSeen(heat.box);
    heat.place.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
    outcome.heat = heat.readout.textContent;
  }
  for (const details of all('details')) details.open = true;
  await nextFrame();
  await nextFrame();
  outcome.tables = all('tbody tr').length;
  outcome.wide = root.scrollWidth > root.clientWidth;
  return outcome;
}
