// Below a pitfall's diff: its two forms side by side, to run and to watch. Where a chapter's text leads to the
// catalogue, the player of both, from runs that the build has recorded.
import {element} from '../../../clcsim/player/page/element.js';

import {controls, Screen, Stage, Watcher} from './bench.js';
import {recordOf, reserve, whenNear} from './load.js';

export function pairForms(pitfalls) {
  for (const diff of document.querySelectorAll('.highlight-diff')) {
    const {id} = diff.closest('section[id]') ?? {}, known = pitfalls[id];
    if (known?.seed === undefined) continue;  // there is no engine
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
  for (const link of document.querySelectorAll('p > a[href*="PITFALLS.html#"]')) {
    const {runs} = pitfalls[link.hash.slice(1)] ?? {};
    if (!runs || !/In the catalogue:\s*$/.test(link.previousSibling?.data)) continue;
    const stage = new Stage(), watchers = runs.map((run, i) => {
      const watcher = new Watcher(`The ${['broken', 'repaired'][i]} run`, stage);
      watcher.offer(() => recordOf(run), {...run, end: true});
      return watcher;
    });
    const box = element(
        'div', '', {class: 'live-pair'}, element('div', '', {class: 'live-bar'}, ...watchers.map(({button}) => button)),
        stage.place);
    reserve(box, runs[0]);
    link.parentElement.before(box);
    whenNear(box, () => watchers[0].show());
  }
}
