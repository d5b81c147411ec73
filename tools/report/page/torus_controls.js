// Mouse and keyboard control of the torus: playing and turning.

const PLAY_SECONDS = 10;

function addControls(plot, torus) {
  const last = torus.recording.samples - 1;
  const play = element('button', {type: 'button', id: 'play'}, 'Play');
  const slider = element('input', {type: 'range', id: 'time', min: 0, max: last, step: 1, value: torus.sample, 'aria-label': 'time'});
  const now = element('output', {for: 'time', id: 'now'}, timeShown(torus));
  const direction = element('select', {id: 'direction', 'aria-label': 'links shown'},
    element('option', {value: -1}, 'busier direction'),
    ...Array.from({length: torus.degree}, (_, d) => element('option', {value: d}, directionName(d))));
  const nodes = element('input', {type: 'checkbox', id: 'nodes'});
  nodes.checked = torus.showNodes;
  plot.controls.append(play, slider, now, direction, element('label', {}, nodes, ' FIFOs'));
  torus.show = () => {
    slider.value = shownSample(torus);
    play.textContent = torus.playing ? 'Pause' : 'Play';
    now.textContent = timeShown(torus);
    plot.draw();
  };
  torus.toggle = () => {
    torus.playing = !torus.playing;
    if (torus.playing && (torus.sample >= last || !torus.played)) torus.sample = 0;
    torus.played = true;
    torus.show();
    if (torus.playing) playOn(torus, last);
  };
  play.addEventListener('click', torus.toggle);
  slider.addEventListener('input', () => { torus.sample = +slider.value; torus.show(); });
  direction.addEventListener('change', () => { torus.direction = +direction.value; torus.show(); });
  nodes.addEventListener('change', () => { torus.showNodes = nodes.checked; torus.show(); });
}

function playOn(torus, last) {
  let before = performance.now();
  const frame = now => {
    if (!torus.playing) return;
    torus.sample = Math.min(last, torus.sample + Math.max(0, now - before) / 1000 * (last + 1) / PLAY_SECONDS);
    before = now;
    if (torus.sample >= last) torus.playing = false;
    torus.show();
    if (torus.playing) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function addTurning(plot, torus) {
  let drag = null;
  const {canvas} = plot;
  canvas.style.touchAction = 'pan-y';
  canvas.addEventListener('pointerdown', event => {
    drag = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) return;
    turn(torus, (event.clientX - drag[0]) * 0.008, (event.clientY - drag[1]) * 0.008);
    drag = [event.clientX, event.clientY];
    later(plot);
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { drag = null; });
  canvas.addEventListener('keydown', event => {
    if (!pressed(torus, event.key)) return;
    event.preventDefault();
    later(plot);
  });
}

function turn(torus, yaw, pitch) {
  torus.yaw += yaw;
  torus.pitch = Math.max(-1.57, Math.min(1.57, torus.pitch + pitch));
}

// Handles a key; returns whether it has a meaning.
function pressed(torus, key) {
  const turns = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]};
  const zooms = {'+': 1.15, '=': 1.15, '-': 1 / 1.15};
  if (turns[key]) turn(torus, ...turns[key]);
  else if (zooms[key]) torus.zoom = Math.max(0.3, Math.min(6, torus.zoom * zooms[key]));
  else if (key === ' ') torus.toggle();
  else return false;
  return true;
}
