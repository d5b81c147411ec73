// A figure: heading, badge for the kind of time, caption, picture, readout, table.

const plots = [];  // {id, box, draw()}

const TIME_KINDS = {
  virtual: {badge: 'virtual time', of: 'of the model, in cycles'},
  wall: {badge: 'wall clock', of: 'measured on this host'},
};
const badgeOf = kind => element('span', {class: `badge ${kind}`}, TIME_KINDS[kind].badge);

// draw(width) returns the picture as an SVG element, or nothing if it paints `canvas` itself.
// `label` describes the picture for screen readers; `section` is its parent.
function figure({id, title, kind, caption, draw, label, table, canvas, section}) {
  const heading = element('h2', {}, title, ...(kind ? [' ', badgeOf(kind)] : []));
  const place = element('div', {class: 'picture'});
  if (canvas) place.append(canvas);
  const controls = element('div', {class: 'controls'});
  const readout = element('p', {class: 'readout', 'aria-live': 'polite'});
  const box = element('figure', {id, ...(kind ? {'data-time-kind': kind} : {})}, heading, place, controls, readout,
                      element('figcaption', {}, caption));
  if (table) box.append(tableOf(title, table));
  (section ?? document.getElementById('plots')).append(box);
  const plot = {id, box, place, readout, controls, canvas};
  plot.draw = () => {
    const drawn = draw(Math.max(300, place.clientWidth || 1000), label);
    if (drawn) place.replaceChildren(drawn);
  };
  plots.push(plot);
  return plot;
}

// The table is filled when it is opened, because thousands of rows take time.
function tableOf(title, {head, rows}) {
  const place = element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title + ', numbers'});
  const details = element('details', {}, element('summary', {}, 'Numbers'), place);
  details.addEventListener('toggle', () => {
    if (details.open && !place.firstChild) place.append(filledTable(head, rows()));
  });
  return details;
}

function filledTable(head, rows) {
  const row = (name, cells, more) => element('tr', {}, ...cells.map(
      cell => element(name, more, typeof cell === 'number' ? number(cell) : cell ?? '')));
  return element('table', {}, element('thead', {}, row('th', head, {scope: 'col'})),
                 element('tbody', {}, ...rows.map(cells => row('td', cells, {}))));
}

function dropFigures(ids) {
  for (let i = plots.length - 1; i >= 0; --i) {
    if (!ids.includes(plots[i].id)) continue;
    if (plots[i].stop) plots[i].stop();
    plots[i].box.remove();
    plots.splice(i, 1);
  }
}

// Redraws at most once per frame.
function later(plot) {
  if (plot.waiting) return;
  plot.waiting = true;
  requestAnimationFrame(() => { plot.waiting = false; plot.draw(); });
}

// A section that shows one run at a time, with a selection if there are several.
async function chooseRun(id, title, runs, show) {
  const section = element('section', {id});
  document.getElementById('plots').append(section);
  if (runs.length > 1) {
    const choice = element('select', {id: id + '-run'}, ...runs.map((run, i) => element('option', {value: i}, run.label)));
    section.append(element('p', {class: 'choice'}, element('label', {for: id + '-run'}, title + ' '), choice));
    choice.addEventListener('change', async () => {
      dropFigures(plots.filter(plot => section.contains(plot.box)).map(plot => plot.id));
      await show(runs[+choice.value], section);
      plots.filter(plot => section.contains(plot.box)).forEach(plot => plot.draw());
    });
  }
  if (runs.length) await show(runs[0], section);
}
