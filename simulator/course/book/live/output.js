// Below the output of a command that the engine can repeat: a button that runs it here.
import {controls, Screen} from './bench.js';

export function offerRuns(outputs) {
  for (const box of document.querySelectorAll('.run-output[data-command]')) {
    const known = outputs[box.dataset.command];
    if (!known) continue;
    const screen = new Screen(box.dataset.command);
    box.append(controls('\u25B6 Run it here', [screen], known.knobs, known.room), screen.box);
  }
}
