// What the marks mean: each is a button, which explains it and leads to the next one in the run.
import {element} from './element.js';
import {isSteal, search} from './moments.js';
import {kinds, types} from './record.js';
import {meetingsOf, waitsOf} from './waits.js';

const is = (type, more = () => true) => (panel, i) => types[panel.events.type[i]] === type && more(panel, i);
const launchAt = (panel, i) => panel.launches[panel.events.launch[i]];
const rowsAt = (panel, i) => launchAt(panel, i).rows;

const isKind = (wanted) => is('operation', (panel, i) => {
  const {operations} = launchAt(panel, i);
  return wanted.includes(kinds[operations.kind[panel.events.ref[i]]]);
});

const entries = [
  {
    mark: 'own',
    name: 'own tile',
    says: 'The work of the block that runs here; the number names the tile.',
    wanted: is('starts')
  },
  {
    mark: 'prologue',
    name: 'prologue',
    says: 'Dark: from a block\u2019s start to its first access to global memory.',
    wanted: is('tile', (panel, i) => rowsAt(panel, i).tile[panel.events.ref[i]] === panel.events.block[i])
  },
  {
    mark: 'stolen',
    name: 'stolen tile',
    says: 'Hatched: the work of a block that was stolen, done by the block that runs here.',
    wanted: is('tile', (panel, i) => rowsAt(panel, i).tile[panel.events.ref[i]] !== panel.events.block[i])
  },
  {
    mark: 'waits',
    name: 'the block waits',
    says: 'Pale: all warps of the block wait for another block or for a response. A click on the bar says for what.',
    wanted: (panel, i) => isKind(['passed', 'cluster_done'])(panel, i) &&
        waitsOf(panel, panel.events.launch[i], panel.events.block[i]).some(({to}) => to <= panel.events.time[i])
  },
  {
    mark: 'meeting',
    name: 'barrier: a tile ends',
    says: 'Thin line: all threads of the block meet at a barrier, because a tile ends.',
    wanted: (panel, i) => isKind(['bar_done'])(panel, i) && meetingsOf(launchAt(panel, i)).length > 0
  },
  {
    mark: 'urgent',
    name: 'urgent kernel',
    says:
        'A kernel of higher priority; the dashed line is its launch, and the bracket is how long it waits for a place.',
    wanted: is('begins', (panel, i) => launchAt(panel, i).urgent)
  },
  {
    mark: 'request',
    name: 'request',
    says: 'From the request to its response. The arrow says yes; the dashed line leads to the tile that it brought.',
    wanted: isSteal
  },
  {
    mark: 'refusal',
    name: 'failed request',
    says: 'A response that says no; with a ring: although blocks waited.',
    wanted: is('decided', (panel, i) => !isSteal(panel, i))
  },
  {mark: 'future', name: 'still to come', says: 'Pale: it has not happened yet.', wanted: () => true},
  {mark: 'finding', name: 'finding', says: 'A rule is broken here.', wanted: is('finding')},
];

/// Fills `place` with what colours and marks of a panel mean. `chosen(text, event)`: a mark was clicked.
export function showLegend(place, panel, moment, chosen) {
  place.replaceChildren(...entries.filter(({wanted}) => search(panel, -1, 1, (i) => wanted(panel, i)) >= 0)
                            .map(({mark, name, says, wanted}) => {
                              const title = `${says} Click: the next one`, onclick = () => {
                                const there = (i) => wanted(panel, i), next = search(panel, moment.event, 1, there);
                                chosen(says, next >= 0 ? next : search(panel, -1, 1, there));
                              };
                              const swatch = element('i', '', {class: `swatch ${mark}`});
                              return element('button', '', {type: 'button', title, onclick}, swatch, ` ${name}`);
                            }));
}
