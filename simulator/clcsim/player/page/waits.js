// When a block does nothing, since all of its warps wait for somebody else; and when its warps meet.
import {blockOf} from './moments.js';
import {countUpTo} from './numbers.js';
import {kinds, reasons} from './record.js';

// The block waits for the first of these that one of its warps waits for. At its own barrier a block alone doesn't
// wait: a part of a warp is still to come, which works.
const kForOthers = ['mbarrier', 'cluster_barrier', 'change'];

// Of a warp: {time, awaits}, where `awaits` is '' while it works, and undefined before and after.
function turnsOf({times, steps}, launch) {
  const turns = steps.map((step, i) => {
    const kind = kinds[launch.steps.kind[step]], reason = reasons[launch.steps.a[step]];
    const waits = kind === 'waits' && [...kForOthers, 'block_barrier'].includes(reason);
    return {time: times[i], awaits: kind === 'exits' ? undefined : waits ? reason : ''};
  });
  if (launch.gap) turns.push({time: launch.gap[0], awaits: ''});  // of what follows nothing was kept
  return turns;
}

function findWaits(panel, l, block) {
  const launch = panel.launches[l], now = new Map(), waits = [];
  const turns = [...blockOf(panel, l, block).warps].flatMap(
      ([warp, history]) => turnsOf(history, launch).map((turn) => ({...turn, warp})));
  turns.sort((a, b) => a.time - b.time);
  const finished = launch.blocks.finished[launch.rowOfBlock.get(block)];
  let from = 0, reason;
  turns.forEach((turn, i) => {
    now.set(turn.warp, turn.awaits);
    const to = turns[i + 1]?.time ?? (finished >= 0 ? finished : panel.end);
    if (to <= turn.time) return;
    const all = [...now.values()].filter((each) => each !== undefined);
    const next = all.includes('') ? undefined : kForOthers.find((each) => all.includes(each));
    if (next !== reason) from = turn.time;
    reason = next;
    if (reason && waits.at(-1)?.from === from)
      waits.at(-1).to = to;
    else if (reason)
      waits.push({from, to, reason});
  });
  return waits;
}

/// The stretches of a block in which it waits, in their order: {from, to, reason}.
export function waitsOf(panel, l, block) {
  panel.waits ??= new Map();
  const key = `${l}:${block}`;
  if (!panel.waits.has(key)) panel.waits.set(key, findWaits(panel, l, block));
  return panel.waits.get(key);
}

/// The wait of a block at a time; undefined: it has none.
export function waitAt(panel, l, block, time) {
  const waits = waitsOf(panel, l, block), wait = waits[countUpTo(waits.map(({to}) => to), time)];
  return wait && wait.from <= time ? wait : undefined;
}

const kMeetings = 400;  // report/timeline_panel.cpp

function findMeetings({requests, operations: o}) {
  const meetings = [];
  if (requests.length > 0) return meetings;
  for (let i = 0; i < o.length; i++)
    if (kinds[o.kind[i]] === 'bar_done') meetings.push({block: o.block[i], time: o.time[i]});
  return meetings.length > kMeetings ? [] : meetings;
}

/// Where all threads of a block met at a barrier, in a launch that requests nothing: there its tiles end. Of many none.
export function meetingsOf(launch) { return launch.meetings ??= findMeetings(launch); }
