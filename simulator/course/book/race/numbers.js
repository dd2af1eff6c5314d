// The race's numbers at a moment, the best of each marked, and the sentence that they make at the end.
import {element} from '../../../clcsim/player/page/element.js';

import {grouped, kSlots, kTiles, strategies} from './strategies.mjs';

const isIdle = ({urgent: {at, from}}) => from === at;

// value(lap, time): what has been counted so far, which says something since(lap); done(lap, time): whether that is
// all, else at its end; idle(lap): it says nothing of a strategy.
const kRows = [
  {
    name: 'time',
    title: 'done after',
    unit: ', in cycles',
    value: (lap, time) => Math.min(time, lap.end),
    since: (lap) => lap.end
  },
  {name: 'prologues', title: 'prologues', value: (lap, time) => lap.starts.filter((start) => start <= time).length}, {
    name: 'waits',
    title: 'urgent kernel waits',
    unit: ', in cycles',
    value: ({urgent}, time) => Math.min(time, urgent.from) - urgent.at,
    idle: isIdle,
    since: ({urgent}) => urgent.at,
    done: ({urgent}, time) => time >= urgent.from
  }
];

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
                ({name, title, unit = ''}, i) => element(
                    'tr', '', {'data-number': name}, element('th', title, {scope: 'row'}, element('span', unit)),
                    ...this.cells[i]))));
  }

  /// runs: they are not known yet.
  show(laps, time, runs) {
    const ended = (lap) => time >= lap.end, always = () => -Infinity, never = () => false;
    kRows.forEach(({value, since = always, done = ended, idle = never}, i) => {
      const all = laps.map((lap) => value(lap, time)), over = laps.every((lap) => done(lap, time));
      const most = Math.max(...laps.map((lap) => value(lap, Infinity)), 1),
            rated = all.filter((_, k) => !idle(laps[k]));
      this.cells[i].forEach((cell, k) => {
        const silent = runs || time < since(laps[k]), isIdle = !silent && idle(laps[k]);
        const text = silent ? '\u2013' : isIdle ? 'slot was idle' : grouped(all[k]);
        if (cell.textContent !== text) cell.textContent = text;
        cell.style.setProperty('--part', silent ? 0 : all[k] / most);
        const isBest = over && !runs && all[k] === Math.min(...rated) && rated.some((each) => each > all[k]);
        const name = isIdle ? 'idle' : isBest ? 'best' : silent || !done(laps[k], time) ? 'counts' : '';
        if (cell.className !== name) cell.className = name;
      });
    });
  }
}

const called = (title) => title === 'CLC' ? title : `the ${title.toLowerCase()}`.replace('the fixed', 'fixed');

// Those who had an idle slot when the urgent kernel came, before their end.
const idleOnes = (laps) => new Intl.ListFormat('en').format(
    strategies.filter((_, i) => isIdle(laps[i]) && laps[i].urgent.at < laps[i].end).map(({title}) => called(title)));

/// What came of the race: the verdict, and its price. Of the urgent kernel only where it came before the end.
/// late: it can come earlier.
export function sentenceOf(laps, late) {
  const all = laps.map(({end, starts, urgent: {at, from}}, i) => ({
                         title: called(strategies[i].title),
                         time: end,
                         prologues: starts.length,
                         waits: at < end ? from - at : undefined
                       }));
  const [fixed, stride, , clc] = all;
  const [first] = [...all].sort((a, b) => a.time - b.time);
  const behind = (clc.time / first.time - 1) * 100;
  const place = first === clc ? 'is done first' :
      behind < 1              ? `is done about as soon as ${first.title}` :
                                `takes ${Math.round(behind)} % longer than ${first.title}`;
  const more = clc.prologues - stride.prologues, [now, then] = [clc, fixed].map(({waits}) => grouped(waits));
  const waits = `urgent kernel waits ${now} cycles against fixed work\u2019s ${then}`;
  const prices = [
    more > 0 ? `${more} more prologues than the grid stride` : '', clc.waits > fixed.waits ? `the ${waits}` : ''
  ].filter((each) => each);
  const verdict = `CLC ${place}, with ${clc.prologues} prologues, not ${fixed.prologues}.`, idle = idleOnes(laps);
  if (idle) return {verdict, late, text: `When the urgent kernel came, a slot of ${idle} was idle${late ? ': ' : '.'}`};
  const price = prices.length > 0 ? [`Its price: ${prices.join(', and ')}.`] : [];
  return {verdict, text: [...price, ...clc.waits < fixed.waits ? [`The ${waits}.`] : []].join(' ')};
}

/// What happens at a moment: the last of what has happened. CLC's end is what the race is about.
export function captionOf(laps, time) {
  const [fixed, stride, queue, clc] = laps, idle = idleOnes(laps);
  const who = idle ? `A slot of ${idle} was idle.` : 'Who makes room for it?';
  const failed = clc.refused.some(({early, time}) => early && time < clc.urgent.from);
  const room = ({urgent: {at, from}, end}) => from > at && from < end ? from : Infinity;  // after a wait
  const ends = laps.map((lap, i) => {
    const later = strategies.filter((_, k) => laps[k].end > lap.end), end = grouped(lap.end);
    const first = later.length === laps.length - 1 ? ' first' : '';
    const saved = lap === clc ? `: ${clc.starts.length} prologues, not ${fixed.starts.length}` : '';
    const left = later.length === 1 ? `Only ${called(later[0].title)} still runs.` : '';
    const said = `${strategies[i].title} is done${first}, at ${end}${saved}.`;
    return lap === clc ? [lap.end, left, said] : [lap.end, `${said} ${left}`];
  });
  const all = [
    [-Infinity, `${kTiles} tiles wait for ${kSlots} slots.`], [0, 'Each block begins with its prologue.'],
    [clc.urgent.at, `Urgent kernel launched at cycle ${grouped(clc.urgent.at)}. ${who}`],
    [
      failed ? room(clc) : Infinity,
      'CLC: requests failed, so blocks ended. The price: blocks that start now run prologues again.'
    ],
    [room(stride), 'Grid stride: the first block has done its whole share, so the urgent kernel starts.'],
    [room(queue), 'Tile queue: no block ended before the last tile was drawn.'], ...ends
  ];
  const [, text, verdict = ''] = all.filter(([from]) => from <= time).sort(([a], [b]) => a - b).at(-1);
  return {verdict, text};
}
