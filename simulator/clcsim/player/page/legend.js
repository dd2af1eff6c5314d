// What the marks mean: each is a button, which explains it and leads to the next one in the run.
import {element} from './element.js';
import {isSteal, search} from './moments.js';
import {kinds, types} from './record.js';
import {meetingsOf, waitsOf} from './waits.js';

const is = (type, more = () => true) => (panel, i) => types[panel.events.type[i]] === type && more(panel, i);
const launchAt = ({events, launches}, i) => launches[events.launch[i]];
const isStolen = (panel, i) => launchAt(panel, i).rows.tile[panel.events.ref[i]] !== panel.events.block[i];
const isKind = (panel, i, ...wanted) => types[panel.events.type[i]] === 'operation' &&
    wanted.includes(kinds[launchAt(panel, i).operations.kind[panel.events.ref[i]]]);
const endsWait = (panel, i) => isKind(panel, i, 'passed', 'cluster_done') &&
    waitsOf(panel, panel.events.launch[i], panel.events.block[i]).some(({to}) => to <= panel.events.time[i]);
const isRefusal = (waited) => is(
    'decided',
    (panel, i) => !isSteal(panel, i) && Boolean(launchAt(panel, i).requests.waited[panel.events.ref[i]]) === waited);

// The mark's class in the style, its name, what it means, and which events have it.
const marks = [
  ['own', 'own tile', 'The work of the block that runs here; the number names the tile.', is('starts')],
  [
    'prologue', 'prologue', 'Grey: from a block\u2019s start to its first access to global memory.',
    is('tile', (panel, i) => !isStolen(panel, i))
  ],
  [
    'stolen', 'stolen tile', 'Hatched: the work of a block that was stolen, done by the block that runs here.',
    is('tile', isStolen)
  ],
  [
    'waits', 'the block waits',
    'Pale: all warps of the block wait for another block or for a response. A click on the bar says for what.',
    endsWait
  ],
  [
    'meeting', 'barrier: a tile ends', 'Thin line: all threads of the block meet at a barrier, because a tile ends.',
    (panel, i) => isKind(panel, i, 'bar_done') && meetingsOf(launchAt(panel, i)).length > 0
  ],
  [
    'urgent', 'urgent kernel',
    'A kernel of higher priority; the dashed line is its launch, and the bracket is how long it waits for a place.',
    is('begins', (panel, i) => launchAt(panel, i).urgent)
  ],
  [
    'request', 'request',
    'From the request to its response. The arrow says yes; the dashed line leads to the tile that it brought.', isSteal
  ],
  ['refusal', 'failed request', 'A response that says no: no block waits any more.', isRefusal(false)],
  [
    'refusal ringed', 'failed, though blocks wait', 'A response that says no although blocks wait.', isRefusal(true)
  ],
  ['future', 'still to come', 'Pale: it has not happened yet.', () => true],
  ['finding', 'finding', 'A rule is broken here.', is('finding')]
];

/// Fills `place` with what colours and marks of a panel mean. `chosen(text, event)`: a mark was clicked.
export function showLegend(place, panel, moment, chosen) {
  const nextAfter = (index, wanted) => search(panel, index, 1, (i) => wanted(panel, i));
  const buttons = marks.filter(([, , , wanted]) => nextAfter(-1, wanted) >= 0).map(([mark, name, says, wanted]) => {
    const onclick = () => {
      const next = nextAfter(moment.event, wanted);
      chosen(says, next >= 0 ? next : nextAfter(-1, wanted));
    };
    const swatch = element('i', '', {class: `swatch ${mark}`});
    return element('button', '', {type: 'button', title: `${says} Click: the next one`, onclick}, swatch, ` ${name}`);
  });
  place.replaceChildren(...buttons);
}
