// The colour scale of link loads, with the bound marked.

// low <= bound <= high; text(value) labels the ends, boundText is above the mark.
function loadScale(x, y, width, {low, high, bound, text, boundText}) {
  const share = value => (value - low) / (high - low || 1);
  const group = svg('g', {class: 'load-scale', 'data-low': low, 'data-high': high, 'data-bound': bound});
  const ramp = imageOf(256, 1, i => theme.load[i]);
  group.append(svg('image', {x, y, width, height: 11, class: 'ramp', href: ramp, preserveAspectRatio: 'none'}));
  const ends = [[low, 'start'], [high, 'end']];
  for (const [value, anchor] of ends) group.append(words(text(value), x + width * share(value), y + 22, {anchor, kind: 'tick'}));
  const taken = ends.map(([value, anchor]) => { const wide = textWidth(text(value)) + 14; return anchor === 'start' ? [0, wide] : [width - wide, width]; });
  for (const value of linearTicks(low, high, Math.max(2, width / 90))) {
    const at = width * share(value);
    const half = textWidth(text(value)) / 2;
    if (taken.every(([from, to]) => at + half < from || at - half > to)) group.append(words(text(value), x + at, y + 22, {anchor: 'middle', kind: 'tick'}));
  }
  const at = x + width * share(bound);
  const fits = textWidth(boundText) + 8;
  const anchor = share(bound) * width > fits ? 'end' : 'start';
  group.append(stroke(at, y - 5, at, y + 15, 'bound'), words(boundText, at, y - 12, {anchor, kind: 'bound'}));
  return group;
}
