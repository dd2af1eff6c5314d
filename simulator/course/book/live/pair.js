// Each pitfall's two forms side by side, below its diff: to read, to run and to watch.
import {element} from '../../playground/page/dom.js';

import {controls, Screen} from './bench.js';

// One side of a diff, with the lines marked that the other one hasn't.
function side(lines, own, other) {
  const code = element('pre', '', {class: 'live-code', tabindex: '0'});
  for (const line of lines.filter((each) => !each.startsWith(other) && !each.startsWith('@@'))) {
    const mine = line.startsWith(own);
    code.append(
        element(mine ? 'mark' : 'span', line.slice(1) || ' ', {class: mine ? own === '-' ? 'bad' : 'good' : ''}));
  }
  return code;
}

export function pairForms(pitfalls) {
  for (const diff of document.querySelectorAll('[class*="highlight-diff"], [class*="language-diff"]')) {
    const {id} = diff.closest('section[id]') ?? {}, known = pitfalls[id];
    if (!known) continue;
    const lines = diff.textContent.trimEnd().split('\n');
    const command = (form) => `build/bin/clcsim build/bin/05_ub_pitfalls ${id}${form}`;
    const screens = [new Screen(command('')), new Screen(command(' --fixed'))];
    const column = (name, code, screen, kind) =>
        element('div', '', {class: `live-form ${kind}`}, element('strong', name), code, screen.box);
    const both = element(
        'details', '', {class: 'live-pair'}, element('summary', 'Run the broken and the repaired form side by side'),
        controls('\u25B6 Run both', screens, {seed: known.seed}, known.room),
        element(
            'div', '', {class: 'live-columns'}, column('broken', side(lines, '-', '+'), screens[0], 'bad'),
            column('repaired', side(lines, '+', '-'), screens[1], 'good')));
    (diff.closest('.highlight-diff') ?? diff).after(both);
  }
}
