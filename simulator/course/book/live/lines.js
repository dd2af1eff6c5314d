// Code in lines, each of which is an element.
import {element} from '../../../clcsim/player/page/element.js';

/// pieces: texts, and nodes without a line's end of their own, which stay as they are.
export function linesOf(pieces) {
  const lines = [element('span')];
  for (const piece of pieces) {
    const [text, ...more] = (piece.textContent ?? piece).split('\n');
    lines.at(-1).append(more.length > 0 ? text : piece);
    lines.push(...more.map((each) => element('span', each)));
  }
  return lines;
}
