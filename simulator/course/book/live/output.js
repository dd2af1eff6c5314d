// Below the output of a command that the engine can repeat, and below commands to try: a button that runs it here.
import {element} from '../../../clcsim/player/page/element.js';

import {controls, Screen, Watcher} from './bench.js';
import {recordOf} from './load.js';
import {commandsToTry} from './terminal.mjs';

export function offerRuns(outputs, small) {
  for (const box of document.querySelectorAll('.run-output[data-command]')) {
    const {command} = box.dataset, known = outputs[command];
    if (small[command]) {  // a program of one file: the build has recorded a run of 24 tiles
      const watcher = new Watcher('\u25B6 Watch it with 24 tiles');
      watcher.offer(() => recordOf(small[command]), {...small[command], begin: true});
      box.append(element('div', '', {class: 'live-bar'}, watcher.button), watcher.stage.place);
    }
    if (!known) continue;
    const screen = new Screen(command, {above: box.textContent});
    box.append(controls('\u25B6 Run it here', [screen], known.knobs, known.room), screen.box);
  }
  for (const block of document.querySelectorAll('.highlight-sh')) {
    const bars = element('div', '', {class: 'live-tries'}), boxes = [];
    for (const command of commandsToTry(block.textContent).filter((each) => outputs[each])) {
      const screen = new Screen(command);
      bars.append(controls(`\u25B6 ${command.replace(/.* (.*) --broken/, '$1')}`, [screen], {}));
      boxes.push(screen.box);
    }
    if (boxes.length > 0) block.after(bars, ...boxes);
  }
}
