// Two runs: what is different between them.
import {element} from './element.js';
import {count, grouped} from './numbers.js';
import {blockName} from './record.js';

function doers(panel) {
  const who = new Map();
  panel.launches.forEach((launch, l) => {
    for (let i = 0; i < launch.rows.length; i++) {
      if (launch.rows.tiles[i] === 1) who.set(`${l}:${launch.rows.tile[i]}`, launch.rows.block[i]);
    }
  });
  return who;
}

/// Tiles ("launch:tile") that another block does in the other run.
export function differences(a, b) {
  const first = doers(a), second = doers(b), result = new Set();
  for (const [tile, block] of first)
    if (second.get(tile) !== block) result.add(tile);
  for (const tile of second.keys())
    if (!first.has(tile)) result.add(tile);
  return result;
}

/// Rows of a table, only what differs: name, this run's number, the other's.
export function comparison(a, b) {
  const sum = (panel, number) => panel.launches.reduce((total, launch) => total + launch.counts[number], 0);
  const rows = [
    ['cycles', a.end - a.begin, b.end - b.begin],
    ['blocks that started', sum(a, 0), sum(b, 0)],
    ['blocks stolen', sum(a, 1), sum(b, 1)],
    ['failed requests', sum(a, 4), sum(b, 4)],
  ];
  return rows.filter(([, first, second]) => first !== second).map(([
                                                                    name, first, second
                                                                  ]) => [name, grouped(first), grouped(second)]);
}

/// What differs, in words: for each tile that another block does who does it when; at most `most`.
export function differenceWords(a, b, most = 12) {
  const doing = (panel, l, tile) => {
    const launch = panel.launches[l], row = launch?.rowOfTile.get(tile);
    if (row === undefined) return 'nobody does it';
    const {rows} = launch;
    return `block ${blockName(launch, rows.block[row])} at cycle ${grouped(rows.begin[row] - panel.begin)}`;
  };
  return [...differences(a, b)].slice(0, most).map((key) => {
    const [l, tile] = key.split(':').map(Number), launch = a.launches[l] ?? b.launches[l];
    return `Tile ${blockName(launch, tile)}: here ${doing(a, l, tile)}; in the other run ${doing(b, l, tile)}.`;
  });
}

/// Fills the section of the comparison; `find(part)` gives its elements.
export function showComparison(find, a, b) {
  find('compare-section').hidden = false;
  find('comparison').replaceChildren(...comparison(a, b).map(([name, ...cells]) => {
    const row = element('tr');
    row.append(element('th', name, {scope: 'row'}), ...cells.map((cell) => element('td', cell)));
    return row;
  }));
  const {size} = differences(a, b), words = differenceWords(a, b);
  find('difference').textContent = size === 0 ? 'The same blocks do the same tiles in both runs.' :
                                                `Each tile has one colour in both runs. ${count(size, 'tile')} ${
                                                    size === 1 ? 'is' : 'are'} done by another block:`;
  if (size > words.length) words.push(`And ${grouped(size - words.length)} more.`);
  find('differences').replaceChildren(...words.map((text) => element('li', text)));
}
