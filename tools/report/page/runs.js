// Converts the page's data, from any version, to one form. Missing values stay undefined and are
// not shown.

const isVirtual = head => (isKnown(head.time_kind) ? head.time_kind === 'virtual' : !isKnown(head.fabric) || head.fabric === 'sim');
const headOf = raw => { const {head, ...rest} = raw; return {...rest, ...(head ?? {})}; };

// Percentage of the binding bound; for old results, computed from the times.
function percentOfBound(head, time, bound) {
  if (isNumber(head.percent_of_bound)) return head.percent_of_bound;
  if (bound > 0 && time > 0) return 100 * bound / time;
  return isNumber(head.percent_of_peak) ? head.percent_of_peak : undefined;
}

// In older results the bound of wall-clock times is in cycles of the machine.
function boundSeconds(head) {
  if (isNumber(head.bound_s)) return head.bound_s;
  return head.cycles > 0 && isNumber(head.bound_cycles) ? head.time_s * head.bound_cycles / head.cycles : undefined;
}

function runOf(raw) {
  const head = headOf(raw);
  const kind = isVirtual(head) ? 'virtual' : 'wall';
  const time = kind === 'virtual' ? head.cycles : head.time_s;
  const bound = kind === 'virtual' ? head.bound_cycles : boundSeconds(head);
  return {head, kind, time, bound, boundBy: head.bound_by, percent: percentOfBound(head, time, bound),
          peak: kind === 'virtual' ? head.percent_of_peak : undefined,
          profile: head.profile, perNode: head.per_node, recording: raw.recording, loads: raw.loads, slices: raw.slices ?? head.slices ?? [], phases: raw.phases ?? head.phases ?? []};
}

function labelled(things) {
  const {labels, common} = tellApart(things.map(thing => thing.head));
  things.forEach((thing, i) => { thing.label = labels[i]; });
  return {things, common};
}

// Cycles that the hottest link needs at its full rate for its packets.
function linkBound(run) {
  return run.peak > 0 && run.time > 0 ? Math.round(run.peak * run.time / 100) : run.bound;
}

const timeText = (run, value) => (!isNumber(value) ? '–' : run.kind === 'virtual' ? number(value) + ' cycles' : secondsText(value));
const BINDING = {link: 'link', processor: 'processor', latency: 'latency', copy: 'copying'};
const boundName = run => (isKnown(run.boundBy) ? BINDING[run.boundBy] ?? String(run.boundBy) : '');

// An axis of time for runs of one kind: {name, of(value): the value in the unit of the axis}.
function timeAxis(kind, values) {
  if (kind === 'virtual') return {name: 'cycles', of: value => value};
  const unit = secondsUnit(Math.max(0, ...values.filter(isNumber)));
  return {name: unit.name, of: value => value / unit.size};
}

// Labels for the things in one figure, without the settings that all of them share.
function relabelled(things) {
  if (things.length < 2) return things;
  const {labels} = tellApart(things.map(thing => thing.head));
  return things.map((thing, i) => ({...thing, label: labels[i]}));
}

function pageOf(data) {
  const runs = (data.runs ?? []).map(runOf);
  const benches = (data.benches ?? []).map(raw => ({head: headOf(raw), rows: raw.rows ?? raw.sizes ?? raw.head?.sizes ?? []}));
  const papers = (data.papers ?? []).map(raw => ({head: headOf(raw), rows: paperRows(raw), curves: raw.curves ?? raw.head?.curves ?? []}));
  const sweeps = (data.sweeps ?? []).map(raw => ({head: headOf(raw), axis: raw.axis ?? raw.head?.axis, file: raw.file, points: raw.points ?? raw.rows ?? []}));
  const all = labelled([...runs, ...benches, ...papers, ...sweeps]);
  return {runs, benches, papers, sweeps, failed: data.failed ?? [], common: all.common,
          about: {version: data.version, ...(data.about ?? {})}, all: all.things};
}

function paperRows(raw) {
  const nested = raw.sections ?? raw.head?.sections;
  if (!Array.isArray(nested)) return raw.rows ?? raw.head?.rows ?? [];
  return nested.flatMap(section => (section.rows ?? []).map(row => ({section: section.name, ...row})));
}
