// The forms of a kernel that one source has: which of its lines switch between them, and what that does to the PTX. A
// pitfall has two, a template one for each list of arguments that its chapter launches.
import {formsOf} from '../../../clcsim/player/page/source.js';

import {hunks} from './diff.js';
import {difference, openKernel} from './kernel.js';

// "multiply" of "multiply<2, 1, 1>"; of no template's kernel nothing.
const templateOf = (kernel) => (kernel.pitfall ? undefined : /^[\w:]+(?=<)/.exec(kernel.function)?.[0]);

/// The kernel that is the other form of a pitfall, or the next of the same template; null for kernels without.
export function otherForm({kernels}, kernel) {
  if (kernel.pitfall)
    return kernels.find((each) => each.pitfall === kernel.pitfall && each.broken !== kernel.broken) ?? null;
  const name = templateOf(kernel), same = name ? kernels.filter((each) => templateOf(each) === name) : [];
  return same.length > 1 ? same[(same.indexOf(kernel) + 1) % same.length] : null;
}

/// What a form is called.
export function formName(kernel) {
  return kernel.pitfall ? `the ${kernel.broken ? 'broken' : 'repaired'} form` : kernel.function;
}

// Numbers of registers and labels shift with each line that comes or goes; names hold the form.
const plain = (text) => text.replace(/(%[a-z]+)(?:\d+|<\d+>)/g, '$1')
                            .replace(/\$L\w+/g, '$L')
                            .replace(/6broken|8repaired|I(?:Li\d+E)+E/g, '');

/// The lines in which the PTX of `kernel` differs from that of another form, as hunks of diff.js.
export function formHunks(kernel, other) {
  const [was, now] = [other, kernel].map((each) => openKernel(each.ptx, each.symbol).shown.map(({text}) => text));
  const edits = difference(was.map(plain), now.map(plain)), taken = [];
  let shift = 0;
  for (const [at, gone, come] of edits) {
    taken.push([at, gone, now.slice(at + shift, at + shift + come.length)]);
    shift += come.length - gone;
  }
  return hunks(was, taken);
}

/// The lines of a source that switch between forms: Map of a line's number to 'switch', at an #ifdef BROKEN of the
/// pitfall's region or at the template's parameters, and 'in' or 'out' where the form takes or leaves the line.
export function switchedLines(text, kernel) {
  const {pitfall, broken} = kernel, name = templateOf(kernel), found = new Map(), lines = text.split('\n');
  const forms = formsOf({first: 1, text: lines});
  let inside = false;
  lines.forEach((line, i) => {
    const head = name && /^template </.test(line) ? lines.slice(i, i + 4).join(' ') : '';
    if (head.includes('__global__') && head.includes(` ${name}(`)) found.set(i + 1, 'switch');
    const mark = /^\s*\/\/ \[(\/?)([\w-]+)\]/.exec(line);
    if (mark && mark[2] === pitfall) inside = mark[1] === '';
    if (!inside) return;
    if (/^#ifn?def BROKEN/.test(line))
      found.set(i + 1, 'switch');
    else if (forms.has(i + 1))
      found.set(i + 1, forms.get(i + 1) === broken ? 'in' : 'out');
  });
  return found;
}
