// The race's numbers at a moment, the best of each marked, and the sentence that they make at the end.
import {element} from '../../../clcsim/player/page/element.js';

import {grouped, kSlots, kTiles, strategies} from './strategies.mjs';

const isIdle = ({urgent}) => urgent && urgent.from === urgent.at;

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
    value: ({urgent}, time) => urgent ? Math.min(time, urgent.from) - urgent.at : 0,
    idle: isIdle,
    since: ({urgent}) => urgent?.at ?? Infinity,
    done: ({urgent}, time) => time >= (urgent?.from ?? -Infinity)
  }
];

export class Numbers {
  constructor() {
    this.cells = kRows.map(() => strategies.map(() => element('td')));
    this.heads = strategies.map(({title}) => element('th', title, {scope: 'col'}));
    const head = element('tr', '', {}, element('td'), ...this.heads);
    this.table = element(
        'table', '', {class: 'race-numbers'}, element('thead', '', {}, head),
        element(
            'tbody', '', {},
            ...kRows.map(
                ({name, title, unit = ''}, i) => element(
                    'tr', '', {'data-number': name}, element('th', title, {scope: 'row'}, element('span', unit)),
                    ...this.cells[i]))));
  }

  /// shown: which are in the race; runs: they are not known yet.
  show(laps, time, shown, runs) {
    this.heads.forEach((head, k) => head.hidden = !shown.includes(k));
    const ended = (lap) => time >= lap.end, always = () => -Infinity, never = () => false;
    kRows.forEach(({value, since = always, done = ended, idle = never}, i) => {
      const all = laps.map((lap) => value(lap, time)), over = shown.every((k) => done(laps[k], time));
      const most = Math.max(...laps.map((lap) => value(lap, Infinity)), 1),
            rated = shown.filter((k) => !idle(laps[k])).map((k) => all[k]);
      this.cells[i].forEach((cell, k) => {
        cell.hidden = !shown.includes(k);
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

// Those of the race who had an idle slot when the urgent kernel came, before their end.
const idleOnes = (laps, shown) => new Intl.ListFormat('en').format(
    shown.filter((i) => isIdle(laps[i]) && laps[i].urgent.at < laps[i].end).map((i) => called(strategies[i].title)));

/// What came of the race: the verdict, and its price. Of the urgent kernel only where it came before the end.
/// shown: which are in the race; late: it can come earlier.
export function sentenceOf(laps, shown, late) {
  const all = laps.map(({end, starts, urgent}, i) => ({
                         title: called(strategies[i].title),
                         time: end,
                         prologues: starts.length,
                         waits: urgent && urgent.at < end ? urgent.from - urgent.at : undefined
                       }));
  const [fixed, , , clc] = all;
  const [first] = shown.map((i) => all[i]).sort((a, b) => a.time - b.time);
  const behind = (clc.time / first.time - 1) * 100;
  const place = first === clc ? 'is done first' :
      behind < 1              ? `is done about as soon as ${first.title}` :
                                `takes ${Math.round(behind)} % longer than ${first.title}`;
  const more = clc.prologues - kSlots, [now, then] = [clc, fixed].map(({waits}) => grouped(waits));
  const waits = `urgent kernel waits ${now} cycles against fixed work\u2019s ${then}`;
  const prices = [
    more > 0 ? `${more} prologues more than slots` : '', clc.waits > fixed.waits ? `the ${waits}` : ''
  ].filter((each) => each);
  const verdict = `CLC ${place}, with ${clc.prologues} prologues, not ${fixed.prologues}.`;
  if (!laps[0].urgent) return {verdict, text: 'Now launch an urgent kernel while they run: who makes room for it?'};
  const idle = idleOnes(laps, shown);
  if (idle) return {verdict, late, text: `When the urgent kernel came, a slot of ${idle} was idle${late ? ': ' : '.'}`};
  const price = prices.length > 0 ? [`Its price: ${prices.join(', and ')}.`] : [];
  return {verdict, text: [...price, ...clc.waits < fixed.waits ? [`The ${waits}.`] : []].join(' ')};
}

/// What happens at a moment: the last of what has happened. CLC's end is what the race is about.
/// pressed: when the reader launched the urgent kernel, if that was before it can arrive.
export function captionOf(laps, shown, time, pressed) {
  const [fixed, , , clc] = laps, idle = idleOnes(laps, shown), {at} = clc.urgent ?? {at: Infinity};
  const who = idle ? `A slot of ${idle} was idle.` : 'Who makes room for it?';
  const steals = Math.min(...clc.bars.filter(({stolen}) => stolen).map(({from}) => from));
  const failed = clc.refused.some(({early, time}) => early && time < clc.urgent?.from);
  const room = (i) => {  // after a wait
    const {urgent, end} = laps[i];
    return shown.includes(i) && urgent?.from > urgent?.at && urgent.from < end ? urgent.from : Infinity;
  };
  const ends = shown.map((i) => {
    const lap = laps[i], later = shown.filter((k) => laps[k].end > lap.end).map((k) => strategies[k]);
    const end = grouped(lap.end), first = later.length === shown.length - 1 ? ' first' : '';
    const saved = lap === clc ? `: ${clc.starts.length} prologues, not ${fixed.starts.length}` : '';
    const left = later.length === 1 ? `Only ${called(later[0].title)} still runs.` : '';
    const said = `${strategies[i].title} is done${first}, at ${end}${saved}.`;
    return lap === clc ? [lap.end, left, said] : [lap.end, `${said} ${left}`];
  });
  const all = [
    [-Infinity, `${kTiles} tiles wait for ${kSlots} slots.`], [0, 'Each block begins with its prologue.'],
    [
      pressed < at ? pressed : Infinity,
      `The host needs time for the call that launches it: the urgent kernel comes at cycle ${grouped(at)}.`
    ],
    [steals, 'CLC: running blocks steal waiting ones, and run no prologue. With fixed work each block runs its own.'],
    [at, `Urgent kernel launched at cycle ${grouped(at)}. ${who}`],
    [
      failed ? room(3) : Infinity,
      'CLC: requests failed, so blocks ended. The price: blocks that start now run prologues again.'
    ],
    [room(1), 'Grid stride: the first block has done its whole share, so the urgent kernel starts.'],
    [room(2), 'Tile queue: no block ended before the last tile was drawn.'], ...ends
  ];
  const [, text, verdict = ''] = all.filter(([from]) => from <= time).sort(([a], [b]) => a - b).at(-1);
  return {verdict, text};
}

/// What happens for the first time in the run of a strategy, at which bar: [{lane, time, words}].
export function firstsOf(name, {bars, refused}) {
  const least = (all, key = 'from') => all.reduce((best, each) => each[key] < best[key] ? each : best, all[0]);
  const pays = ({prologue}) => prologue > 0;
  const [bar, second] = [least(bars.filter(pays)), least(bars.filter((each) => each.from > 0 && pays(each)))];
  const stolen = least(bars.filter((each) => each.stolen)), failed = least(refused.filter(({early}) => early), 'time');
  const all = {
    fixed: [second && {...second, time: second.from, words: 'the next block: one more prologue'}],
    clc: [
      bar && {...bar, time: bar.from + bar.prologue, words: 'the prologue is over'},
      stolen && {...stolen, time: stolen.from, words: `tile ${stolen.tile} is stolen: no prologue`},
      failed && {...failed, words: 'a request fails: this block ends after its tile'}
    ]
  };
  return (all[name] ?? []).filter(Boolean);
}

const kWaits = {
  fixed: 'has not started: it waits for a slot, and then runs a prologue of its own.',
  stride: 'waits for its block, also while other slots idle.',
  queue: 'waits until a block draws its number.',
  clc: 'has not started: it waits for a slot, or for a running block that steals it.'
};

/// What a bar is, or, before it was taken, what waits there.
export function answerOf(name, waits, {tile, block, from, to, taken, prologue, stolen, lane}, time) {
  if (taken > time) return `${waits === 'block' ? 'Block' : 'Tile'} ${tile} ${kWaits[name]}`;
  const slot = `in slot ${lane}`, setup = prologue > 0 ? `a prologue of ${grouped(prologue)} cycles, then ` : '';
  if (stolen)
    return `Block ${block} stole block ${tile} at ${grouped(taken)}, and does its tile at ${grouped(from)}, ${
        slot}: no prologue.`;
  const drew = name === 'queue' ? ` It drew ${tile} at ${grouped(taken)}.` : '';
  return `Block ${block}, ${slot}: ${setup}tile ${tile}, from cycle ${grouped(from)} to ${grouped(to)}.${drew}`;
}
