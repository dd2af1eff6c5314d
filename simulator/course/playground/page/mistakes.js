// A mistake in the PTX: the line and the column that the reader sees, and what was expected there.
import {withoutComments} from './kernel.js';

const place = /^PTX line (\d+), column (\d+): /;

// Where the code before a place of the text ends: [line, column], from 1.
function endOfCodeBefore(texts, line, column) {
  for (let i = line - 1; i >= 0; i--) {
    const text = i === line - 1 ? texts[i].slice(0, column - 1) : texts[i];
    if (/^\s*\.(?:loc|file)\b/.test(text)) continue;
    const code = withoutComments(text).trimEnd();
    if (code.trim() !== '') return [i + 1, code.length + 1];
  }
  return [line, column];
}

/// {line, column, says, word}: line of the editor and column, from 1; null where the mistake is in no line of it.
/// `word` is the one that is wrong, if one is. lineOf: of compose().
export function mistakeOf(message, text, lineOf, lines) {
  const found = place.exec(message);
  if (!found) return {line: null, column: null, says: message, word: ''};
  let says = message.slice(found[0].length), [line, column] = [Number(found[1]), Number(found[2])];
  const expected = /^(expected .*), found (?:'.*'|the end of the text)$/s.exec(says);
  if (expected) {
    const end = endOfCodeBefore(text.split('\n'), line, column);
    if (end[0] !== line) says = `${expected[1]}, and the line ends`;
    [line, column] = end[0] === line ? [line, column] : end;
  }
  const at = lineOf[line - 1] ?? -1, shown = at >= 0 && text.split('\n')[line - 1] === lines[at];
  const quoted = /^(?:the \w+|there is no label) '([^']+)'/.exec(says)?.[1] ?? '';
  return {line: at < 0 ? null : at + 1, column: shown ? column : null, says, word: quoted};
}

/// The same of an instruction that the simulator has refused while it ran; null if the finding is another one.
export function refusedInstruction(finding, line, lines) {
  const word = /^the instruction ([\w.:]+) is not modelled( with these operands)?$/.exec(finding?.what ?? '');
  if (!word || line < 0) return null;
  const column = lines[line].indexOf(word[1]);
  const says = word[2] ? `clcsim knows no ${word[1]} with these operands: see how many it takes, and of which types` :
                         `clcsim knows no instruction ${word[1]}`;
  return {line: line + 1, column: column < 0 ? null : column + 1, says, word: word[2] ? '' : word[1]};
}
