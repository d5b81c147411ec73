// Labels that distinguish the things on a page, made from the settings that differ in their heads.

// The order of settings in a label.
const ORDER = ['verb', 'bench', 'axis', 'transform', 'inverse', 'size', 'data', 'real', 'precision', 'batch', 'method', 'planes', 'policy',
  'traffic', 'order', 'routing', 'tie', 'drain', 'tying', 'bytes', 'torus', 'fabric', 'route', 'provider', 'processes', 'workers',
  'threads', 'repeat', 'machine', 'seed', 'version', 'git_hash'];
// Not settings: place and time of the run, measurements, and values that follow from other keys.
const NOT_SETTINGS = new Set(['name', 'label', 'series', 'command', 'date', 'file', 'nodes', 'time_kind', 'x', 'error',
  'time_s', 'cycles', 'wall_s', 'bound_s', 'bound_cycles', 'bound_by', 'bounds', 'percent_of_bound', 'percent_of_peak',
  'packets', 'packet_hops', 'packet_hops_per_cpu_s', 'mean_hops', 'packet_length', 'accepted_rate', 'max_load', 'mean_load', 'links', 'channels', 'injection_fifos', 'fifos',
  'latency', 'latency_p50', 'latency_p99', 'latency_max', 'result_hash', 'max_error', 'l2_error', 'phases', 'recording', 'slices',
  'repetitions', 'spread_s', 'refused_frames', 'bytes_per_peer', 'forwarded', 'acknowledgements', 'offered', 'accepted', 'saturated',
  'generated', 'zero_load', 'paper_model_cycles', 'gflops', 'gflop_per_s', 'bytes_per_process', 'rows', 'points', 'sizes',
  'curves', 'sections', 'missed_bars', 'fitted', 'steps', 'numbers_per_step', 'saturation', 'head', 'loads', 'fitted_numbers', 'madelung', 'reference', 'interrupted', 'profile', 'per_node']);
// Keys whose names end with the unit or kind of a figure are not settings either.
const FIGURE_NAME = /(_s|_cycles|_percent|_load|_error|_per_[a-z]+)$|^(percent|latency|gflop|flops?)/;

const WORDS = {
  size: v => (Array.isArray(v) ? v.join('×') : String(v).replaceAll('x', '×')),
  torus: v => String(v).replace(/(\d)x/g, '$1×'),
  bytes: v => (isNumber(v) ? bytesText(v) : String(v)),
  inverse: v => (v === true ? 'inverse' : v === false ? 'forward' : String(v)),
  real: v => (v === true ? 'real' : v === false ? 'complex' : String(v)),
};
const BARE = new Set(['verb', 'bench', 'transform', 'inverse', 'size', 'data', 'real', 'method', 'policy', 'traffic', 'bytes', 'torus', 'fabric']);
const COUNTED = {threads: 'thread', workers: 'worker', processes: 'process', batch: 'array', planes: 'plane', repeat: 'repetition'};

// {policy: {order: "rank"}} -> {"policy.order": "rank"}
function flat(head, before = '') {
  const settings = {};
  for (const [key, value] of Object.entries(head ?? {})) {
    if (NOT_SETTINGS.has(key) || FIGURE_NAME.test(key) || !isKnown(value)) continue;
    if (typeof value === 'object' && !Array.isArray(value)) Object.assign(settings, flat(value, before + key + '.'));
    else settings[before + key] = value;
  }
  return settings;
}

const keyName = key => key.split('.').pop().replaceAll('_', ' ');
function valueText(key, value) {
  const last = key.split('.').pop();
  if (WORDS[last]) return WORDS[last](value);
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return Array.isArray(value) ? value.join(', ') : number(value);
}

// The text in a label, where no heading names the setting: "seed 2", "4 threads", "8×8×8".
function settingText(key, value) {
  const text = key === 'seed' ? String(value) : valueText(key, value);
  const last = key.split('.').pop();
  if (BARE.has(last)) return text;
  if (COUNTED[last] && isNumber(value)) return plural(value, COUNTED[last]).replace('processs', 'processes');
  if (value === true || value === false) return value ? keyName(key) : 'no ' + keyName(key);
  return `${keyName(key)} ${text}`;
}

const placeOf = key => { const at = ORDER.indexOf(key.split('.').pop()); return at < 0 ? ORDER.length : at; };
const kinOf = settings => settings.verb + '|' + settings.fabric;

// Whether the setting distinguishes things: it has several values, or some thing of the same
// command and fabric lacks it.
function differs(key, all) {
  const holders = all.filter(one => key in one);
  if (new Set(holders.map(one => JSON.stringify(one[key]))).size > 1) return true;
  const kin = new Set(holders.map(kinOf));
  return all.some(one => !(key in one) && kin.has(kinOf(one)));
}

// {labels, common: [{key, text, of}]}: every label is unique and leaves out what all have in
// common. `of` names the commands of a common setting that does not apply to all.
function tellApart(heads) {
  const all = heads.map(head => flat(head));
  const keys = [...new Set(all.flatMap(one => Object.keys(one)))].sort((a, b) => placeOf(a) - placeOf(b));
  const differing = heads.length > 1 ? keys.filter(key => differs(key, all)) : [];
  const labels = all.map(one => differing.filter(key => key in one).map(key => settingText(key, one[key])).join(' · '));
  for (const key of ['date', 'file']) addToTwins(labels, heads.map(head => head[key]));
  addToTwins(labels, heads.map((_, i) => 'run ' + (i + 1)));
  const common = keys.filter(key => !differing.includes(key)).map(key => commonSetting(key, all));
  return {labels: labels.map((label, i) => label || nameAlone(all[i])), common};
}

// A single thing on a page needs no distinction.
const nameAlone = one => ['verb', 'bench', 'policy', 'size', 'torus'].filter(key => key in one)
    .map(key => settingText(key, one[key])).join(' · ') || 'run';

function addToTwins(labels, more) {
  const before = labels.slice();
  const isTwin = label => before.length > 1 && (label === '' || before.filter(other => other === label).length > 1);
  before.forEach((label, i) => {
    if (isTwin(label) && isKnown(more[i]) && new Set(more).size > 1) labels[i] = label ? `${label} · ${more[i]}` : String(more[i]);
  });
}

// The runs that share a setting: all runs, the runs of some commands, or the runs of some commands
// on some fabrics.
function commonSetting(key, all) {
  const holders = all.filter(one => key in one);
  const commands = new Set(holders.map(one => one.verb));
  const isOfCommands = all.every(one => key in one || !commands.has(one.verb));
  const names = holders.map(one => [one.verb, isOfCommands ? '' : one.fabric].filter(isKnown).join(' on '));
  return {key, text: key === 'seed' ? String(holders[0][key]) : valueText(key, holders[0][key]),
          of: holders.length < all.length ? [...new Set(names)].join(', ') : ''};
}
