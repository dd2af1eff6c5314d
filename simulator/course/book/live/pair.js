// Each pitfall's two forms side by side, below its diff: to read, to run and to watch.
import {element} from '../../../clcsim/player/page/element.js';

import {controls, Screen, Stage} from './bench.js';

// One side of a diff, with the lines marked that the other one hasn't.
function side(lines, own, other) {
  const code = element('pre', '', {class: 'live-code', tabindex: '0'});
  for (const line of lines.filter((each) => !each.startsWith(other) && !each.startsWith('@@'))) {
    const mine = line.startsWith(own), text = line.slice(1) || ' ';
    const row = element(mine ? 'mark' : 'span', text, {class: mine ? own === '-' ? 'bad' : 'good' : ''});
    row.style.setProperty('--indent', `${/^ */.exec(text)[0].length + 4}ch`);
    code.append(row);
  }
  return code;
}

export function pairForms(pitfalls) {
  for (const diff of document.querySelectorAll('[class*="highlight-diff"], [class*="language-diff"]')) {
    const {id} = diff.closest('section[id]') ?? {}, known = pitfalls[id];
    if (!known) continue;
    const lines = diff.textContent.trimEnd().split('\n');
    const command = (form) => `build/bin/clcsim build/bin/05_ub_pitfalls ${id}${
      form}`;
    const stage = new Stage();
    const screens = [
      new Screen(command(''), {title: 'Watch the broken run', stage}),
      new Screen(command(' --fixed'), {title: 'Watch the repaired run', stage})
    ];
    const watchers = element('div', '', {class: 'live-bar'}, ...screens.map(({watcher}) => watcher));
    const column = (name, code, screen, kind) =>
        element('div', '', {class: `live-form ${
      kind}`}, element('strong', name), code, screen.box);
    const both = element(
        'details', '', {class: 'live-pair'}, element('summary', 'Run the broken and the repaired form side by side'),
        controls('\u25B6 Run both', screens, {seed: known.seed}, known.room), watchers, stage.place,
        element(
            'div', '', {class: 'live-columns'}, column('broken', side(lines, '-', '+'), screens[0], 'bad'),
            column('repaired', side(lines, '+', '-'), screens[1], 'good')));
    (diff.closest('.highlight-diff') ?? diff).after(both);
  }
}
