// Below the output of a command that the engine can repeat, and below commands to try: a button that runs it here.
import {controls, Screen} from './bench.js';
import {commandsToTry} from './terminal.mjs';

export function offerRuns(outputs) {
  const offer = (command, title, place, above = '') => {
    const known = outputs[command];
    if (!known) return;
    const screen = new Screen(command, {above});
    place(controls(title, [screen], known.knobs, known.room), screen.box);
  };
  for (const box of document.querySelectorAll('.run-output[data-command]'))
    offer(box.dataset.command, '\u25B6 Run it here', (...added) => box.append(...added), box.textContent);
  for (const block of document.querySelectorAll('.highlight-sh')) {
    for (const command of commandsToTry(block.textContent).reverse())
      offer(
          command, `\u25B6 Run ${command.replace(/.* (.*) --broken/, '$1')} here`, (...added) => block.after(...added));
  }
}
