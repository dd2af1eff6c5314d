// A report in a page: each finding as a card, from which a line of the task leads to the line in the page, and the
// pitfall's name to the pitfall; and below all that the text, as the terminal prints it.
import {breakable, element, linkButton} from '../../../clcsim/player/page/element.js';

import {copyButton} from './copy.js';

const kPlaces = /^(?<chapter>\w+), (?<pitfall>[\w-]+)$|\btask\.cu:(?<line>\d+)/g;

// What the text of a fact becomes. goTo(line), if the page has the task's lines.
function linked(text, label, goTo) {
  const parts = [];
  let at = 0;
  for (const {0: words, index, groups: {chapter, pitfall, line}} of text.matchAll(kPlaces)) {
    if (pitfall ? label !== 'more' : !goTo) continue;
    parts.push(text.slice(at, index));
    at = index + words.length;
    parts.push(
        pitfall ? element('a', pitfall, {href: `${clcBook.at}../${chapter}/PITFALLS.html#${pitfall}`}) :
                  linkButton(words, () => goTo(Number(line))));
  }
  return [...parts, text.slice(at)].flatMap((part) => typeof part === 'string' ? breakable(part) : [part]);
}

/// A card for each finding of a report.
export function findingsOf(report, goTo) {
  const cards = [];
  let facts = null;
  for (const [, line] of report.matchAll(/^=========(.*)$/gm)) {
    const [, name, what] = /^ clcsim: (?:(?:error|note) \[([\w-]+)\]|refused): (.*)/.exec(line) ?? [];
    const [, code] = /^ +\d+ \| +(.*)/.exec(line) ?? [],
             [, label, text] = /^ {3}(?!at least )(\S+) +(.*)/.exec(line) ?? [];
    if (what) {
      facts = element('dl');
      cards.push(element(
          'div', '', {class: 'live-finding'}, element('p', '', {}, element('strong', name ?? 'refused'), ` ${what}`),
          facts));
    } else if (code && facts?.lastChild) {
      facts.lastChild.append(clcPlayer.coloured(code));
    } else if (label && facts) {
      facts.append(
          element('dt', label),
          element('dd', '', {}, ...linked(goTo ? text.replace(/\S+\/(?=task\.cu:)/, '') : text, label, goTo)));
    }
  }
  return cards;
}

/// A verdict's colour.
export const kindOf = (words) => /^PASS$/.test(words) ? 'good' : /^(PASS|INCONCLUSIVE)/.test(words) ? 'luck' : 'bad';

/// A verdict in a word or two, as all pages show it.
export const chipOf = (words) => element('strong', words, {class: `live-chip ${kindOf(words)}`});

/// The text, folded, with a button that copies it.
export function rawOf(text) {
  return element(
      'details', '', {class: 'live-raw'}, element('summary', 'as the terminal prints it'),
      element('pre', text, {class: 'live-output', tabindex: '0'}), copyButton(text));
}
