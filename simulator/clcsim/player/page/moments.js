// The state of a run after any of its events. Nothing is replayed: each question is a search.
import {countUpTo, groupBy} from './numbers.js';
import {clusterBlocks, kinds, mbarrierKinds, reasons, requestLanded, types} from './record.js';

/// Index of the last event at or before a time; -1: none.
export function eventAt(panel, time) { return countUpTo(panel.events.time, time) - 1; }

/// The line that an event is about; 0: it is about none.
export function lineOf(run, {events, launches}, i) {
  const launch = launches[events.launch[i]], type = types[events.type[i]], ref = events.ref[i];
  if (type === 'request') return launch.requests.line[ref];
  if (type === 'operation') return launch.operations.line[ref];
  return type === 'finding' ? run.findings[ref].line : 0;
}

// Of a block and, where a request is for a whole cluster, of those beside it; in their order.
function eventsAround({events, launches}, l, block) {
  const launch = launches[l], mine = () => [...events.launch.keys()].filter((i) => events.launch[i] === l);
  launch.eventsOf ??= groupBy(mine(), (i) => events.block[i]);
  return clusterBlocks(launch, block).flatMap((each) => launch.eventsOf.get(each) ?? []).sort((a, b) => a - b);
}

/// What is known of a block that ran: its events, mbarriers, requests and warps.
export function blockOf(panel, l, block) {
  const key = `${l}:${block}`;
  if (panel.blockCache.has(key)) return panel.blockCache.get(key);
  const launch = panel.launches[l], {events} = panel, {steps, requests, operations: o} = launch;
  const around =
      eventsAround(panel, l, block).map((i) => ({event: i, type: types[events.type[i]], ref: events.ref[i]}));
  const own = around.filter(({event}) => events.block[event] === block);
  const asked = around.filter(({type}) => type === 'request')
                    .filter(({event, ref}) => events.block[event] === block || requests.multicast[ref])
                    .map(({event, ref}) => ({event, request: ref, landed: -1}));
  for (const {event, ref} of own.filter(({type}) => type === 'landed')) {
    // An answer that nobody waited for has not landed; only in a stretch that was left out one can't know.
    if (ref < 0 && !(launch.gap && events.time[event] <= launch.gap[1])) continue;
    for (const each of asked)
      if (each.request === requestLanded(launch, ref)) each.landed = event;
  }
  const operations = own.filter(({type, ref}) => type === 'operation' || (type === 'landed' && ref >= 0));
  const atMbarriers = operations.filter(({ref}) => mbarrierKinds.has(kinds[o.kind[ref]]));
  launch.stepsOf ??= groupBy(steps.block.keys(), (step) => steps.block[step]);
  const ofWarps = groupBy(launch.stepsOf.get(block) ?? [], (step) => steps.warp[step] - 1);
  const known = {
    block,
    operations,
    slots: groupBy(asked, ({request}) => requests.response[request]),
    mbarriers: groupBy(atMbarriers, ({ref}) => o.a[ref]),
    warps: new Map([...ofWarps].map(([warp, all]) => [warp, {times: all.map((step) => steps.time[step]), steps: all}]))
  };
  panel.blockCache.set(key, known);
  return known;
}

/// Whether lines and mbarriers of a launch were left out around a time.
export function inGap(launch, time) {
  return launch.gap !== undefined && time >= launch.gap[0] && time <= launch.gap[1];
}

/// 'waits', 'runs', 'ended' or 'stolen'; a block that was stolen never starts.
export function lifeOf(panel, l, block, index, time) {
  const launch = panel.launches[l], row = launch.rowOfBlock.get(block);
  if (row === undefined) {
    const request = launch.stolenBy.get(block);
    return request !== undefined && launch.decidedAt[request] <= index ? 'stolen' : 'waits';
  }
  if (index < launch.startedAt[row]) return 'waits';
  const end = launch.blocks.finished[row];
  return end >= 0 && time >= end ? 'ended' : 'runs';
}

/// The tile that a block works on, as a row of the launch; -1: none.
export function tileOf(panel, l, block, time) {
  const launch = panel.launches[l];
  const lane = panel.lanes[launch.laneOf.get(block)];
  if (lane === undefined) return -1;
  const next = countUpTo(lane.ends, time);
  const span = lane.spans[next];
  return span !== undefined && span.begin <= time && span.launch === l && launch.rows.block[span.row] === block ?
      span.row :
      -1;
}

const inOrder = (map, stateOf) => [...map].sort((a, b) => a[0] - b[0]).map(([key, history]) => stateOf(key, history));

/// What lies in each place for a response of a block after event `index`.
export function responsesOf(known, {requests}, index) {
  return inOrder(known.slots, (offset, asked) => {
    const last = asked.findLast(({event}) => event <= index);
    if (last === undefined) return {offset, state: 'empty'};
    const arrived = last.landed >= 0 && last.landed <= index, granted = requests.granted[last.request] === 1;
    const state = !arrived ? 'flying' : granted ? 'success' : 'failure';
    return {offset, request: last.request, stolen: requests.stolen[last.request], state};
  });
}

/// The mbarriers of a block after event `index`.
export function mbarriersOf(known, {operations: o}, index) {
  return inOrder(known.mbarriers, (offset, history) => {
    const last = history.findLast(({event}) => event <= index), ref = last?.ref;
    if (!last) return {offset, state: 'before'};
    const state = o.b[ref] < 0 ? 'gone' : 'live', changed = last.event === index;
    return {offset, state, phase: o.b[ref], arrivals: o.c[ref], bytes: o.d[ref], changed};
  });
}

/// Where each warp of a block is, and what it waits for.
export function warpsOf(known, {steps}, time) {
  return inOrder(known.warps, (warp, history) => {
    const at = countUpTo(history.times, time) - 1;
    if (at < 0) return {warp, state: 'before', line: 0, since: 0};
    const step = history.steps[at], state = kinds[steps.kind[step]];
    const reason = state === 'waits' ? reasons[steps.a[step]] : '', lanes = state === 'runs' ? steps.a[step] : 0;
    return {warp, line: steps.line[step], since: steps.time[step], state, lanes, reason, which: steps.b[step]};
  });
}

/// Blocks of a launch that after event `index` have not started and were not stolen.
export function waitingBlocks(launch, index) {
  if (index < launch.submittedAt) return 0;
  return launch.total - countUpTo(launch.leftAt, index) * launch.clusterSize;
}

const kMost = 64;  // that are told apart

/// Requests of a launch that are under way after event `index`: indices.
export function requestsUnderWay(panel, l, index) {
  const launch = panel.launches[l], time = panel.events.time[index] ?? -1;
  const result = [];
  const {requests} = launch;
  for (let i = countUpTo(requests.issued, time) - 1; i >= 0 && result.length < kMost; i--) {
    if (requests.issued[i] < time - 200000) break;
    const landed = launch.landedAt[i];
    if (landed < 0 || landed > index) result.push(i);
  }
  return result;
}

/// The next event from `index` in a direction (1 or -1) that `wanted` accepts; -1: none.
export function search(panel, index, direction, wanted) {
  for (let i = index + direction; i >= 0 && i < panel.events.length; i += direction) {
    if (wanted(i)) return i;
  }
  return -1;
}

/// Whether an event is a steal: a request is granted.
export function isSteal(panel, i) {
  const {events} = panel;
  return types[events.type[i]] === 'decided' && panel.launches[events.launch[i]].requests.granted[events.ref[i]] === 1;
}
