// The source with the current lines, and the way from a line to when it runs next.
import {breakable, element} from './element.js';
import {blockOf, warpsOf} from './moments.js';
import {groupBy, ranges} from './numbers.js';
import {kinds} from './record.js';

const words = new Set(
    ('if else for while do return break continue const constexpr auto int float bool void unsigned long uint32_t ' +
     'uint64_t struct template class typename static inline sizeof true false using namespace __device__ __global__ ' +
     '__shared__ __launch_bounds__')
        .split(' '));

/// A line with comments, strings and words of the language marked. --i: how far it is indented.
export function coloured(text) {
  const [indent] = /^ */.exec(text);
  const code = element('code', '', {style: `--i: ${indent.length}`}, element('span', indent, {class: 'in'}));
  const pattern = /(\/\/.*$|"(?:[^"\\]|\\.)*"|\b[A-Za-z_]\w*\b)/g;
  let at = indent.length;
  for (const match of text.matchAll(pattern)) {
    const kind = match[0].startsWith('//') ? 'comment' :
        match[0].startsWith('"')           ? 'string' :
        words.has(match[0])                ? 'word' :
                                             '';
    if (kind === '') continue;
    code.append(...breakable(text.slice(at, match.index)), element('span', match[0], {class: kind}));
    at = match.index + match[0].length;
  }
  code.append(...breakable(text.slice(at)));
  return code;
}

/// A row of a source: the line's number, which is a button where `act` leads somewhere, `between`, and the line.
export function sourceRow(number, text, says, act, attributes = {}, ...between) {
  const button = {type: 'button', title: says, 'aria-label': `line ${number}: ${says}`, onclick: act};
  const label = element(act ? 'button' : 'span', String(number), {class: 'number', ...(act ? button : {})});
  return element('li', '', {value: number, ...attributes}, label, ...between, coloured(text));
}

/// Only inside the list, which the row is positioned in: the page stays where it is.
export function scrollToRow(list, {offsetTop}) {
  if (offsetTop < list.scrollTop + 30 || offsetTop > list.scrollTop + list.clientHeight - 50)
    list.scrollTop = offsetTop - list.clientHeight / 3;
}

/// The lines of `#ifdef BROKEN` and its `#else` in a file, by number: true: only the broken form has them.
export function formsOf({first, text}) {
  const forms = new Map(), open = [];
  text.forEach((line, i) => {
    const [, word, name] = /^\s*#\s*(if\w*|else|endif)\b\s*(\w*)/.exec(line) ?? [];
    if (word === 'endif')
      open.pop();
    else if (word === 'else')
      open.push(typeof open[open.length - 1] === 'boolean' ? !open.pop() : open.pop() ?? null);
    else if (word)
      open.push(name !== 'BROKEN' ? null : word === 'ifdef' ? true : word === 'ifndef' ? false : null);
    else if (open.some((form) => form !== null))
      forms.set(first + i, open.findLast((form) => form !== null));
  });
  return forms;
}

// First and last line of what stands between two lines that close a function.
function around({first, text}, number) {
  const closes = (i) => /^[}]|^\/\/ \[/.test(text[i] ?? '}');
  let from = number - first, to = from;
  while (from > 0 && !closes(from - 1)) from--;
  while (to < text.length - 1 && !closes(to)) to++;
  return [first + from, first + to];
}

/// Whether a kernel's name says that it is a broken form.
export function isNamedBroken(panel) { return panel.launches.some(({kernel}) => /\bbroken::/.test(kernel)); }

/// Of the functions that ran, the lines in which a broken form differs from the repaired one: [{file, number, text,
/// out}]. out: this run's kernel lacks the line. Empty if it is not a broken form that ran.
export function brokenLines(run, panel) {
  if (panel.brokenLines) return panel.brokenLines;
  const ran = new Set(panel.launches.flatMap((launch) => launch.steps.line)), found = new Map();
  let isBroken = isNamedBroken(panel);
  const forms = run.files.map(formsOf);
  for (const number of ran) {
    if (!number) continue;
    const [file, line] = run.lines[number - 1];
    isBroken ||= forms[file].get(line) === true;
    const [from, to] = around(run.files[file], line);
    for (let at = from; at <= to; at++) {
      const form = forms[file].get(at);
      if (form === undefined) continue;
      const text = run.files[file].text[at - run.files[file].first];
      found.set(`${file}:${at}`, {file, number: at, text, out: !form});
    }
  }
  panel.brokenLines = isBroken ? [...found.values()].sort((a, b) => a.file - b.file || a.number - b.number) : [];
  return panel.brokenLines;
}

