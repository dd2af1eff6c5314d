// The state of a run after any of its events. Nothing is replayed: each question is a search.
import {countUpTo} from './numbers.js';
import {clusterBlocks, clusterOf, kinds, mbarrierKinds, reasons, requestLanded, types} from './record.js';

/// Index of the last event at or before a time; -1: none.
export function eventAt(panel, time) { return countUpTo(panel.events.time, time) - 1; }

/// The line that an event is about; 0: it is about none.
export function lineOf(run, {events, launches}, i) {
  const launch = launches[events.launch[i]], type = types[events.type[i]], ref = events.ref[i];
  if (type === 'request') return launch.requests.line[ref];
  if (type === 'operation') return launch.operations.line[ref];
  return type === 'finding' ? run.findings[ref].line : 0;
}

// The events of each block, as chains from each to the next one.
function chainsOf(panel) {
  const {events} = panel, first = panel.launches.map(() => new Map()), next = new Int32Array(events.length);
  for (let i = events.length - 1; i >= 0; i--) {
    const known = first[events.launch[i]];
    next[i] = known.get(events.block[i]) ?? -1;
    known.set(events.block[i], i);
  }
  return {first, next};
}

// Of a block and, where a request is for a whole cluster, of those beside it; in their order.
function eventsAround(panel, l, block) {
  panel.chains ??= chainsOf(panel);
  const {first, next} = panel.chains, all = [];
  for (const each of clusterBlocks(panel.launches[l], block))
    for (let i = first[l].get(each) ?? -1; i >= 0; i = next[i]) all.push(i);
  return all.sort((a, b) => a - b);
}

function stepsByBlock(steps) {
  const by = new Map();
  for (let i = 0; i < steps.length; i++) {
    if (!by.has(steps.block[i])) by.set(steps.block[i], []);
    by.get(steps.block[i]).push(i);
  }
  return by;
}

/// What is known of a block that ran: its events, mbarriers, requests and warps.
export function blockOf(panel, l, block) {
  const key = `${l}:${block}`;
  if (panel.blockCache.has(key)) return panel.blockCache.get(key);
  const launch = panel.launches[l], {events} = panel;
  const known = {block, mbarriers: new Map(), slots: new Map(), warps: new Map(), operations: []};
  const mine = clusterOf(launch, block).first;
  for (const i of eventsAround(panel, l, block)) {
    const type = types[events.type[i]], ref = events.ref[i];
    if (type === 'request') {
      const {requests} = launch;
      const multicast = requests.multicast[ref] === 1;
      if (events.block[i] === block || (multicast && clusterOf(launch, requests.block[ref]).first === mine)) {
        const slot = requests.response[ref];
        if (!known.slots.has(slot)) known.slots.set(slot, []);
        known.slots.get(slot).push({event: i, request: ref, landed: -1});
      }
    }
    if (events.block[i] !== block) continue;
    if (type === 'landed') {
      const request = requestLanded(launch, ref);
      // An answer that nobody waited for has not landed; only in a stretch that was left out one can't know.
      if (ref < 0 && !(launch.gap && events.time[i] <= launch.gap[1])) continue;
      for (const asked of known.slots.values()) {
        for (const each of asked)
          if (each.request === request) each.landed = i;
      }
    }
    const {operations} = launch;
    const isOperation = type === 'operation' || (type === 'landed' && ref >= 0);
    if (isOperation) known.operations.push({event: i, ref});
    if (isOperation && mbarrierKinds.has(kinds[operations.kind[ref]])) {
      const offset = operations.a[ref];
      if (!known.mbarriers.has(offset)) known.mbarriers.set(offset, {events: [], operations: []});
      known.mbarriers.get(offset).events.push(i);
      known.mbarriers.get(offset).operations.push(ref);
    }
  }
  const {steps} = launch;
  launch.stepsOf ??= stepsByBlock(steps);
  for (const i of launch.stepsOf.get(block) ?? []) {
    const warp = steps.warp[i] - 1;
    if (!known.warps.has(warp)) known.warps.set(warp, {times: [], steps: []});
    known.warps.get(warp).times.push(steps.time[i]);
    known.warps.get(warp).steps.push(i);
  }
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
    const arrived = last.landed >= 0 && last.landed <= index;
    const granted = requests.granted[last.request] === 1;
    return {
      offset,
      request: last.request,
      stolen: requests.stolen[last.request],
      state: !arrived ? 'flying' :
          granted     ? 'success' :
                        'failure'
    };
  });
}

/// The mbarriers of a block after event `index`.
export function mbarriersOf(known, {operations}, index) {
  return inOrder(known.mbarriers, (offset, history) => {
    const at = countUpTo(history.events, index) - 1;
    if (at < 0) return {offset, state: 'before'};
    const ref = history.operations[at];
    return {
      offset,
      state: operations.b[ref] < 0 ? 'gone' : 'live',
      phase: operations.b[ref],
      arrivals: operations.c[ref],
      bytes: operations.d[ref],
      changed: history.events[at] === index
    };
  });
}

/// What an mbarrier of a block goes through: [{event, arrivals, bytes, phase, over}]. What ends a phase makes two: the
/// end, and the phase that begins.
export function changesOf(known, {operations: o}, offset) {
  const {events, operations} = known.mbarriers.get(offset), changes = [];
  operations.forEach((ref, i) => {
    const kind = kinds[o.kind[ref]], last = changes.at(-1), after = {event: events[i], phase: o.b[ref], over: false};
    if (kind === 'passed' || after.phase < 0) return;
    if (last && last.phase < after.phase) {
      const arrived = kind === 'arrive' ? o.e[ref] : 0;
      const expected = kind === 'arrive' ? o.f[ref] : kind === 'expect' ? o.e[ref] : -o.e[ref];
      const due = {arrivals: last.arrivals - arrived, bytes: last.bytes + expected};
      changes.push({...after, ...due, phase: last.phase, over: true});
    }
    changes.push({...after, arrivals: o.c[ref], bytes: o.d[ref]});
  });
  return changes;
}

/// Where each warp of a block is, and what it waits for.
export function warpsOf(known, {steps}, time) {
  return inOrder(known.warps, (warp, history) => {
    const at = countUpTo(history.times, time) - 1;
    if (at < 0) return {warp, state: 'before', line: 0, since: 0};
    const step = history.steps[at];
    const kind = kinds[steps.kind[step]];
    return {
      warp,
      line: steps.line[step],
      since: steps.time[step],
      state: kind,
      lanes: kind === 'runs' ? steps.a[step] : 0,
      reason: kind === 'waits' ? reasons[steps.a[step]] : '',
      which: steps.b[step]
    };
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
