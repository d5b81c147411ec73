// Pictures as SVG: elements, fitted text, markers, legends. Classes determine the colours.

// The namespace of SVG, taken from an element so that the page contains no URL.
const SVG = document.createRange().createContextualFragment('<svg></svg>').firstChild.namespaceURI;

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, typeof value === 'number' ? +value.toFixed(2) : value);
  made.append(...children);
  return made;
}

const picture = (width, height, label) => svg('svg', {
  width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});

const measure = document.createElement('canvas').getContext('2d');
const FONT = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
function textWidth(what, bold = false) {
  measure.font = (bold ? '600 ' : '') + FONT;
  return measure.measureText(what).width;
}
const widest = texts => Math.max(0, ...texts.map(text => textWidth(text)));

// anchor: start, middle or end; y is the middle of the line.
function words(what, x, y, {anchor = 'start', kind = 'quiet', most = Infinity} = {}) {
  const shown = fitted(String(what), most);
  const made = svg('text', {x, y: y + 4, 'text-anchor': anchor, class: kind}, shown);
  if (shown !== what) made.append(svg('title', {}, String(what)));
  return made;
}

// Shortens a text until it fits.
function fitted(what, width) {
  if (textWidth(what) <= width) return what;
  let end = what.length;
  while (end > 1 && textWidth(what.slice(0, end) + '…') > width) --end;
  return what.slice(0, end) + '…';
}

const stroke = (x1, y1, x2, y2, kind, more = {}) => svg('line', {x1, y1, x2, y2, class: kind, ...more});

// The mark of a bound across a bar, legible on any colour.
const boundMark = (x, y1, y2) => [stroke(x, y1, x, y2, 'halo'), stroke(x, y1, x, y2, 'bound solid')];

function pathOf(points) {
  return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

// A PNG as a data URL; colourOf(pixel) returns [r, g, b], or nothing for transparent.
function imageOf(width, height, colourOf) {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, {width, height});
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(width, height);
  for (let i = 0; i < width * height; ++i) {
    const colour = colourOf(i);
    if (colour) pixels.data.set([...colour, 255], 4 * i);
  }
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}

const SHAPES = {
  circle: r => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: r => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  triangle: r => `M0 ${-1.2 * r}L${1.15 * r} ${r}H${-1.15 * r}Z`,
  diamond: r => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
  cross: r => `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`,
  plus: r => `M${-1.3 * r} 0H${1.3 * r}M0 ${-1.3 * r}V${1.3 * r}`,
};
const NO_INSIDE = new Set(['cross', 'plus']);  // cannot be hollow: a ring is drawn around them instead
function marker(shape, x, y, colour, {hollow = false, radius = 3.4} = {}) {
  const ring = hollow && NO_INSIDE.has(shape) ? SHAPES.circle(1.7 * radius) : '';
  return svg('path', {d: ring + SHAPES[shape](radius), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    class: 'marker', 'data-shape': shape, style: `stroke:${colour};fill:${hollow ? 'var(--card)' : colour}`});
}

// Names with a sample of each, {name, draw(x, y): elements 26 wide}, from left to right in as many
// lines as needed. Returns the group and its height.
function legend(x, y, width, entries) {
  const group = svg('g', {class: 'legend'});
  let at = x;
  let row = y;
  for (const {name, draw} of entries) {
    const shown = fitted(name, width - 36);
    const wide = textWidth(shown) + 52;
    if (at + wide - 16 > x + width && at > x) at = x, row += 19;
    group.append(...draw(at, row), words(shown, at + 32, row, {kind: 'plain'}));
    at += wide;
  }
  return {group, height: entries.length ? row - y + 19 : 0};
}

// Places a legend below the drawing and sets the picture's height.
function closeWith(made, {group, height}, y) {
  group.setAttribute('transform', `translate(0 ${y})`);
  made.append(group);
  made.setAttribute('height', y + height);
  made.setAttribute('viewBox', `0 0 ${made.getAttribute('width')} ${y + height}`);
  return made;
}

const swatch = kind => (x, y) => [svg('rect', {x: x + 4, y: y - 6, width: 18, height: 12, rx: 2, class: kind})];
const dashes = kind => (x, y) => [stroke(x, y, x + 26, y, kind)];
