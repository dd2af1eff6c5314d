// A picture of a run becomes the player of that run when the reader comes near it. On paper and without JavaScript it
// stays the picture.
import {element} from '../../../clcsim/player/page/element.js';

import {recordOf, reserve, sorry, whenNear} from './load.js';
import {watch} from './watch.js';

async function play(box, run) {
  const place = element('div', '', {class: 'live'});
  try {
    const record = await recordOf(run);
    box.append(place);
    box.classList.add('alive');
    await watch(place, record, run);
  } catch (error) {  // the picture stays
    place.remove();
    box.classList.remove('alive');
    box.append(sorry(error));
  }
}

export function playFigures(runs) {
  for (const figure of document.querySelectorAll('figure.run[data-command]')) {
    const run = runs[figure.dataset.command];
    if (!run) continue;
    reserve(figure, run);
    whenNear(figure, () => play(figure, run));
  }
}
