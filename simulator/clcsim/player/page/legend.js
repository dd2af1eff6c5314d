// What the marks mean: each is a button, which explains it and leads to the next one in the run.
import {element} from './element.js';
import {isSteal, search} from './moments.js';
import {types} from './record.js';

const is = (type, more = () => true) => (panel, i) => types[panel.events.type[i]] === type && more(panel, i);
const launchAt = (panel, i) => panel.launches[panel.events.launch[i]];
const rowsAt = (panel, i) => launchAt(panel, i).rows;

const entries = [
  {
    mark: 'own',
    name: 'own tile',
    says:
        'The work of the block that runs here. Neighbouring blocks have different colours; the number names the tile.',
    wanted: is('starts')
  },
  {
    mark: 'prologue',
    name: 'prologue, to the first global access',
    says: 'Dark: from a block\u2019s start to its first access to global memory.',
    wanted: is('tile', (panel, i) => rowsAt(panel, i).tile[panel.events.ref[i]] === panel.events.block[i])
  },
  {
    mark: 'stolen',
    name: 'stolen tile',
    says: 'Hatched: the work of a block that was stolen, in the colour of the block that does it.',
    wanted: is('tile', (panel, i) => rowsAt(panel, i).tile[panel.events.ref[i]] !== panel.events.block[i])
  },
  {
    mark: 'urgent',
    name: 'urgent kernel',
    says: 'A kernel of higher priority; the dashed line is its launch.',
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
    name: 'refusal',
    says: 'A response that says no; with a ring: although blocks waited.',
    wanted: is('decided', (panel, i) => !isSteal(panel, i))
  },
  {mark: 'finding', name: 'finding', says: 'A rule is broken here.', wanted: is('finding')},
];

/// Fills `place` with the marks that a panel has. `chosen(text, event)`: one was clicked.
export function showLegend(place, panel, moment, chosen) {
  place.replaceChildren(...entries.filter(({wanted}) => search(panel, -1, 1, (i) => wanted(panel, i)) >= 0)
                            .map(({mark, name, says, wanted}) => {
                              const button =
                                  element('button', '', {type: 'button', title: `${says} Click: the next one`});
                              button.append(element('i', '', {class: `swatch ${mark}`}), ` ${name}`);
                              button.addEventListener('click', () => {
                                const there = (i) => wanted(panel, i), next = search(panel, moment.event, 1, there);
                                chosen(says, next >= 0 ? next : search(panel, -1, 1, there));
                              });
                              return button;
                            }));
}
