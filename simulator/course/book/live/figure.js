// A picture of a run becomes the player of that run when the reader comes near it. On paper and without JavaScript it
// stays the picture.
import {element} from './element.js';
import {recordOf, roomLink} from './load.js';
import {watch} from './watch.js';

async function play(figure, run) {
  const place = element('div', '', {class: 'live'});
  const record = await recordOf(run);
  figure.append(place);
  figure.classList.add('alive');
  await watch(place, record, run).catch((error) => {
    place.remove();
    figure.classList.remove('alive');
    throw error;
  });
  if (run.room) place.append(element('p', '', {class: 'live-room'}, roomLink(run.room)));
}

export function playFigures(runs) {
  const near = new IntersectionObserver((entries) => {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      play(target, runs[target.dataset.command]);
    }
  }, {rootMargin: '400px'});
  for (const figure of document.querySelectorAll('figure.run[data-command]'))
    if (runs[figure.dataset.command]) near.observe(figure);
}
