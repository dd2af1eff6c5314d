// The source with the current lines, and the way from a line to when it runs next.
import {element} from './focus.js';
import {blockOf, warpsOf} from './moments.js';
import {countUpTo, ranges} from './numbers.js';
import {kinds} from './record.js';

const words = new Set(
    ('if else for while do return break continue const constexpr auto int float bool void unsigned long uint32_t uint64_t struct ' +
     'template class typename static inline true false using namespace __device__ __global__ __shared__ __launch_bounds__')
        .split(' '));

// A line with comments, strings and words of the language marked.
function coloured(text) {
  const code = element('code');
  const pattern = /(\/\/.*$|"(?:[^"\\]|\\.)*"|\b[A-Za-z_]\w*\b)/g;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = match[0].startsWith('//') ? 'comment' :
        match[0].startsWith('"')           ? 'string' :
        words.has(match[0])                ? 'word' :
                                             '';
    if (kind === '') continue;
    code.append(text.slice(at, match.index), element('span', match[0], {class: kind}));
    at = match.index + match[0].length;
  }
  code.append(text.slice(at));
  return code;
}

export class Source {
  /// chosen(line): a line was clicked.
  constructor(place, run, chosen) {
    this.place = place;
    this.run = run;
    this.chosen = chosen;
    this.file = -1;
    this.numberOf = new Map(run.lines.map(([file, number], i) => [`${file}:${number}`, i + 1]));
  }

  show(file) {
    if (file === this.file || !this.run.files[file]) return;
    this.file = file;
    const {name, first, text} = this.run.files[file];
    const list = element('ol', '', {class: 'source', start: first, 'aria-label': name});
    this.rows = text.map((line, i) => {
      const row = element('li', '', {value: first + i});
      const number = this.numberOf.get(`${file}:${first + i}`);
      const label = element(number ? 'button' : 'span', String(first + i), {class: 'number'});
      if (number) {
        label.type = 'button';
        label.title = 'Go to where this line runs next, in the block in focus';
        label.setAttribute('aria-label', `line ${first + i}: go to where it runs next`);
        label.addEventListener('click', () => this.chosen(number));
      }
      row.append(label, element('span', '', {class: 'who'}), coloured(line));
      list.append(row);
    });
    const rows = [...list.children];
    this.place.replaceChildren(element('p', name, {class: 'file'}), list);
    this.rows = rows;
    this.list = list;
  }

  /// Marks the lines where the warps of a block are.
  mark(panel, focus, time, line) {
    const launch = panel.launches[focus.launch];
    const known = blockOf(panel, focus.launch, focus.block);
    const here = new Map();
    for (const warp of warpsOf(known, launch, time)) {
      if (!warp.line || warp.state === 'before' || warp.state === 'exits') continue;
      if (!here.has(warp.line)) here.set(warp.line, []);
      here.get(warp.line).push(warp);
    }
    const first = line || here.keys().next().value;
    if (first)
      this.show(this.run.lines[first - 1][0]);
    else if (this.file < 0)
      this.show(0);
    if (!this.rows) return;
    for (const row of this.rows) {
      row.classList.remove('current', 'event');
      row.children[1].textContent = '';
    }
    const base = this.run.files[this.file].first;
    for (const [number, warps] of here) {
      const [file, at] = this.run.lines[number - 1];
      if (file !== this.file || !this.rows[at - base]) continue;
      const row = this.rows[at - base];
      row.classList.add('current');
      const names = warps.map((warp) => warp.warp), all = names.length > 3 && names.length === known.warps.size;
      row.children[1].textContent = all ? 'all warps' : `warp${names.length > 1 ? 's' : ''} ${ranges(names)}`;
    }
    if (!first) return;
    const [file, at] = this.run.lines[first - 1];
    const row = file === this.file ? this.rows[at - base] : undefined;
    if (row === undefined) return;
    if (line) row.classList.add('event');
    this.scrollTo(row);
  }

  // Only inside the list: the page stays where it is.
  scrollTo(row) {
    const {list} = this, top = row.offsetTop;  // the list is what it is positioned in
    if (top < list.scrollTop + 20 || top > list.scrollTop + list.clientHeight - 50)
      list.scrollTop = top - list.clientHeight / 3;
  }
}

/// When a line runs next in a block, after a time; from the start if it doesn't any more; -1: never.
export function nextExecution(panel, focus, line, time) {
  const {steps} = panel.launches[focus.launch];
  let next = Infinity, first = Infinity;
  for (const warp of blockOf(panel, focus.launch, focus.block).warps.values()) {
    for (const step of warp.steps) {
      if (steps.line[step] !== line || kinds[steps.kind[step]] !== 'runs') continue;
      first = Math.min(first, steps.time[step]);
    }
    for (let i = countUpTo(warp.times, time); i < warp.times.length; i++) {
      const step = warp.steps[i];
      if (steps.line[step] !== line || kinds[steps.kind[step]] !== 'runs') continue;
      next = Math.min(next, steps.time[step]);
      break;
    }
  }
  return next < Infinity ? next : first < Infinity ? first : -1;
}
