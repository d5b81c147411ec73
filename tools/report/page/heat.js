// The whole run's load of every link: a strip per direction, its nodes unrolled to a grid.

// From the last dimension on, dimensions become columns and rows in turn; in each, earlier ones run
// slower. 16x16x16: 16 planes X side by side, Y down, Z across.
function unrolled(extents) {
  const columns = [];
  const rows = [];
  for (let d = extents.length - 1, i = 0; d >= 0; --d, ++i) (i % 2 ? rows : columns).unshift(d);
  const size = dims => dims.reduce((product, d) => product * extents[d], 1);
  const index = (dims, at) => dims.reduce((sum, d) => sum * extents[d] + at[d], 0);
  return {width: size(columns), height: size(rows), columns, rows,
          place: at => [index(columns, at), index(rows, at)]};
}

// Of the colours: from 0, but where all loads are alike from the least, so that they differ.
function rangeOf({busyCycles, exists, bound}) {
  let least = Infinity;
  let most = Math.max(1, bound);
  for (let l = 0; l < busyCycles.length; ++l) {
    if (!exists[l]) continue;
    least = Math.min(least, busyCycles[l]);
    most = Math.max(most, busyCycles[l]);
  }
  return {least: least > most / 2 && least < most ? least : 0, most};
}

function heatMap(recording) {
  const grid = unrolled(recording.extents);
  const cells = new Int32Array(grid.width * grid.height);
  for (let node = 0; node < recording.nodes; ++node) {
    const [x, y] = grid.place(coordinates(node, recording.extents));
    cells[y * grid.width + x] = node;
  }
  const bound = recording.bound;
  const {least, most} = rangeOf(recording);
  const map = {recording, grid, cells, bound, least, most, cursor: null};
  const names = dims => dims.map(d => DIMENSIONS[d]).join(', ') || 'one';
  const plot = figure({
    id: 'heat', title: 'Load of every link', interactive: true,
    caption: `A strip per direction; across ${names(grid.columns)}, down ${names(grid.rows)}. Colour: cycles in which the link carried something; the scale has the bound marked and begins where the least load does if all are alike. Point at a cell, or move with the arrow keys.`,
    label: `Heat map of link loads of ${recording.run.name}, a strip per direction; hottest ${number(most)} cycles, bound ${number(bound)} cycles`,
    height: width => TOP + recording.over.length * stripHeight(grid, width),
    draw: (c, width) => drawHeat(c, width, map),
    table: {head: ['direction', 'links', 'least, cycles', 'mean, cycles', 'hottest, cycles', 'bound, cycles', 'hottest, packets', 'hottest node'],
            rows: () => heatRows(map)},
  });
  plot.canvas.addEventListener('mousemove', event => point(plot, map, event));
  plot.canvas.addEventListener('mouseleave', () => plot.readout.textContent = '');
  plot.canvas.addEventListener('keydown', event => moveCursor(plot, map, event));
}

const NAME_WIDTH = 34;
const TOP = 48;
function cellHeight(grid, width) {
  const across = (width - NAME_WIDTH) / grid.width;
  return Math.max(Math.min(across, 26), Math.min(48 / grid.height, 12), 0.5);
}
const stripHeight = (grid, width) => Math.max(14, Math.ceil(cellHeight(grid, width) * grid.height)) + 10;

function drawHeat(c, width, map) {
  const {recording, grid} = map;
  const strip = stripHeight(grid, width);
  const across = Math.min(width - NAME_WIDTH, 26 * grid.width);
  Object.assign(map, {strip, across, top: TOP});
  const {least, most, bound} = map;
  loadScale(c, NAME_WIDTH, 14, Math.min(360, width - NAME_WIDTH), {least, most, bound, unit: 'cycles'});
  const image = document.createElement('canvas');
  image.width = grid.width;
  image.height = grid.height;
  recording.over.forEach(({direction}, i) => {
    const y = map.top + i * strip;
    text(c, directionName(direction), 0, y + (strip - 10) / 2, {colour: theme.ink});
    fillStrip(image, map, direction);
    c.imageSmoothingEnabled = false;
    c.drawImage(image, NAME_WIDTH, y, across, strip - 10);
    separate(c, map, y);
  });
  if (map.cursor) markCursor(c, map);
}

