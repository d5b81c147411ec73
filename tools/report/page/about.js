// The head of the page: what its runs have in common, and the origin of each.

function list(pairs, attributes = {}) {
  return element('dl', attributes, ...pairs.map(([name, ...values]) => element('div', {}, element('dt', {}, name), element('dd', {}, ...values))));
}

// "fft 64×64×64 on torus 4×4×4"
function titleOf(page) {
  const common = Object.fromEntries(page.common.filter(one => !one.of).map(one => [one.key, one.text]));
  const commands = [...new Set(page.all.map(thing => thing.head.verb))].filter(isKnown);
  const what = [common.verb ?? commands.join(', '), common.bench, common.transform === 'dft' ? '' : common.transform, common.size, common.bytes].filter(isKnown).join(' ');
  return `${what || 'toroid'}${common.torus ? ` on torus ${common.torus}` : ''}${common.fabric ? `, ${common.fabric}` : ''}`;
}

function summaryOf({runs, benches, papers, sweeps, failed}) {
  const counts = [[runs.length, 'run'], [runs.filter(run => run.recording).length, 'recording'], [sweeps.length, 'sweep'],
    [benches.length, 'benchmark'], [papers.length, 'comparison']];
  const words = counts.filter(([count]) => count).map(([count, what]) => plural(count, what).replace(/comparisons?$/, '$& with published figures'));
  return words.join(', ') + (failed.length ? `; ${failed.length} failed` : '');
}

const versionText = head => [head.version, isKnown(head.git_hash) ? `(${head.git_hash})` : ''].filter(isKnown).join(' ');

function aboutPage(page) {
  document.getElementById('title').textContent = titleOf(page);
  document.title = 'toroid: ' + titleOf(page);
  document.getElementById('summary').textContent = summaryOf(page);
  const {about} = page;
  const pairs = [['report by', 'toroid ' + versionText(about)]];
  if (isKnown(about.date)) pairs.push(['made', element('time', {datetime: about.date}, dateText(about.date))]);
  const isOwnResult = page.all.length > 0 && page.all.every(thing => thing.head.command === about.command);
  if (isKnown(about.command) && !isOwnResult) pairs.push(['command', element('code', {}, about.command)]);
  document.getElementById('about').append(list(pairs, {id: 'made'}));
  if (page.common.length) document.getElementById('about').append(commonBox(page));
  const origin = originsOf(page.all);
  if (origin) document.getElementById('about').append(origin);
}

// "2026-11-22T10:30:31Z" -> "2026-11-22 10:30:31 UTC"
const dateText = date => String(date).replace(/^(\d{4}-\d\d-\d\d)T([\d:]+)(\.\d+)?Z$/, '$1 $2 UTC');

// The first line has the settings that all runs share. Another line follows for each command whose
// runs share more settings.
function commonBox(page) {
  const commands = [...new Set(page.common.map(one => one.of))];
  const lines = commands.map(of => list([...(of ? [['', element('b', {}, of)]] : []),
    ...page.common.filter(one => one.of === of).map(({key, text}) => [keyName(key), text])], {class: 'facts', 'data-of': of}));
  return element('section', {id: 'common'}, element('h2', {}, page.all.length > 1 ? 'The same for all' : 'Settings'), ...lines);
}

// One line per typed command, with its results.
function originsOf(things) {
  const groups = new Map();
  for (const thing of things) {
    const {command, date, file} = thing.head;
    const key = JSON.stringify([command, date, isKnown(command) ? '' : file]);
    if (!groups.has(key)) groups.set(key, {head: thing.head, labels: []});
    groups.get(key).labels.push(thing.label);
  }
  const rows = [...groups.values()].map(group => originRow(group, groups.size > 1));
  if (!rows.length) return null;
  return element('section', {id: 'origins'}, element('h2', {}, rows.length > 1 ? 'Where the results come from' : 'Where the result comes from'), ...rows);
}

function originRow({head, labels}, several) {
  const shown = labels.length > 3 ? `${labels.slice(0, 2).join('; ')} and ${labels.length - 2} more` : labels.join('; ');
  const facts = [['date', isKnown(head.date) ? dateText(head.date) : 'not recorded'], ['seed', isKnown(head.seed) ? String(head.seed) : ''],
    ['machine', head.machine], ['version', versionText(head)], ['file', head.file]];
  const said = facts.filter(([, value]) => isKnown(value)).flatMap(([name, value]) => [element('span', {class: 'fact'}, element('i', {}, name + ' '), value), ' ']);
  return element('div', {class: 'origin'}, ...(several ? [element('strong', {}, shown), ' '] : []),
    element('code', {}, isKnown(head.command) ? head.command : 'command line not recorded'), element('p', {}, ...said));
}

function failures(failed) {
  for (const run of failed)
    document.getElementById('plots').append(element('p', {class: 'error'}, `${run.name ?? 'A run'} failed: ${run.error ?? 'no reason given'}`));
}
