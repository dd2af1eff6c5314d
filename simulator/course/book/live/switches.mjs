// For pages and for Node: a file in which some places have alternatives, one of which is chosen.

/// The file's text. `parts`: texts, and arrays of alternatives; `picks`: an index for each of the latter.
export function composed(parts, picks) {
  let next = 0;
  return parts.map((part) => Array.isArray(part) ? part[picks[next++]] : part).join('');
}

/// The number of this choice among all.
export function numberOf(parts, picks) {
  return parts.filter(Array.isArray).reduce((sum, {length}, i) => sum * length + picks[i], 0);
}

export function countOf(parts) {
  return parts.filter(Array.isArray).reduce((product, {length}) => product * length, 1);
}

/// The choice of this number.
export function picksOf(parts, number) {
  const picks = [];
  for (const {length} of parts.filter(Array.isArray).reverse()) {
    picks.unshift(number % length);
    number = Math.floor(number / length);
  }
  return picks;
}
