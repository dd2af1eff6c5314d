// Numbers: tables as the record packs them (player/record.cpp), how numbers are written, and how values are searched.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOf = new Uint8Array(128);
for (let i = 0; i < digits.length; i++) valueOf[digits.charCodeAt(i)] = i;

/// Columns of a packed table, as arrays of numbers.
export function unpack(text, width) {
  const columns = Array.from({length: width}, () => []), above = new Array(width).fill(0);
  let at = 0;
  const number = () => {
    let value = 0, scale = 1;
    for (;;) {
      const digit = valueOf[text.charCodeAt(at++)];
      value += (digit & 31) * scale;
      if (!(digit & 32)) return value % 2 ? -(value - 1) / 2 : value / 2;
      scale *= 32;
    }
  };
  while (at < text.length) {
    const mask = text.slice(at, at + Math.ceil(width / 5));
    at += mask.length;
    for (let column = 0; column < width; column++) {
      if (valueOf[mask.charCodeAt(Math.floor(column / 5))] >> column % 5 & 1) above[column] += number();
      columns[column].push(above[column]);
    }
  }
  return columns;
}

/// 183,220
export function grouped(number) { return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ','); }

/// "1 block", "2,930 blocks"
export function count(number, what) { return `${grouped(number)} ${what}${number === 1 ? '' : 's'}`; }

/// How many entries of an ascending array are <= value.
export function countUpTo(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Values by a key that each has: a Map of arrays.
export function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(value);
  }
  return groups;
}

/// "0-3, 6"
export function ranges(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts[parts.length - 1];
    if (last && last[1] === number - 1)
      last[1] = number;
    else
      parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}\u2013${to}`)).join(', ');
}
