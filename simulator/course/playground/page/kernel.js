// The text of a kernel as the page shows it: one .entry of a PTX module, without the lines that only carry places in
// the source. What is edited here goes back into the whole module, which the simulator reads.

const hidden = /^\s*(\.loc\b.*|\/\/ (begin|end) inline asm|\/\/ demoted variable|)$/;

// `.loc file line column[, function_name label, inlined_at file line column]`
function readLoc(text) {
  const found = /^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?/.exec(text);
  if (!found) return null;
  const [file, line, column, ...outer] = found.slice(1).map((each) => (each === undefined ? -1 : Number(each)));
  return {
    file,
    line,
    key: `${file} ${line} ${column}`,
    outer: outer[0] < 0 ? null : {file: outer[0], line: outer[1], key: outer.join(' ')}
  };
}

// From the inlined function outwards to the kernel: [[file number, line], ...].
function chainOf(loc, callers) {
  const chain = [];
  for (let at = loc; at && chain.length < 40; at = at.outer ?? callers.get(at.key) ?? null) {
    if (at.line > 0) chain.push([at.file, at.line]);
  }
  return chain;
}

/// The code of a line; comments and strings become nothing.
export function withoutComments(line) {
  return line.replace(/\/\/.*$/, '').replace(/\/\*.*?\*\//g, '').replace(/"[^"]*"/g, '');
}

/// Splits a module: {before, shown, after, files}. `shown` has a line's text, the hidden lines that stand before it,
/// and its chain of places [[file name, line], ...], innermost first.
export function openKernel(text, symbol) {
  const lines = text.split('\n');
  const files = new Map();
  for (const line of lines) {
    const found = /^\s*\.file\s+(\d+)\s+"([^"]*)"/.exec(line);
    if (found) files.set(Number(found[1]), found[2]);
  }
  const first = lines.findIndex((line) => /\.entry\s/.test(line) && line.split(/[\s(]+/).includes(symbol));
  if (first < 0)
    return {before: [], shown: lines.map((line) => ({text: line, hidden: [], chain: []})), after: [], files};
  let last = first, depth = 0, opened = false;
  for (; last < lines.length; last++) {
    for (const letter of withoutComments(lines[last])) {
      if (letter === '{') [depth, opened] = [depth + 1, true];
      if (letter === '}') depth--;
    }
    if (opened && depth === 0) break;
  }
  const shown = [], callers = new Map();
  let waiting = [], chain = [], inside = false;
  for (const line of lines.slice(first, last + 1)) {
    const loc = readLoc(line);
    if (loc) {
      if (loc.outer) callers.set(loc.key, loc.outer);
      chain = chainOf(loc, callers).map(([file, number]) => [files.get(file) ?? '', number]);
    }
    if (hidden.test(line)) {
      waiting.push(line);
      continue;
    }
    const statement = /[a-z][\w.:]*.*;/.test(withoutComments(line)) && !/^\s*\./.test(line);
    // As the compiler prints it; what comes out of an executable has lost its spaces.
    const text = inside && /^[^\s{}$]/.test(line) && !/^\w+:/.test(line) ? `\t${line}` : line;
    inside ||= line.startsWith('{');
    shown.push({text, hidden: waiting, chain: statement ? chain : []});
    waiting = [];
  }
  return {before: lines.slice(0, first), shown, after: lines.slice(last + 1), files};
}

// Indices [i, j] of lines that two texts have in common, as many as possible.
function common(a, b) {
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 :
                                              Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j])
      pairs.push([i++, j++]);
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1])
      i++;
    else
      j++;
  }
  return pairs;
}

/// How to get from the lines `was` to the lines `now`: [[index, how many go, [what comes], ...], ...].
export function difference(was, now) {
  let head = 0, tail = 0;
  while (head < was.length && head < now.length && was[head] === now[head]) head++;
  while (tail < was.length - head && tail < now.length - head &&
         was[was.length - 1 - tail] === now[now.length - 1 - tail])
    tail++;
  const a = was.slice(head, was.length - tail), b = now.slice(head, now.length - tail);
  const pairs = a.length * b.length > 4e6 ? [] : common(a, b);
  const edits = [];
  let i = 0, j = 0;
  for (const [nextI, nextJ] of [...pairs, [a.length, b.length]]) {
    if (nextI > i || nextJ > j) edits.push([head + i, nextI - i, b.slice(j, nextJ)]);
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return edits;
}

/// The lines after edits; null where these edits are not for this text.
export function edited(was, edits) {
  const now = [];
  let at = 0;
  for (const [index, gone, come] of edits) {
    if (!Number.isInteger(index) || !Number.isInteger(gone) || index < at || gone < 0 || index + gone > was.length ||
        !Array.isArray(come))
      return null;
    now.push(...was.slice(at, index), ...come.map(String));
    at = index + gone;
  }
  return [...now, ...was.slice(at)];
}

/// The whole module with the edited lines in it: {text, lineOf, origin, chains}. lineOf has the edited line (from 0) of
/// each line of the module, or that before it; origin the line of `shown` that an edited line was, or -1; chains the
/// places of each edited line.
export function compose(kernel, lines) {
  const all = [], lineOf = [], origin = lines.map(() => -1), chains = [];
  let before = -1;
  const put = (text, line) => {
    all.push(text);
    lineOf.push(before = Math.max(before, line));
  };
  kernel.before.forEach((line) => put(line, -1));
  let at = 0, to = 0;
  const keep = (until) => {
    for (; at < until; at++, to++) {
      kernel.shown[at].hidden.forEach((line) => put(line, -1));
      origin[to] = at;
      chains[to] = kernel.shown[at].chain;
      put(lines[to], to);
    }
  };
  for (const [index, gone, come] of difference(kernel.shown.map((line) => line.text), lines)) {
    keep(index);
    // A line that takes another one's place takes its place in the source, too.
    for (let i = 0; i < Math.max(gone, come.length); i++) {
      if (i < gone) kernel.shown[at++].hidden.forEach((line) => put(line, -1));
      if (i < come.length) {
        chains[to] = (i < gone ? kernel.shown[index + i].chain : chains[to - 1]) ?? [];
        put(lines[to], to++);
      }
    }
  }
  keep(kernel.shown.length);
  kernel.after.forEach((line) => put(line, -1));
  return {text: all.join('\n'), lineOf, origin, chains};
}

/// The innermost place of a chain that is in one of the course's own files: [file, line], or null.
export function ownPlace(chain, sources) {
  for (const [file, line] of chain) {
    const name = ownName(file, sources);
    if (name !== null) return [name, line];
  }
  return null;
}

/// The key of `sources` that a file name of the compiler means: paths may be absolute.
export function ownName(file, sources) {
  for (const name of Object.keys(sources))
    if (file === name || file.endsWith(`/${name}`)) return name;
  return null;
}