function fillStrip(image, {recording, cells, least, most}, direction) {
  const context = image.getContext('2d');
  const pixels = context.createImageData(image.width, image.height);
  for (let i = 0; i < cells.length; ++i) {
    const link = cells[i] * recording.degree + direction;
    if (!recording.exists[link]) continue;
    const [r, g, b] = loadColour((recording.busyCycles[link] - least) / (most - least));
    pixels.data.set([r, g, b, 255], 4 * i);
  }
  context.putImageData(pixels, 0, 0);
}

// A thin line between the planes of the slower dimensions.
function separate(c, {grid, recording, across, strip}, y) {
  const fast = recording.extents[grid.columns[grid.columns.length - 1]];
  if (grid.columns.length < 2 || across / grid.width * fast < 6) return;
  for (let x = fast; x < grid.width; x += fast) {
    const at = NAME_WIDTH + across * x / grid.width;
    line(c, [[at, y], [at, y + strip - 10]], theme.card, {width: 1.5});
  }
}

function markCursor(c, {grid, across, strip, top, cursor}) {
  const [x, y, i] = cursor;
  const w = across / grid.width;
  const h = (strip - 10) / grid.height;
  c.strokeStyle = theme.bound;
  c.lineWidth = 2;
  c.strokeRect(NAME_WIDTH + x * w - 1, top + i * strip + y * h - 1, w + 2, h + 2);
}

function describe(map, x, y, i) {
  const {recording, grid, cells, bound} = map;
  const node = cells[y * grid.width + x];
  const direction = recording.over[i].direction;
  const link = node * recording.degree + direction;
  const name = `${coordinateText(coordinates(node, recording.extents))} ${directionName(direction)}`;
  if (!recording.exists[link]) return name + ': no link';
  const cycles = recording.busyCycles[link];
  return `${name}: ${number(cycles)} cycles, ${number(recording.packets[link])} packets; ` +
         `${number(100 * cycles / (bound || 1))} % of the bound’s ${number(bound)} cycles`;
}

function point(plot, map, event) {
  const {grid, across, strip, top, recording} = map;
  const i = Math.floor((event.offsetY - top) / strip);
  const x = Math.floor((event.offsetX - NAME_WIDTH) / across * grid.width);
  const y = Math.floor((event.offsetY - top - i * strip) / (strip - 10) * grid.height);
  const inside = i >= 0 && i < recording.over.length && x >= 0 && x < grid.width && y >= 0 && y < grid.height;
  plot.readout.textContent = inside ? describe(map, x, y, i) : '';
}

function moveCursor(plot, map, event) {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  if (!step || !map.recording.over.length) return;
  event.preventDefault();
  let [x, y, i] = map.cursor ?? [0, 0, 0];
  if (map.cursor) x += step[0], y += step[1];
  x = Math.max(0, Math.min(map.grid.width - 1, x));
  if (y >= map.grid.height && i + 1 < map.recording.over.length) y = 0, ++i;
  if (y < 0 && i > 0) y = map.grid.height - 1, --i;
  y = Math.max(0, Math.min(map.grid.height - 1, y));
  map.cursor = [x, y, i];
  plot.draw();
  plot.readout.textContent = describe(map, x, y, i);
}

function heatRows({recording, bound}) {
  return recording.over.map(({direction, count}) => {
    let least = Infinity, sum = 0, most = -1, hottest = 0;
    for (let node = 0; node < recording.nodes; ++node) {
      const link = node * recording.degree + direction;
      if (!recording.exists[link]) continue;
      const cycles = recording.busyCycles[link];
      sum += cycles;
      least = Math.min(least, cycles);
      if (cycles > most) most = cycles, hottest = node;
    }
    return [directionName(direction), count, least, sum / count, most, bound,
      recording.packets[hottest * recording.degree + direction], coordinateText(coordinates(hottest, recording.extents))];
  });
}
