// What PTX instructions are for in a kernel that steals; which of them can be taken away with one click; colours.
import {difference, withoutComments} from './kernel.js';

// The first that matches counts.
const kinds = [
  ['request', 'request', /\bclusterlaunchcontrol\.try_cancel\b/],
  ['query', 'query', /\bclusterlaunchcontrol\.query_cancel\.is_canceled\b/],
  ['decode', 'decode', /\bclusterlaunchcontrol\.query_cancel\.get_first_ctaid\b/],
  ['fence', 'proxy fence', /\bfence\.proxy\.async\b/],
  ['expect', 'expect-tx', /\bmbarrier\.(arrive\.)?expect_tx\b/],
  ['wait', 'wait', /\bmbarrier\.(try_wait|test_wait)\b/],
  ['init', 'initialise', /\bmbarrier\.init\b/],
  ['arrive', 'arrive', /\bmbarrier\.(arrive|complete_tx)\b/],
  ['barrier', 'barrier', /\b(bar\.sync|bar\.cta|barrier\.sync|barrier\.cta|bar\.warp|barrier\.cluster)\b/],
];

function statementIn(text) {
  const code = text.replace(/\/\*.*?\*\//g, (comment) => ' '.repeat(comment.length))
                   .replace(/\/\/.*$/, (comment) => ' '.repeat(comment.length));
  for (const [kind, name, pattern] of kinds) {
    const found = pattern.exec(code);
    if (!found) continue;
    const begin = Math.max(code.lastIndexOf(';', found.index), code.lastIndexOf('{', found.index)) + 1;
    const end = code.indexOf(';', found.index);
    if (end < 0) return null;
    const indent = /^\s*/.exec(code.slice(begin))[0].length;
    return {kind, name, begin: begin + indent, end: end + 1};
  }
  return null;
}

const takenAway = /(setp\.eq\.u32\s+[%\w$]+, 0, 0; )?\/\* removed: (.*?) \*\//;

/// What a line is in the protocol: {kind, name, code, removed, removable}, or null. `code`: its instruction.
export function markOf(text) {
  const gone = takenAway.exec(text);
  const whole = gone ? gone[2] : text, found = statementIn(whole);
  return found && {
    kind: found.kind,
    name: found.name,
    code: whole.slice(found.begin, found.end),
    removed: gone !== null,
    removable: found.kind !== 'query' && found.kind !== 'decode'
  };
}

/// The line without its instruction, or with it again. A wait that is taken away says yes at once.
export function toggled(text) {
  const gone = takenAway.exec(text);
  if (gone) return text.slice(0, gone.index) + gone[2] + text.slice(gone.index + gone[0].length);
  const found = statementIn(text);
  if (!found) return text;
  const statement = text.slice(found.begin, found.end);
  const answer = found.kind === 'wait' ? /\.b64\s+([%\w$]+)\s*,/.exec(statement) : null;
  const instead = answer ? `setp.eq.u32 ${answer[1]}, 0, 0; ` : '';
  return `${text.slice(0, found.begin)}${instead}/* removed: ${statement} */${text.slice(found.end)}`;
}

/// The line without the instructions of some kinds; null if nothing is left of it.
export function withoutKinds(text, kinds) {
  const found = statementIn(text);
  if (!found || !kinds.includes(found.kind)) return text;
  const left = text.slice(0, found.begin) + text.slice(found.end);
  return left.trim() === '' ? null : left;
}

/// How many instructions the lines `now` lack, where nothing else differs; otherwise -1.
export function instructionsRemoved(was, now) {
  const instructions = (lines) => lines.flatMap((line) => withoutComments(line).split(';'))
                                      .map((each) => each.trim())
                                      .filter((each) => each && !/^setp\.eq\.u32 \S+, 0, 0$/.test(each));  // toggled()
  const edits = difference(instructions(was), instructions(now));
  return edits.every(([, , come]) => come.length === 0) ? edits.reduce((sum, [, gone]) => sum + gone, 0) : -1;
}

const ptxParts = [
  /(\/\/.*$|\/\*.*?(?:\*\/|$))/, /("[^"]*")/, /(\$[\w$]+|^\s*[A-Za-z_][\w$]*:)/, /(%[A-Za-z_][\w.]*)/,
  /(\.[a-z][\w]*(?:(?:::|\.)\w+)*)/, /([a-z][\w]*(?:(?:::|\.)\w+)+|\b(?:bra|ret|exit|trap|pmevent)\b)/
];
const ptxPattern = new RegExp(ptxParts.map(({source}) => source).join('|'), 'g');
const ptxNames = ['comment', 'string', 'label', 'register', 'directive', 'word'];

/// A line of PTX in pieces: [[kind, text], ...]; kind is '' for the rest.
export function piecesOfPtx(text) {
  const result = [];
  let at = 0;
  for (const match of text.matchAll(ptxPattern)) {
    if (match.index > at) result.push(['', text.slice(at, match.index)]);
    result.push([ptxNames[match.slice(1).findIndex((each) => each !== undefined)], match[0]]);
    at = match.index + match[0].length;
  }
  if (at < text.length) result.push(['', text.slice(at)]);
  return result;
}
