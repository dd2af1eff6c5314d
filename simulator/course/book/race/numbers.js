// The race's numbers at a moment, the best of each marked, and the sentence that they make at the end.
import {element} from '../../../clcsim/player/page/element.js';

import {grouped, kSlots, kTiles, strategies} from './strategies.mjs';

// value(lap, time): what has been counted so far, which says something since(lap); done(lap, time): whether that is
// all.
const kRows = [
  {
    name: 'time',
    title: 'done after, in cycles',
    value: (lap, time) => Math.min(time, lap.end),
    since: (lap) => lap.end,
    done: (lap, time) => time >= lap.end
  },
  {
    name: 'prologues',
    title: 'prologues',
    since: () => -Infinity,
    value: (lap, time) => lap.starts.filter((start) => start <= time).length,
    done: (lap, time) => time >= lap.end
  },
  {
    name: 'waits',
    title: 'urgent kernel waits, in cycles',
    value: ({urgent}, time) => Math.min(time, urgent.from) - urgent.at,
    since: ({urgent}) => urgent.at,
    done: ({urgent}, time) => time >= urgent.from
  }
];
const [kTime, kPrologues, kWaits] = kRows;

export class Numbers {
  constructor() {
    this.cells = kRows.map(() => strategies.map(() => element('td')));
    const head =
        element('tr', '', {}, element('td'), ...strategies.map(({title}) => element('th', title, {scope: 'col'})));
    this.table = element(
        'table', '', {class: 'race-numbers'}, element('thead', '', {}, head),
        element(
            'tbody', '', {},
            ...kRows.map(
                ({name, title}, i) =>
                    element('tr', '', {'data-number': name}, element('th', title, {scope: 'row'}), ...this.cells[i]))));
  }

  show(laps, time) {
    kRows.forEach(({value, since, done}, i) => {
      const all = laps.map((lap) => value(lap, time)), over = laps.every((lap) => done(lap, time));
      const most = Math.max(...laps.map((lap) => value(lap, Infinity)), 1), best = Math.min(...all);
      this.cells[i].forEach((cell, k) => {
        const silent = time < since(laps[k]);
        const text = silent ? '\u2013' : grouped(all[k]) + (done(laps[k], time) ? '' : ' \u2026');
        if (cell.textContent !== text) cell.textContent = text;
        cell.style.setProperty('--part', silent ? 0 : all[k] / most);
        const isBest = over && all[k] === best;
        if (cell.classList.contains('best') !== isBest) cell.classList.toggle('best', isBest);
      });
    });
  }
}

const called = (title) => title === 'CLC' ? title : `the ${title.toLowerCase()}`.replace('the fixed', 'fixed');

/// What came of the race.
export function sentenceOf(laps) {
  const all = strategies.map(({name, title}, i) => ({
                               name,
                               title: called(title),
                               time: kTime.value(laps[i], Infinity),
                               prologues: kPrologues.value(laps[i], Infinity),
                               waits: kWaits.value(laps[i], Infinity)
                             }));
  const of = (wanted) => all.find(({name}) => name === wanted);
  const clc = of('clc'), fixed = of('fixed'), stride = of('stride');
  const [first] = [...all].sort((a, b) => a.time - b.time);
  const behind = (clc.time / first.time - 1) * 100;
  const place = first === clc ? 'is done first' :
      behind < 1              ? `is done about as soon as ${first.title}` :
                                `takes ${Math.round(behind)} % longer than ${first.title}`;
  const more = clc.prologues - stride.prologues, [now, then] = [clc, fixed].map(({waits}) => grouped(waits));
  const waits = `urgent kernel waits ${now} cycles instead of fixed work\u2019s ${then}`;
  const prices = [
    more > 0 ? `${more} more than the grid stride` : '', clc.waits > fixed.waits ? `the ${waits}` : ''
  ].filter((each) => each);
  return [
    `CLC ${place}, with ${clc.prologues} prologues instead of ${fixed.prologues}.`,
    prices.length > 0 ? `Its price: ${prices.join(', and ')}.` : '', clc.waits < fixed.waits ? `The ${waits}.` : ''
  ].filter((each) => each)
      .join(' ');
}

/// What happens at a moment: the last of what has happened.
export function captionOf(laps, time) {
  const of = (wanted) => laps[strategies.findIndex(({name}) => name === wanted)];
  const clc = of('clc'), failed = clc.refused.some(({early, time}) => early && time < clc.urgent.from);
  const all = [
    [-Infinity, `${kTiles} tiles wait for ${kSlots} slots.`], [0, 'Each block begins with its setup, the prologue.'],
    [clc.urgent.at, 'An urgent kernel comes. Who makes room for it?'],
    [
      failed ? clc.urgent.from : Infinity,
      'CLC: requests failed, so blocks ended and made room. The price: blocks that start now run prologues again.'
    ],
    [of('stride').urgent.from, 'Grid stride: the first block has done its whole share, so the urgent kernel starts.'],
    [of('queue').urgent.from, 'Tile queue: no block ended before the last tile was drawn.']
  ];
  return all.filter(([from]) => from <= time).sort(([a], [b]) => a - b).at(-1)[1];
}
