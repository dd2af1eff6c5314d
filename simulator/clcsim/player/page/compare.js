// Two runs: what is different between them.
import {grouped} from './numbers.js';
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

/// Rows of a table: name, this run's number, the other's.
export function comparison(a, b) {
  const sum = (panel, number) => panel.launches.reduce((total, launch) => total + launch.counts[number], 0);
  return [
    ['cycles', a.end - a.begin, b.end - b.begin],
    ['blocks that started', sum(a, 0), sum(b, 0)],
    ['blocks stolen', sum(a, 1), sum(b, 1)],
    ['requests refused', sum(a, 4), sum(b, 4)],
    ['tiles that another block does', differences(a, b).size, ''],
  ].map(([name, first, second]) => [name, grouped(first), second === '' ? '' : grouped(second)]);
}

/// The first steal that differs, in words; empty: none.
export function firstDifference(a, b) {
  const steals = (panel) => panel.launches.flatMap((launch) => {
    const {requests} = launch;
    return Array.from({length: requests.length}, (_, i) => i)
        .filter((i) => requests.granted[i] && requests.decided[i])
        .sort((x, y) => requests.decided[x] - requests.decided[y])
        .map((i) => ({
               by: blockName(launch, requests.block[i]),
               what: blockName(launch, requests.stolen[i]),
               time: requests.decided[i] - panel.begin
             }));
  });
  const first = steals(a), second = steals(b);
  for (let i = 0; i < Math.max(first.length, second.length); i++) {
    const x = first[i], y = second[i];
    if (x && y && x.by === y.by && x.what === y.what) continue;
    const say = (steal) =>
        (steal ? `block ${steal.by} takes block ${steal.what} at cycle ${grouped(steal.time)}` :
                 'there is no such steal');
    return `The first steal that differs is number ${i + 1}: here ${say(x)}; in the other run ${say(y)}.`;
  }
  return '';
}
