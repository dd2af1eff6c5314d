// A pitfall's two forms: which lines of the source the switch between them takes and leaves, and what that does to the
// PTX.
import {hunks} from './diff.js';
import {difference, openKernel} from './kernel.js';

/// The kernel that is the other form of a pitfall; null for kernels without.
export function otherForm(program, kernel) {
  if (kernel.broken === undefined) return null;
  return program.kernels.find((each) => each.pitfall === kernel.pitfall && each.broken !== kernel.broken) ?? null;
}

// Numbers of registers and labels shift with each line that comes or goes.
const plain = (text) =>
    text.replace(/(%[a-z]+)(?:\d+|<\d+>)/g, '$1').replace(/\$L\w+/g, '$L').replace(/6broken|8repaired/g, '');

/// The lines in which the PTX of `kernel` differs from that of its other form, as hunks of diff.js.
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

/// Of the pitfall's region in a source, the lines that a form takes and leaves: Map of a line's number to 'switch', at
/// an #ifdef BROKEN, 'in' or 'out'.
export function switchedLines(text, {pitfall, broken}) {
  const found = new Map();
  let inside = false, form = null;
  text.split('\n').forEach((line, i) => {
    const mark = /^\s*\/\/ \[(\/?)([\w-]+)\]/.exec(line);
    if (mark?.[2] === pitfall) inside = mark[1] === '';
    if (!inside) return;
    if (/^#ifn?def BROKEN/.test(line)) {
      form = line.startsWith('#ifdef');
      found.set(i + 1, 'switch');
    } else if (form !== null && /^#else/.test(line)) {
      form = !form;
    } else if (/^#endif/.test(line)) {
      form = null;
    } else if (form !== null) {
      found.set(i + 1, form === broken ? 'in' : 'out');
    }
  });
  return found;
}
