// From a finding to the line of PTX that it is about.
import {ownName, ownPlace} from './kernel.js';
import {markOf} from './marks.js';

/// A line of the editor, or -1. chainOf(line): its places in the source.
export function lineOfFinding(finding, lineOf, lines, chainOf, sources) {
  const told = finding.ptx_line ? lineOf[finding.ptx_line - 1] ?? -1 : -1;
  if (told >= 0 && told < lines.length) return told;
  const file = finding.file ? ownName(finding.file, sources) : null;
  if (file === null) return -1;
  const inner = finding.chain?.[0]?.line, named = /the instruction ([\w.:]+)/.exec(finding.what)?.[1];
  let best = -1, most = 0;
  lines.forEach((text, line) => {
    const chain = chainOf(line), place = ownPlace(chain, sources);
    if (!place || place[0] !== file || place[1] !== finding.line) return;
    // Of the instructions of a line of the source, the one that is named, or that has the same inlined call, and rather
    // one of the protocol.
    const points = 1 + (named && text.includes(named) ? 4 : 0) +
        (inner !== undefined && chain[0][1] === inner ? 2 : 0) + (markOf(text) ? 1 : 0);
    if (points > most) [best, most] = [line, points];
  });
  return best;
}
