// The page: which plots there are, and when it is ready. Its state stands in the document element's
// data attributes: errors, ready (milliseconds since navigation), and after #selftest its outcome.

// A browser without a screen draws no frames while its time is virtual: the self-test makes its own.
if (location.hash === '#selftest')
  window.requestAnimationFrame = frame => setTimeout(() => frame(performance.now()), 16);

function summaryOf(data) {
  const recorded = data.runs.filter(run => run.recording).length;
  const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
  return `${count(data.runs.length, 'run')}, ${count(recorded, 'recording')}, ${count(data.sweeps.length, 'sweep')} · toroid ${data.version}`;
}

function note(words, kind = '') {
  document.getElementById('plots').append(element('p', {class: kind}, words));
}

async function showRecording(run) {
  const recording = await openRecording(run);
  for (const make of [torusFigure, heatMap, linksOverTime, fifosOverTime]) make(recording);
}

// One recording at a time; a choice where there are several.
async function showRecordings(runs) {
  if (!runs.length) return note('No recording among the inputs: toroid alltoall --record FILE makes one, for the views of links, FIFOs and the torus.');
  if (runs.length === 1) return showRecording(runs[0]);
  const choice = element('select', {id: 'recording'}, ...runs.map((run, i) => element('option', {value: i}, run.name)));
  document.getElementById('plots').append(element('p', {}, element('label', {for: 'recording'}, 'Recording '), choice));
  choice.addEventListener('change', async () => {
    dropRecorded();
    await showRecording(runs[+choice.value]);
    drawAll();
  });
  return showRecording(runs[0]);
}

const RECORDED = ['torus', 'heat', 'links', 'fifos'];
function dropRecorded() {
  for (let i = plots.length - 1; i >= 0; --i) {
    if (!RECORDED.includes(plots[i].id)) continue;
    if (plots[i].torus) plots[i].torus.playing = false;
    plots[i].box.remove();
    plots.splice(i, 1);
  }
}

function drawAll() {
  readTheme();
  for (const plot of plots) plot.draw();
}

async function main() {
  const data = JSON.parse(document.getElementById('data').textContent);
  document.getElementById('summary').textContent = summaryOf(data);
  readTheme();
  for (const run of data.failed) note(`${run.name} came to nothing: ${run.error}`, 'error');
  if (data.runs.length) bars(data.runs);
  data.sweeps.forEach(curves);
  await showRecordings(data.runs.filter(run => run.recording));
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  window.addEventListener('resize', () => plots.forEach(later));
  root.dataset.plots = plots.map(plot => plot.id).join(' ');
  root.dataset.ready = Math.round(performance.now());
  if (location.hash === '#selftest') root.dataset.selftest = JSON.stringify(await selfTest());
}

// Share of a plot's pixels that are not background, and a sum over all of them.
function inkOf({canvas}) {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let drawn = 0, sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    const differs = data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 2] !== data[2];
    drawn += differs ? 1 : 0;
    sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) % 1000000007;
  }
  return {share: drawn / (data.length / 4), sum};
}

const nextFrame = () => new Promise(resolve => requestAnimationFrame(resolve));

// What a reader would do: play, pause, turn, walk over the heat map.
async function selfTest() {
  const outcome = {ink: {}, tables: 0};
  for (const plot of plots) outcome.ink[plot.id] = inkOf(plot).share;
  const press = (plot, key) => plot.canvas.dispatchEvent(new KeyboardEvent('keydown', {key}));
  const torus = plots.find(plot => plot.torus);
  if (torus) {
    const still = inkOf(torus).sum;
    document.getElementById('play').click();
    for (let i = 0; i < 300 && torus.torus.sample < 2; ++i) await nextFrame();
    if (torus.torus.playing) document.getElementById('play').click();
    const played = inkOf(torus).sum;
    press(torus, 'ArrowLeft');
    await nextFrame();
    await nextFrame();
    outcome.plays = played !== still;
    outcome.turns = inkOf(torus).sum !== played;
  }
  const heat = plots.find(plot => plot.id === 'heat');
  if (heat) press(heat, 'ArrowRight'), outcome.heat = heat.readout.textContent;
  for (const details of document.querySelectorAll('details')) details.open = true;
  await nextFrame();
  await nextFrame();
  outcome.tables = document.querySelectorAll('tbody tr').length;
  return outcome;
}

function show(error) {
  fail(error && error.stack || error);
  note('This page could not be drawn: ' + error, 'error');
}

window.addEventListener('DOMContentLoaded', () => main().catch(show));
