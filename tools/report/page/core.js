// Shared by all plots: errors, elements, numbers as text.

const root = document.documentElement;
const errors = [];

function fail(what) {
  errors.push(String(what));
  root.dataset.errors = JSON.stringify(errors);
}
window.addEventListener('error', event => fail(event.message));
window.addEventListener('unhandledrejection', event => fail(event.reason));
root.dataset.errors = '[]';

// Strings among the children become text nodes, so data is never parsed as HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const isKnown = value => value !== undefined && value !== null && value !== '';
const isNumber = value => typeof value === 'number' && Number.isFinite(value);
const sumOf = values => values.reduce((sum, value) => sum + value, 0);
const plural = (count, what) => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

// 12345678 -> "12,345,678"; 0.12345 -> "0.123"; 0.0000123 -> "1.23e-5"; 3.9999999999999996 -> "4"
function number(value) {
  if (!isKnown(value)) return '';
  if (!isNumber(value)) return String(value);
  const size = Math.abs(value);
  if (size > 0 && (size < 0.001 || size >= 1e15)) return String(+value.toPrecision(3));
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : 3;
  return value.toLocaleString('en', {maximumFractionDigits: digits});
}

// For axes: 1500 -> "1.5k"
function brief(value) {
  for (const [unit, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (Math.abs(value) >= unit) return +(value / unit).toPrecision(3) + letter;
  return String(+value.toPrecision(3));
}

// 0.00123 -> "1.23 ms"
function secondsText(value) {
  for (const [unit, name] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']])
    if (Math.abs(value) >= unit) return `${+(value / unit).toPrecision(4)} ${name}`;
  return `${+(value / 1e-9).toPrecision(4)} ns`;
}

// 4096 -> "4 KiB"; 240 -> "240 B"
function bytesText(value) {
  for (const [unit, name] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB']])
    if (value >= unit && value % (unit / 16) === 0) return `${number(value / unit)} ${name}`;
  return `${number(value)} B`;
}

// 93.14 -> "93.1 %"; 0.0267 -> "0.027 %"
const percentText = value => (!isNumber(value) ? '–' : value > 0 && value < 1 ? `${+value.toPrecision(2)} %` : value.toFixed(1) + ' %');

// The unit in which times up to `most` seconds are small numbers: {name, seconds per unit}.
function secondsUnit(most) {
  for (const [name, size] of [['s', 1], ['ms', 1e-3], ['µs', 1e-6]])
    if (most >= size) return {name, size};
  return {name: 'ns', size: 1e-9};
}