export class Source {
  /// chosen(line): a line was clicked.
  constructor(place, run, chosen) {
    this.place = place;
    this.run = run;
    this.chosen = chosen;
    this.file = -1;
    this.marks = new Map();  // {text, kind} by "file:line": what is wrong there
    this.numberOf = new Map(run.lines.map(([file, number], i) => [`${file}:${number}`, i + 1]));
  }

  /// Marks the lines of a finding (story.js, guiltyLines) and those of a broken form.
  accuse(guilty, broken) {
    this.marks.clear();
    for (const {file, number, out} of broken)
      this.marks.set(`${file}:${number}`, {text: out ? 'missing' : 'broken', kind: out ? 'missing' : 'broken'});
    for (const {file, line, label} of guilty) {
      const at = this.run.files.findIndex(({name}) => name === file);
      if (at >= 0) this.marks.set(`${at}:${line}`, {text: label, kind: 'guilty'});
    }
    const {file} = this;
    this.file = -1;
    this.show(file);
  }

  /// Another file only if none is kept.
  show(file) {
    if (this.kept !== undefined) file = this.kept;
    if (file === this.file || !this.run.files[file]) return;
    this.file = file;
    const {name, first, text} = this.run.files[file];
    const indent = Math.min(...text.filter((line) => line.trim()).map((line) => line.search(/\S/)));
    this.rows = text.map((line, i) => {
      const at = `${file}:${first + i}`, mark = this.marks.get(at), number = this.numberOf.get(at);
      const row = sourceRow(
          first + i, line.slice(indent), 'go to where it runs next, in the block in focus',
          number && (() => this.chosen(number)), mark ? {class: `accused ${mark.kind}`} : {},
          element('span', '', {class: 'who'}));
      if (mark) row.append(element('span', mark.text, {class: 'tag'}));
      return row;
    });
    this.list = element('ol', '', {class: 'source', start: first, 'aria-label': name}, ...this.rows);
    this.place.replaceChildren(element('p', name, {class: 'file'}), this.list);
  }

  /// Marks the lines where the warps of a block are, and shows that of the event or of the chosen warp.
  mark(panel, focus, time, line) {
    const launch = panel.launches[focus.launch];
    const known = blockOf(panel, focus.launch, focus.block);
    const active = warpsOf(known, launch, time).filter((warp) => warp.line && /runs|waits/.test(warp.state));
    const here = groupBy(active, (warp) => warp.line);
    const chosen = [...here].find(([, warps]) => warps.some(({warp}) => warp === focus.warp))?.[0];
    const first = line || (chosen ?? here.keys().next().value);
    if (first)
      this.show(this.run.lines[first - 1][0]);
    else if (this.file < 0)
      this.show(0);
    if (!this.rows) return;
    for (const row of this.rows) {
      row.classList.remove('current', 'event');
      row.children[1].textContent = '';
    }
    for (const [number, warps] of here) {
      const row = this.rowOf(number);
      if (!row) continue;
      row.classList.add('current');
      const names = warps.map((warp) => warp.warp), all = names.length > 3 && names.length === known.warps.size;
      row.children[1].textContent = all ? 'all warps' : `warp${names.length > 1 ? 's' : ''} ${ranges(names)}`;
    }
    // Before it starts: where it will begin.
    const row = this.rowOf(first || nextLine(panel, {...focus, time: -1}, 1)?.line);
    if (line) row?.classList.add('event');
    if (row) this.scrollTo(row);
  }

  /// The row of a line of the record; undefined: it is of another file.
  rowOf(line) {
    const [file, number] = this.run.lines[line - 1] ?? [];
    return file === this.file ? this.rows[number - this.run.files[file].first] : undefined;
  }

  scrollTo(row) {
    if (row !== this.shown) scrollToRow(this.list, row);
    this.shown = row;
  }
}

// The lines that a block's warps run, {line, time}, in the order of time.
function linesRun(panel, {launch, block}) {
  const {steps} = panel.launches[launch], all = [...blockOf(panel, launch, block).warps.values()];
  return all.flatMap((warp) => warp.steps.filter((step) => kinds[steps.kind[step]] === 'runs' && steps.line[step]))
      .map((step) => ({line: steps.line[step], time: steps.time[step]}))
      .sort((a, b) => a.time - b.time);
}

/// The next line of a block in a direction (1 or -1): {line, time}; undefined: there is none.
export function nextLine(panel, focus, direction) {
  const all = linesRun(panel, focus);
  return direction > 0 ? all.find(({time}) => time > focus.time) : all.findLast(({time}) => time < focus.time);
}

/// When a line runs next in a block, after a time; from the start if it doesn't any more; -1: never.
export function nextExecution(panel, focus, line, time) {
  const times = linesRun(panel, focus).filter((each) => each.line === line).map((each) => each.time);
  return times.find((each) => each > time) ?? times[0] ?? -1;
}
