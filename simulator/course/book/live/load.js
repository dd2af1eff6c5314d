// What a page loads when it is needed: scripts beside live.js. A page that is a file can load scripts, and nothing
// else.
import {element} from '../../../clcsim/player/page/element.js';

const loading = new Map();

/// Once, whoever asks.
export function load(name) {
  if (!loading.has(name))
    loading.set(name, new Promise((resolve, reject) => {
                  const script = document.createElement('script');
                  script.src = clcBook.at + name;
                  script.onload = resolve;
                  script.onerror = () => {
                    loading.delete(name);
                    reject(new Error(`${name} could not be loaded`));
                  };
                  document.head.append(script);
                }));
  return loading.get(name);
}

/// The record of a run that the build has recorded.
export async function recordOf(run) {
  await load(`runs/${run.file}.js`);
  return clcBook.records[run.file];
}

/// Where a player is to come: the page keeps its height free.
export function reserve(place, run) {
  place.classList.add('live-place');
  place.style.setProperty('--rows', `${run.rows}px`);
}

/// Once the reader comes near `place`.
export function whenNear(place, action) {
  const near = new IntersectionObserver((entries) => {
    if (!entries.some(({isIntersecting}) => isIntersecting)) return;
    near.disconnect();
    action();
  }, {rootMargin: '400px'});
  near.observe(place);
}

/// In place of a player.
export const sorry = (error) =>
    element('p', `The run can\u2019t be shown here: ${error.message}.`, {class: 'live-sorry', role: 'status'});

/// To the playground, as it is at `room` (an address of its page/state.js).
export function roomLink(room) {
  return element('a', 'Open in the playground', {href: `${clcBook.at}../playground.html${room}`});
}
