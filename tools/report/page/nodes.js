// When nodes ended: the first and the slowest nodes of a run, and the first and the last of several runs.

function nodeFigures(runs) {
  for (const kind of Object.keys(TIME_KINDS)) {
    const these = runs.filter(run => run.kind === kind && run.perNode?.last);
    if (these.length) nodeFigure(kind, these);
  }
}

// One row per node: {label, node}, where node has the figures of the result.
function nodeRows(runs) {
  const named = (run, what, node) => ({run, node, label: (runs.length > 1 ? run.label + ': ' : '') + what + node.node});
  return runs.flatMap(run => {
    const {first, last, slowest, most_stalled: stalled} = run.perNode;
    const late = runs.length > 1 ? [last] : slowest ?? [last];
    return [...(late.some(node => node.node === first.node) ? [] : [named(run, 'first ', first)]), ...late.map(node => named(run, '', node)),
            ...(stalled && !late.some(node => node.node === stalled.node) ? [named(run, 'most stalled ', stalled)] : [])];
  });
}

function nodeFigure(kind, runs) {
  const unit = kind === 'virtual' ? 'cycles' : 's';
  const rows = nodeRows(runs.slice(0, MOST_PHASED));
  const time = node => node[`finished_${unit}`];
  figure({
    id: 'nodes-' + kind, kind, title: 'The first and the slowest nodes',
    caption: `Bar: from the begin of the run until the node’s program ended.${kind === 'virtual' ? ' Its blue part ends when the node wrote its last packet into an injection FIFO: a node that sends late could not send, or had more to send, than the others. Stalled: the time that packets waited at the heads of the node’s FIFOs for links, summed over the FIFOs.' : ''}` +
      (runs.length > 1 ? ` Of each run the first and the last node are shown${runs.length > MOST_PHASED ? `, for the first ${MOST_PHASED} runs` : ''}.` : ''),
    label: `Bars of the times at which ${plural(rows.length, 'node')} ended`,
    draw: (width, label) => drawEndsOfNodes(width, label, rows, kind, time),
    table: {
      head: ['node', `ended, ${unit}`, 'last packet sent, cycles', 'FIFOs stalled, cycles', 'packets sent', 'packets received',
             kind === 'virtual' ? 'bytes sent' : 'bytes sent in packets', kind === 'virtual' ? 'bytes received' : 'bytes received by put'],
      rows: () => nodeRows(runs).map(({label, node}) => [label, time(node), node.last_sent_cycles, node.stalled_cycles, node.sent_packets,
        node.received_packets, node.sent_bytes ?? node.packet_bytes, node.received_bytes ?? node.put_bytes]),
    },
  });
}

function drawEndsOfNodes(width, label, rows, kind, time) {
  const step = 38;
  const made = picture(width, 0, label);
  const axis = timeAxis(kind, rows.map(({node}) => time(node)));
  const box = {x: 1, y: 6, w: width - 26, h: step * rows.length};
  const x = scaleOf({kind: 'linear', low: 0, high: Math.max(...rows.map(({node}) => axis.of(time(node))), 1e-12), name: axis.name}, box.x, box.x + box.w);
  for (const value of x.marks(5)) made.append(stroke(x.place(value), box.y, x.place(value), box.y + box.h, 'grid'));
  made.append(xAxis(box, x));
  rows.forEach((row, i) => made.append(nodeRow(row, kind, time(row.node), value => x.place(axis.of(value)), box.y + i * step, width)));
  return closeWith(made, legend(0, 0, width, kind === 'virtual'
    ? [{name: 'sending', draw: swatch('bar')}, {name: 'then until its program ended', draw: swatch('computing')}]
    : [{name: 'until its program ended', draw: swatch('computing')}]), box.y + box.h + 48);
}

function nodeRow({label, node}, kind, time, place, y, width) {
  const right = timeText({kind}, time) + (isNumber(node.stalled_cycles) && width >= 640 ? ` · FIFOs stalled for ${number(node.stalled_cycles)} cycles` : '');
  const [from, sent, end] = [0, Math.min(node.last_sent_cycles ?? 0, time), time].map(place);
  return svg('g', {class: 'node', 'data-node': node.node},
    words(label, 0, y + 10, {kind: 'name', most: width - textWidth(right) - 44}), words(right, width - 26, y + 10, {anchor: 'end', kind: 'plain'}),
    svg('rect', {x: from, y: y + 18, width: Math.max(0, sent - from), height: 12, class: 'bar'}),
    svg('rect', {x: sent, y: y + 18, width: Math.max(0, end - sent), height: 12, class: 'computing'}));
}
