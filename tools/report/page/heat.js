// The load of every link over the whole run: a strip per direction, its nodes laid out as a grid.

// Dimensions become columns and rows in turn, beginning with the last, which becomes columns. Of
// several dimensions in the columns or in the rows, earlier ones vary more slowly. So 16x16x16 is
// drawn as 16 planes side by side, one for each X, with Y down and Z across.
function unrolled(extents) {
  const columns = [];
  const rows = [];
  for (let d = extents.length - 1, i = 0; d >= 0; --d, ++i) (i % 2 ? rows : columns).unshift(d);
  const size = dims => dims.reduce((product, d) => product * extents[d], 1);
  const index = (dims, at) => dims.reduce((sum, d) => sum * extents[d] + at[d], 0);
  return {width: size(columns), height: size(rows), columns, rows,
          place: at => [index(columns, at), index(rows, at)]};
}

// The range of the colours. It starts at 0, or at the least load if all loads are similar, so that
// differences show. The bound is always inside.
function rangeOf({values, exists, linkBound: bound}) {
  let least = bound;
  let most = Math.max(1, bound);
  for (let l = 0; l < values.length; ++l) {
    if (!exists[l]) continue;
    least = Math.min(least, values[l]);
    most = Math.max(most, values[l]);
  }
  return {low: least > most / 2 && least < most ? least : 0, high: most};
}

function nodesOfGrid({extents, nodes}, grid) {
  const cells = new Int32Array(grid.width * grid.height);
  for (let node = 0; node < nodes; ++node) {
    const [x, y] = grid.place(coordinates(node, extents));
    cells[y * grid.width + x] = node;
  }
  return cells;
}

const COUNTED_AS = {
  cycles: 'cycles in which the link carried something. Mark on the scale: the bound, i.e. the cycles that the hottest link needs at its full rate.',
  packets: 'packets that the link carried. Mark on the scale: the mean link’s load; on paths of this length the hottest link cannot have less.',
};

function heatMap(recording, section) {
  const grid = unrolled(recording.extents);
  const map = {recording, grid, cells: nodesOfGrid(recording, grid), ...rangeOf(recording), bound: recording.linkBound, cursor: null};
  const names = dims => dims.map(d => DIMENSIONS[d]).join(', ') || 'one';
  const plot = figure({
    id: 'heat', section, kind: recording.run.kind, title: 'Load of every link',
    caption: `One strip per direction; across ${names(grid.columns)}, down ${names(grid.rows)}. Colour: ${COUNTED_AS[recording.unit]}${map.low > 0 ? ' Loads are similar, so the scale begins at the least of them, not at 0.' : ''} Point at a cell or use the arrow keys.`,
    label: `Heat map of link loads of ${recording.run.label}, a strip per direction; hottest ${number(map.high)}, bound ${number(map.bound)} ${recording.unit}`,
    draw: (width, label) => drawHeat(width, label, map),
    table: {head: ['direction', 'links', ...['least', 'mean', 'hottest', 'bound'].map(what => `${what}, ${recording.unit}`), 'hottest, packets', 'hottest node'],
            rows: () => heatRows(map)},
  });
  plot.place.setAttribute('tabindex', '0');
  plot.place.addEventListener('mousemove', event => pointAt(plot, map, event));
  plot.place.addEventListener('mouseleave', () => { plot.readout.textContent = ''; });
  plot.place.addEventListener('keydown', event => moveCursor(plot, map, event));
  return plot;
}

const NAME_WIDTH = 34;
const TOP = 66;
const BETWEEN = 22;
function cellHeight(grid, width) {
  const across = (width - NAME_WIDTH) / grid.width;
  return Math.max(Math.min(across, 26), Math.min(48 / grid.height, 12), 0.5);
}
const stripHeight = (grid, width) => Math.max(14, Math.ceil(cellHeight(grid, width) * grid.height)) + 10;

