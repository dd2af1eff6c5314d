// What PTX instructions are for in a kernel that steals; which of them can be taken away with one click; colours.

// Each with the steps' numbers of chapter 03. The first that matches counts.
const kinds = [
  [
    'request', /\bclusterlaunchcontrol\.try_cancel\b/, 'request',
    'asks the GPU to cancel a block that has not started. 16 bytes of answer come later, and count at the mbarrier'
  ],
  [
    'query', /\bclusterlaunchcontrol\.query_cancel\.is_canceled\b/, 'query',
    'whether the answer is a yes: a block was cancelled, and its work is now this block\u2019s'
  ],
  [
    'decode', /\bclusterlaunchcontrol\.query_cancel\.get_first_ctaid\b/, 'decode',
    'which block was cancelled. Only defined after a yes'
  ],
  [
    'fence', /\bfence\.proxy\.async\b/, 'proxy fence',
    'orders reads of the answer before the next answer is written, which no thread does but the GPU (the async proxy)'
  ],
  [
    'expect', /\bmbarrier\.(arrive\.)?expect_tx\b/, 'expect-tx',
    'tells the mbarrier how many bytes are due: its phase ends when they have come and all have arrived'
  ],
  [
    'wait', /\bmbarrier\.(try_wait|test_wait)\b/, 'wait',
    'until the phase of the mbarrier has ended, that is until the answer is there'
  ],
  ['init', /\bmbarrier\.init\b/, 'initialise', 'how many threads arrive in each phase of the mbarrier'],
  ['arrive', /\bmbarrier\.(arrive|complete_tx)\b/, 'arrive', 'one of the arrivals that end a phase of the mbarrier'],
  [
    'barrier', /\b(bar\.sync|bar\.cta|barrier\.sync|barrier\.cta|bar\.warp|barrier\.cluster)\b/, 'barrier',
    'threads meet here: what they did before is done for all of them afterwards'
  ],
];

const removable = new Set(['fence', 'expect', 'wait', 'barrier', 'init', 'arrive', 'request']);

function statementIn(text) {
  const code = text.replace(/\/\*.*?\*\//g, (comment) => ' '.repeat(comment.length))
                   .replace(/\/\/.*$/, (comment) => ' '.repeat(comment.length));
  for (const [kind, pattern, name, says] of kinds) {
    const found = pattern.exec(code);
    if (!found) continue;
    const begin = Math.max(code.lastIndexOf(';', found.index), code.lastIndexOf('{', found.index)) + 1;
    const end = code.indexOf(';', found.index);
    if (end < 0) return null;
    const indent = /^\s*/.exec(code.slice(begin))[0].length;
    return {kind, name, says, begin: begin + indent, end: end + 1};
  }
  return null;
}

const takenAway = /(setp\.eq\.u32\s+[%\w$]+, 0, 0; )?\/\* removed: (.*?) \*\//;

/// What a line is in the protocol: {kind, name, says, removed, removable}, or null.
export function markOf(text) {
  const gone = takenAway.exec(text);
  const found = statementIn(gone ? gone[2] : text);
  return found && {
    kind: found.kind,
    name: found.name,
    says: found.says,
    removed: gone !== null,
    removable: removable.has(found.kind)
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

/// How many instructions edits take away, where they do nothing else; otherwise -1.
export function instructionsRemoved(was, edits) {
  let removed = 0;
  for (const [index, gone, come] of edits) {
    if (come.length > gone) return -1;
    for (let i = 0; i < gone; i++) {
      const text = was[index + i], now = come[i];
      const commented = now !== undefined && /^\s*\/\//.test(now) && now.replace(/^\s*\/\/\s*/, '') === text.trim();
      if (now !== undefined && now !== toggled(text) && !commented && now.trim() !== '') return -1;
      removed++;
    }
  }
  return removed;
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
