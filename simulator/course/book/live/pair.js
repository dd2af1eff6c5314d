// Below a pitfall's diff: its two forms side by side, to run and to watch.
import {element} from '../../../clcsim/player/page/element.js';

import {controls, Screen, Stage} from './bench.js';

export function pairForms(pitfalls) {
  for (const diff of document.querySelectorAll('.highlight-diff')) {
    const {id} = diff.closest('section[id]') ?? {}, known = pitfalls[id];
    if (!known) continue;
    const stage = new Stage(), screens = [], columns = [];
    for (const [form, option] of [['broken', ''], ['repaired', ' --fixed']]) {
      const command = `build/bin/clcsim build/bin/05_ub_pitfalls ${id}${option}`;
      const screen = new Screen(command, {title: `Watch the ${form} run`, stage});
      screens.push(screen);
      columns.push(element('div', '', {class: 'live-form'}, element('strong', form), screen.box));
    }
    const watchers = element('div', '', {class: 'live-bar'}, ...screens.map(({watcher}) => watcher.button));
    diff.after(element(
        'details', '', {class: 'live-pair'}, element('summary', 'Run the broken and the repaired form side by side'),
        controls('\u25B6 Run both', screens, {seed: known.seed}, known.room), watchers, stage.place,
        element('div', '', {class: 'live-columns'}, ...columns)));
  }
}