// The places of the strips: side by side if they are narrow.
function layOut(map, width) {
  const {grid, recording} = map;
  const across = Math.min(width - NAME_WIDTH, 26 * grid.width);
  const beside = Math.max(1, Math.floor((width + BETWEEN) / (across + NAME_WIDTH + BETWEEN)));
  const columns = beside > 1 && beside < recording.over.length ? beside - beside % 2 : beside;  // X+ beside X-
  const strip = stripHeight(grid, width);
  const corner = i => [NAME_WIDTH + i % columns * (across + NAME_WIDTH + BETWEEN), TOP + Math.floor(i / columns) * strip];
  return Object.assign(map, {strip, across, corner, height: TOP + Math.ceil(recording.over.length / columns) * strip});
}

function drawHeat(width, label, map) {
  const {recording, grid, low, high, bound, strip, across, corner, height} = layOut(map, width);
  const made = picture(width, height, label);
  made.append(loadScale(NAME_WIDTH, 22, Math.min(460, width - NAME_WIDTH - 2),
      {low, high, bound, text: brief, boundText: recording.boundText}));
  recording.over.forEach(({direction}, i) => {
    const [x, y] = corner(i);
    const image = imageOf(grid.width, grid.height, cell => loadOf(map, cell, direction));
    made.append(words(directionName(direction), x - NAME_WIDTH + 4, y + (strip - 10) / 2, {kind: 'plain'}),
      svg('image', {x, y, width: across, height: strip - 10, href: image, preserveAspectRatio: 'none', class: 'pixels strip'}),
      ...separators(map, x, y));
  });
  if (map.cursor) made.append(cursorOf(map));
  return made;
}

function loadOf({recording, cells, low, high}, cell, direction) {
  const link = cells[cell] * recording.degree + direction;
  return recording.exists[link] ? loadColour((recording.values[link] - low) / (high - low || 1)) : null;
}

// A thin line between the planes of the slower dimensions.
function separators({grid, recording, across, strip}, left, y) {
  const fast = recording.extents[grid.columns[grid.columns.length - 1]];
  if (grid.columns.length < 2 || across / grid.width * fast < 6) return [];
  return Array.from({length: grid.width / fast - 1}, (_, i) => left + across * (i + 1) * fast / grid.width)
      .map(x => stroke(x, y, x, y + strip - 10, 'gap'));
}

function cursorOf({grid, across, strip, corner, cursor: [x, y, i]}) {
  const w = across / grid.width;
  const h = (strip - 10) / grid.height;
  const [left, top] = corner(i);
  return svg('rect', {x: left + x * w - 1, y: top + y * h - 1, width: w + 2, height: h + 2, class: 'cursor'});
}

function describe(map, x, y, i) {
  const {recording, grid, cells, bound} = map;
  const node = cells[y * grid.width + x];
  const direction = recording.over[i].direction;
  const link = node * recording.degree + direction;
  const name = `${coordinateText(coordinates(node, recording.extents))} ${directionName(direction)}`;
  if (!recording.exists[link]) return name + ': no link';
  const value = recording.values[link];
  const packets = recording.unit === 'packets' ? '' : `, ${number(recording.packets[link])} packets`;
  return `${name}: ${number(value)} ${recording.unit}${packets}; ` +
         `${number(+(100 * value / (bound || 1)).toFixed(1))} % of the bound’s ${number(bound)} ${recording.unit}`;
}

function pointAt(plot, map, event) {
  const {grid, across, strip, corner, recording} = map;
  const frame = plot.place.getBoundingClientRect();
  const found = recording.over.map((_, i) => {
    const [left, top] = corner(i);
    const x = Math.floor((event.clientX - frame.left - left) / across * grid.width);
    const y = Math.floor((event.clientY - frame.top - top) / (strip - 10) * grid.height);
    return {x, y, i};
  }).find(({x, y}) => x >= 0 && x < grid.width && y >= 0 && y < grid.height);
  plot.readout.textContent = found ? describe(map, found.x, found.y, found.i) : '';
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
      const value = recording.values[link];
      sum += value;
      least = Math.min(least, value);
      if (value > most) most = value, hottest = node;
    }
    return [directionName(direction), count, least, sum / count, most, bound,
      recording.packets[hottest * recording.degree + direction], coordinateText(coordinates(hottest, recording.extents))];
  });
}
