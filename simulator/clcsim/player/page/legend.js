// What the marks mean: each is a button, which explains it and leads to the next one in the run.
import {element} from './element.js';
import {isSteal, search} from './moments.js';
import {blockName, clusterBlocks, clusterNumber, clusterOf, kinds, types} from './record.js';
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
    says: 'The work of the block that runs here, in the colour of the block; the number names the tile.',
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
  {mark: 'finding', name: 'finding', says: 'A rule is broken here.', wanted: is('finding')},
];

const kNamed = 8;

// What colours mean: the blocks that run (or clusters), each with its own; of many a sentence.
function colours(panel, {colours: number}, chosen) {
  const runners = new Map();
  panel.launches.forEach((launch) => {
    if (launch.urgent) return;
    launch.blocks.index.forEach((block, row) => {
      const {first, rank} = clusterOf(launch, block);
      if (rank === 0) runners.set(`${launch.serial}:${first}`, {launch, block, event: launch.startedAt[row]});
    });
  });
  if (runners.size > kNamed || panel.launches.filter(({urgent}) => !urgent).length > 1) {
    const who = panel.launches.some(({clusterSize}) => clusterSize > 1) ? 'cluster' : 'block';
    return [element('span', `Colour: the ${who} that does the work, ${number} colours in turn`, {class: 'who'})];
  }
  const buttons = [...runners.values()].map(({launch, block, event}) => {
    const names = clusterBlocks(launch, block).map((each) => blockName(launch, each));
    const name = `block${names.length > 1 ? 's' : ''} ${names.join(launch.grid[1] > 1 ? '; ' : ', ')}`;
    const title = `All work in this colour is done by ${name}.`, onclick = () => chosen(title, event);
    const style = `background: var(--c${clusterNumber(launch, block) % number})`;
    return element(
        'button', '', {type: 'button', title, onclick}, element('i', '', {class: 'swatch', style}), ` ${name}`);
  });
  return [element('span', 'Who does the work:', {class: 'who'}), ...buttons];
}

/// Fills `place` with the colours and marks that a panel has. `lanes`: who draws them. `chosen(text, event)`: one was
/// clicked.
export function showLegend(place, panel, moment, lanes, chosen) {
  place.replaceChildren(
      ...colours(panel, lanes, chosen),
      ...entries.filter(({wanted}) => search(panel, -1, 1, (i) => wanted(panel, i)) >= 0)
          .map(({mark, name, says, wanted}) => {
            const title = `${says} Click: the next one`, onclick = () => {
              const there = (i) => wanted(panel, i), next = search(panel, moment.event, 1, there);
              chosen(says, next >= 0 ? next : search(panel, -1, 1, there));
            };
            const swatch = element('i', '', {class: `swatch ${mark}`});
            return element('button', '', {type: 'button', title, onclick}, swatch, ` ${name}`);
          }));
}
