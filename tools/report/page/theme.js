// Colours. SVG takes them from the style sheet; pixels take them from here.

let theme;
function readTheme() {
  const style = getComputedStyle(root);
  const value = name => style.getPropertyValue('--' + name).trim();
  theme = {load: ramp(Array.from({length: 6}, (_, i) => value('load' + i)))};
  for (const name of ['card', 'ink', 'muted', 'grid']) theme[name] = value(name);
}

// 256 colours [r, g, b] that interpolate the given ones.
function ramp(stops) {
  const rgb = stops.map(stop => [1, 3, 5].map(at => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({length: 256}, (_, i) => {
    const at = i / 255 * (rgb.length - 1);
    const low = Math.min(Math.floor(at), rgb.length - 2);
    return rgb[low].map((from, c) => Math.round(from + (rgb[low + 1][c] - from) * (at - low)));
  });
}

// Viridis and magma: perceptually uniform, and the same in light and dark mode.
const DENSITY = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'];
const SPECTRUM = ['#000004', '#3b0f70', '#8c2981', '#de4968', '#fe9f6d', '#fcfdbf'];

// share: 0 to 1 of the scale
const loadColour = share => theme.load[Math.max(0, Math.min(255, Math.round(255 * share)))];
const css = rgb => `rgb(${rgb[0]},${rgb[1]},${rgb[2]})`;

// Each curve of a plot has its own combination of colour, marker and dashes: 7 colours that
// colour-blind readers can distinguish (Okabe and Ito), 6 markers, 5 dash patterns.
const COLOURS_OF_CURVES = 7;
const MARKERS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'plus'];
const DASHES = ['none', '7 3', '2 3', '9 3 2 3', '4 2'];
function curveStyle(i) {
  const round = Math.floor(i / COLOURS_OF_CURVES);
  return {colour: `var(--series${i % COLOURS_OF_CURVES})`, marker: MARKERS[(i + round) % MARKERS.length],
          dash: DASHES[round % DASHES.length]};
}
