// What changes over a run: links in use, injection FIFOs.

function overTime(recording, {id, title, caption, label, series, yMost, yName, limit, limitName, table}) {
  return figure({
    id, title, caption, label, height: 330, table,
    draw: (c, width) => {
      const entries = series.map(({name}, i) => ({name, colour: theme.series[i % theme.series.length]}));
      const box = {x: 52, y: 28, w: width - 76, h: 210};
      legend(c, 8, 300, width - 16, entries);
      const xMost = Math.max(recording.end, recording.bound) * 1.02;
      const {X, Y} = axes(c, box, {xMost, yMost: yMost * 1.08, xName: 'cycles', yName});
      series.forEach(({mean, most}, i) => {
        const colour = theme.series[i % theme.series.length];
        const path = values => values.map((v, s) => [X(sampleMiddle(recording, s)), Y(v)]);
        line(c, path(most), colour, {width: 1, dash: [1, 3]});
        line(c, path(mean), colour, {width: 2});
      });
      boundLine(c, [[box.x, Y(limit)], [box.x + box.w, Y(limit)]]);
      boundLine(c, [[X(recording.bound), box.y], [X(recording.bound), box.y + box.h]]);
      text(c, limitName, box.x + 6, Y(limit) - 8, {colour: theme.bound});
      text(c, 'bound', X(recording.bound) - 5, box.y + box.h - 10, {colour: theme.bound, align: 'right'});
    },
  });
}

function linksOverTime(recording) {
  const series = recording.over.map(row => ({
    name: directionName(row.direction), mean: row.mean.map(v => 100 * v), most: row.most.map(v => 100 * v)}));
  overTime(recording, {
    id: 'links', title: 'Links in use over time', series, yMost: 100, yName: '% of the time busy',
    limit: 100, limitName: 'a link’s rate',
    caption: 'Solid: mean of the links of a direction; dotted: the busiest. Dashed: a link’s rate, and the time that no schedule can beat.',
    label: `Link use of ${recording.run.name} over ${number(recording.end)} cycles, per direction, with the bound at ${number(recording.bound)} cycles`,
    table: {
      head: ['until cycle', ...series.flatMap(s => [s.name + ' mean, %', s.name + ' most, %'])],
      rows: () => series.length === 0 ? [] : series[0].mean.map(
          (_, s) => [sampleEnd(recording, s), ...series.flatMap(one => [one.mean[s], one.most[s]])]),
    },
  });
}

function fifosOverTime(recording) {
  const chunks = recording.fifoChunks;
  const column = (bytes, f) => Array.from({length: recording.samples}, (_, s) => bytes[s * recording.fifos + f] / 255 * chunks);
  const series = Array.from({length: recording.fifos}, (_, f) => (
      {name: 'FIFO ' + f, mean: column(recording.fifoMean, f), most: column(recording.fifoMost, f)}));
  overTime(recording, {
    id: 'fifos', title: 'Injection FIFOs over time', series, yMost: chunks, yName: 'chunks of 32 B',
    limit: chunks, limitName: 'full',
    caption: 'Solid: mean over the nodes; dotted: the fullest node’s. Dashed: capacity, and the time that no schedule can beat.',
    label: `Occupancy of ${recording.fifos} injection FIFOs of ${recording.run.name} over time, with their capacity of ${chunks} chunks and the bound`,
    table: {
      head: ['until cycle', ...series.flatMap(s => [s.name + ' mean', s.name + ' most'])],
      rows: () => Array.from({length: recording.samples}, (_, s) => [
        sampleEnd(recording, s), ...series.flatMap(one => [one.mean[s], one.most[s]])]),
    },
  });
}
