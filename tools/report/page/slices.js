// The array that was transformed: planes of it, and planes of the logarithm of its spectrum, or of
// the potential that poisson computes from it. Each kind has one colour scale.

const SLICES = {
  density: {title: 'Slices of the array', stops: DENSITY,
    caption: whose => `Planes through the middle of the ${whose}, all on the colour scale at the right.`},
  potential: {title: 'Slices of the potential', stops: DENSITY,
    caption: () => 'Planes through the middle of the potential, all on the colour scale at the right.'},
  spectrum: {title: 'Slices of the spectrum', stops: SPECTRUM,
    caption: whose => `Planes through the lowest frequency of the ${whose}: the magnitude, on the logarithmic colour scale at the right.`},
};

const HELD = ['x', 'y', 'z'];
const isSpectrum = slice => slice.kind === 'spectrum';
const withK = (slice, name) => (isSpectrum(slice) ? 'k' : '') + name;
const rowName = slice => slice.rows ?? withK(slice, slice.axis === 0 ? 'y' : 'x');
const columnName = slice => slice.columns ?? withK(slice, slice.axis === 2 ? 'y' : 'z');
const whereText = slice => slice.where ?? `${withK(slice, HELD[slice.axis] ?? '?')} = ${slice.index ?? 0}`;

async function sliceFigures(run, section) {
  for (const kind of Object.keys(SLICES)) {
    const slices = run.slices.filter(slice => slice.kind === kind && slice.width > 0 && slice.height > 0);
    if (!slices.length) continue;
    const images = await Promise.all(slices.map(slice => sliceImage(slice, SLICES[kind].stops)));
    sliceFigure(kind, slices, images, run, section);
  }
}

async function sliceImage(slice, stops) {
  const bytes = await bytesOf(slice.pixels);
  const colours = ramp(stops);
  return imageOf(slice.width, slice.height, i => colours[bytes[i] ?? 0]);
}

function reducedText({block, reduced_by: by}) {
  if (!(block > 1)) return '';
  return ` A pixel is the ${by === 'max' ? 'largest' : by ?? 'mean'} of ${block} × ${block} elements.`;
}

function sliceFigure(kind, slices, images, run, section) {
  const [{min, max, log}] = slices;
  const isInput = (kind === 'spectrum') === (run.head.inverse === true);
  const whose = isInput ? 'array that was transformed' : 'transform’s result';
  figure({
    id: kind, section, title: SLICES[kind].title,
    caption: SLICES[kind].caption(whose) + reducedText(slices[0]),
    label: `${plural(slices.length, 'slice')} of the ${kind} of ${run.label}: ${slices.map(whereText).join('; ')}; from ${valueOfScale(min, log)} to ${valueOfScale(max, log)}`,
    draw: (width, label) => drawSlices(width, label, slices, images),
    table: {head: ['slice', 'down', 'across', 'pixels', 'least', 'most', 'unit'],
            rows: () => slices.map(s => [whereText(s), rowName(s), columnName(s), `${s.height} × ${s.width}`,
              valueOfScale(s.min, s.log), valueOfScale(s.max, s.log), s.unit])},
  });
}

const valueOfScale = (value, log) => (log ? magnitudeText(10 ** value) : number(value));

// 0.0000490 -> 4.9e-5
const magnitudeText = value => (value >= 0.01 && value < 1e5 ? String(+value.toPrecision(3)) : value.toExponential(1));

const PANEL_LEFT = 50;
const BAR_WIDTH = 84;
function drawSlices(width, label, slices, images) {
  const wide = Math.min(300, (width - BAR_WIDTH - slices.length * PANEL_LEFT - 6) / slices.length);
  const scale = Math.min(...slices.map(s => Math.min(wide / s.width, 320 / s.height)));
  const talls = slices.map(s => Math.max(24, s.height * scale));
  const tall = Math.max(...talls, 120);
  const made = picture(width, tall + 64, label);
  slices.forEach((slice, i) => made.append(slicePanel(slice, images[i],
    {x: PANEL_LEFT + i * (wide + PANEL_LEFT), y: 22, w: Math.max(8, slice.width * scale), h: talls[i]})));
  made.append(colourBar(slices[0], PANEL_LEFT + slices.length * (wide + PANEL_LEFT) - 34, 22, tall));
  return made;
}

