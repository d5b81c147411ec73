// The page: its plots, and whether it is ready. The document element's data attributes hold its
// state: errors, plots, ready (milliseconds since navigation), and after #selftest the outcome.

// A headless browser draws no frames while its time is virtual, so the self-test makes its own.
if (location.hash === '#selftest')
  window.requestAnimationFrame = frame => setTimeout(() => frame(performance.now()), 16);

async function showLinks(run, section) {
  if (!run.recording) return heatMap(await openLoads(run), section);
  const recording = await openRecording(run);
  for (const make of [torusFigure, heatMap, linksOverTime, fifosOverTime, receptionOverTime, queuesOverTime]) make(recording, section);
}

function drawAll() {
  readTheme();
  for (const plot of plots) plot.draw();
}

async function showPage(page) {
  aboutPage(page);
  failures(page.failed);
  await chooseRun('slices', 'Density and spectrum of', page.runs.filter(run => run.slices.length), sliceFigures);
  boundFigures(page.runs);
  phaseFigures(page.runs, page.runs.length > 1);
  nodeFigures(page.runs);
  profileFigures(page.runs);
  sweepFigures(page.sweeps);
  benchFigures(page.benches);
  paperFigures(page.papers);
  await chooseRun('recordings', 'Links of', page.runs.filter(run => run.recording || run.loads), showLinks);
}

async function main() {
  readTheme();
  await showPage(pageOf(JSON.parse(document.getElementById('data').textContent)));
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  window.addEventListener('resize', () => plots.forEach(later));
  root.dataset.plots = plots.map(plot => plot.id).join(' ');
  root.dataset.ready = Math.round(performance.now());
  if (location.hash === '#selftest') root.dataset.selftest = JSON.stringify(await selfTest());
}

function show(error) {
  fail(error && error.stack || error);
  document.getElementById('plots').append(element('p', {class: 'error'}, 'This page could not be drawn: ' + error));
}

window.addEventListener('DOMContentLoaded', () => main().catch(show));
