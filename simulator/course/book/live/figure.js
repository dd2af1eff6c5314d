// A picture of a run becomes the player of that run when the reader comes near it. On paper and without JavaScript it
// stays the picture. The first one of a chapter asks what comes next; slots, blocks and tiles that the text below a
// figure names light up there.
import {element} from '../../../clcsim/player/page/element.js';

import {recordOf, reserve, sorry, whenNear} from './load.js';
import {watch} from './watch.js';

const kNamed = /\b(slot|SM|block|tile) (\d+)\b/gi;

// Each name in a text becomes a button, where the paragraph has it first, if the run has what it names.
function linkText(text, box, player, seen) {
  const parts = [];
  let at = 0;
  for (const {0: words, 1: kind, 2: number, index} of text.data.matchAll(kNamed)) {
    const what = {[/SM/i.test(kind) ? 'SM' : /slot/i.test(kind) ? 'slot' : 'block']: Number(number)};
    if (seen.has(words.toLowerCase()) || !player.has(what)) continue;
    seen.add(words.toLowerCase());
    const button = element('button', words, {type: 'button', class: 'live-named'});
    button.addEventListener('click', () => {
      const {top} = button.getBoundingClientRect();
      player.point(what);
      scrollBy({top: button.getBoundingClientRect().top - top, behavior: 'instant'});  // the text stays where it is
      box.scrollIntoView({block: 'nearest'});
    });
    parts.push(text.data.slice(at, index), button);
    at = index + words.length;
  }
  if (at > 0) text.replaceWith(...parts, text.data.slice(at));
}

// The paragraphs from a figure to the next one, or to the end of its section.
function linkTexts(box, player) {
  for (let each = box.nextElementSibling; each && !each.matches('figure, section'); each = each.nextElementSibling) {
    if (!each.matches('p')) continue;
    const all = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), texts = [], seen = new Set();
    while (all.nextNode()) texts.push(all.currentNode);
    for (const text of texts.filter(({parentElement}) => !parentElement.closest('a, code, button')))
      linkText(text, box, player, seen);
  }
}

async function play(box, run, asks) {
  const place = element('div', '', {class: 'live'});
  try {
    const record = await recordOf(run);
    box.append(place);
    box.classList.add('alive');
    const player = await watch(place, record, {...run, begin: true});
    if (asks) player.guess.askOnce();
    linkTexts(box, player);
  } catch (error) {  // the picture stays
    place.remove();
    box.classList.remove('alive');
    box.append(sorry(error));
  }
}

export function playFigures(runs) {
  let asks = document.querySelector('h1 > .number') !== null;  // a chapter
  for (const figure of document.querySelectorAll('figure.run[data-command]')) {
    const run = runs[figure.dataset.command], first = asks;
    if (!run) continue;
    reserve(figure, run);
    figure.classList.toggle('live-asks', first);
    whenNear(figure, () => play(figure, run, first));
    asks = false;
  }
}