function slicePanel(slice, image, box) {
  const group = svg('g', {class: 'slice', 'data-kind': slice.kind, 'data-axis': slice.axis ?? ''});
  group.append(words(whereText(slice), box.x, 8, {kind: 'name'}),
    svg('image', {...sides(box), href: image, preserveAspectRatio: 'none', class: 'pixels', 'data-pixels': `${slice.width} ${slice.height}`}),
    svg('rect', {...sides(box), class: 'outline'}));
  const across = indexRange(slice.first_column, slice.column_count, slice.width, slice.block);
  const down = indexRange(slice.first_row, slice.row_count, slice.height, slice.block);
  for (const value of indexTicks(across, box.w / 60)) {
    const x = box.x + box.w * across.share(value);
    group.append(stroke(x, box.y + box.h, x, box.y + box.h + 4, 'base'), words(value, x, box.y + box.h + 13, {anchor: 'middle', kind: 'tick'}));
  }
  if (slice.height > 1)
    for (const value of indexTicks(down, box.h / 40)) {
      const y = box.y + box.h * down.share(value);
      group.append(stroke(box.x - 4, y, box.x, y, 'base'), words(value, box.x - 6, y, {anchor: 'end', kind: 'tick'}));
    }
  group.append(words(columnName(slice), box.x + box.w / 2, box.y + box.h + 31, {anchor: 'middle', kind: 'plain'}));
  if (slice.height > 1) group.append(svg('text', {class: 'plain', 'text-anchor': 'middle',
    transform: `translate(${box.x - 32} ${box.y + box.h / 2}) rotate(-90)`}, rowName(slice)));
  return group;
}
const sides = ({x, y, w, h}) => ({x, y, width: w, height: h});

// The last pixel may stand for less than a block.
function indexRange(first, count, pixels, block) {
  return {first, last: first + count - 1, share: value => (value - first + 0.5) / (pixels * block)};
}
const indexTicks = ({first, last}, count) => linearTicks(first, last, Math.max(4, Math.floor(count))).filter(Number.isInteger);

// On a logarithmic scale, min and max are exponents of 10.
function colourBar(slice, x, y, height) {
  const {min, max, log} = slice;
  const colours = ramp(SLICES[slice.kind].stops);
  const group = svg('g', {class: 'colour-bar', 'data-min': min, 'data-max': max},
    svg('image', {x, y, width: 14, height, href: imageOf(1, 256, i => colours[max > min ? 255 - i : 0]), preserveAspectRatio: 'none'}),
    svg('rect', {x, y, width: 14, height, class: 'outline'}));
  const marks = max > min ? barMarks(slice, height) : [[min, valueOfScale(min, log)]];
  for (const [value, text] of marks) {
    const at = max > min ? y + height * (1 - (value - min) / (max - min)) : y + height;
    group.append(stroke(x + 14, at, x + 18, at, 'base'), words(text, x + 21, at, {kind: 'tick'}));
  }
  group.append(words(log ? 'magnitude' : slice.unit || 'value', x - 4, 8));
  return group;
}

// The marks of the colour bar, [value on the scale, text]: both ends, and values between them if
// there is room.
function barMarks({min, max, log}, height) {
  const ends = [[min, valueOfScale(min, log)], [max, valueOfScale(max, log)]];
  const inner = log && max - min <= 300 ? logTicks(10 ** min, 10 ** max, height / 28).map(value => [Math.log10(value), powerText(value)])
                    : linearTicks(min, max, height / 40).map(value => [value, number(value)]);
  const far = ([value]) => Math.min(value - min, max - value) / (max - min) * height > 15;
  return [...ends, ...inner.filter(far)];
}

const SUPERSCRIPT = {'-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹'};
function powerText(value) {
  const exponent = Math.log10(value);
  if (Math.abs(exponent - Math.round(exponent)) > 1e-9 || Math.abs(exponent) < 3) return brief(value);
  return '10' + [...String(Math.round(exponent))].map(letter => SUPERSCRIPT[letter]).join('');
}
