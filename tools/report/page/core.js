// What all plots share: elements, numbers as text, colours, figures with a canvas and a table.

const root = document.documentElement;
const errors = [];
const plots = [];  // {id, canvas, draw}

function fail(what) {
  errors.push(String(what));
  root.dataset.errors = JSON.stringify(errors);
}
window.addEventListener('error', event => fail(event.message));
window.addEventListener('unhandledrejection', event => fail(event.reason));
root.dataset.errors = '[]';

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// 12345678 -> "12,345,678"; 0.12345 -> "0.123"
function number(value) {
  if (value === undefined || value === null) return '';
  const digits = Math.abs(value) >= 1000 || Number.isInteger(value) ? 0 : Math.abs(value) >= 100 ? 1 : 3;
  return value.toLocaleString('en', {maximumFractionDigits: digits});
}
// For axes: 1500 -> "1.5k"
function brief(value) {
  for (const [unit, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (Math.abs(value) >= unit) return +(value / unit).toPrecision(3) + letter;
  return String(+value.toPrecision(3));
}

let theme;
function readTheme() {
  const style = getComputedStyle(root);
  const value = name => style.getPropertyValue('--' + name).trim();
  const list = name => value(name).split(/\s+/);
  theme = {};
  for (const name of ['paper', 'card', 'ink', 'muted', 'grid', 'bar', 'bound', 'focus'])
    theme[name] = value(name);
  theme.series = list('series');
  theme.load = ramp(list('load'));
}

// 256 colours [r, g, b] through the given ones.
function ramp(stops) {
  const rgb = stops.map(stop => [1, 3, 5].map(at => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({length: 256}, (_, i) => {
    const at = i / 255 * (rgb.length - 1);
    const low = Math.min(Math.floor(at), rgb.length - 2);
    return rgb[low].map((from, c) => Math.round(from + (rgb[low + 1][c] - from) * (at - low)));
  });
}
// share: 0 to 1 of the scale
function loadColour(share) {
  return theme.load[Math.max(0, Math.min(255, Math.round(255 * share)))];
}
const css = rgb => `rgb(${rgb[0]},${rgb[1]},${rgb[2]})`;

// Round steps of an axis from 0 to `most`: about `count` of them.
function ticks(most, count = 5) {
  const rough = most / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
  const values = [];
  for (let i = 0; i * step <= most * 1.0001; ++i) values.push(i * step);
  return values;
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';

function text(c, what, x, y, {align = 'left', colour = theme.muted, base = 'middle'} = {}) {
  c.fillStyle = colour;
  c.textAlign = align;
  c.textBaseline = base;
  c.fillText(what, x, y);
}

function line(c, points, colour, {width = 1, dash = []} = {}) {
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.setLineDash(dash);
  c.beginPath();
  points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
  c.stroke();
  c.setLineDash([]);
}

const boundLine = (c, points) => line(c, points, theme.bound, {width: 1.6, dash: [5, 4]});

// Shortens a text until it fits.
function fitted(c, what, width) {
  if (c.measureText(what).width <= width) return what;
  let end = what.length;
  while (end > 1 && c.measureText(what.slice(0, end) + '…').width > width) --end;
  return what.slice(0, end) + '…';
}

// A figure: heading, caption, canvas, readout, table. draw(context, width) in CSS pixels; `height`
// is a number or a function of the width. `label` describes the picture for those who cannot see it.
function figure({id, title, caption, height, draw, label, table, interactive = false}) {
  const canvas = element('canvas', {id, role: 'img', 'aria-label': label});
  if (interactive) canvas.setAttribute('tabindex', '0');
  const readout = element('p', {class: 'readout', 'aria-live': 'polite'});
  const controls = element('div', {class: 'controls'});
  const box = element('figure', {}, element('h2', {}, title), element('figcaption', {}, caption),
                      canvas, controls, readout, tableOf(title, table));
  document.getElementById('plots').append(box);
  const plot = {id, canvas, readout, controls, box, draw: () => paint(canvas, height, draw)};
  plots.push(plot);
  return plot;
}

function paint(canvas, height, draw) {
  const width = canvas.clientWidth || 1000;
  const tall = typeof height === 'function' ? height(width) : height;
  const scale = Math.min(window.devicePixelRatio || 1, 2, 16000 / tall);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(tall * scale);
  canvas.style.height = tall + 'px';
  const c = canvas.getContext('2d');
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.font = FONT;
  c.fillStyle = theme.card;
  c.fillRect(0, 0, width, tall);
  draw(c, width, tall);
}

// Filled only when it is opened: thousands of rows cost time.
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

// A colour scale from `least` to `most` with the bound marked on it.
function loadScale(c, x, y, width, {least, most, bound, unit}) {
  for (let i = 0; i < width; ++i) {
    c.fillStyle = css(loadColour(i / width));
    c.fillRect(x + i, y, 1.2, 10);
  }
  text(c, brief(least), x, y + 20);
  text(c, `${brief(most)} ${unit}`, x + width, y + 20, {align: 'right'});
  const at = x + width * Math.max(0, Math.min(1, (bound - least) / (most - least)));
  boundLine(c, [[at, y - 4], [at, y + 14]]);
  const left = at > x + width * 0.75;
  text(c, `bound ${brief(bound)}`, at + (left ? -4 : 4), y - 8, {colour: theme.bound, align: left ? 'right' : 'left'});
}

// The axes of a plot with linear x and y from 0; gives the maps from values to pixels.
function axes(c, box, {xMost, yMost, xName, yName, xText = brief, yText = brief}) {
  const X = value => box.x + box.w * value / xMost;
  const Y = value => box.y + box.h * (1 - value / yMost);
  for (const value of ticks(yMost, Math.max(2, box.h / 50))) {
    line(c, [[box.x, Y(value)], [box.x + box.w, Y(value)]], theme.grid);
    text(c, yText(value), box.x - 6, Y(value), {align: 'right'});
  }
  for (const value of ticks(xMost, Math.max(2, box.w / 110))) {
    line(c, [[X(value), box.y + box.h], [X(value), box.y + box.h + 4]], theme.muted);
    text(c, xText(value), X(value), box.y + box.h + 14, {align: 'center'});
  }
  text(c, xName, box.x + box.w, box.y + box.h + 31, {align: 'right'});
  text(c, yName, box.x - 44, box.y - 14);
  return {X, Y};
}

// Names with their colours, from left to right, as many lines as it takes; gives the height.
function legend(c, x, y, width, entries) {
  let at = x;
  let row = y;
  for (const {name, colour, dash} of entries) {
    const shown = fitted(c, name, width - 40);
    const wide = c.measureText(shown).width + 40;
    if (at + wide > x + width && at > x) at = x, row += 18;
    line(c, [[at, row], [at + 18, row]], colour, {width: 2.5, dash: dash ?? []});
    text(c, shown, at + 24, row);
    at += wide;
  }
  return row - y + 18;
}
