// Reads the record of a run (player/record.cpp writes it) into what the page asks for.
import {unpack} from './numbers.js';

/// Kinds of items, by number: player/detail.h, Kind.
export const kinds = [
  'runs',   'waits',  'exits',  'init',       'inval',    'expect',         'complete',
  'arrive', 'landed', 'passed', 'bar_arrive', 'bar_done', 'cluster_arrive', 'cluster_done',
  'query',  'decode', 'fence',  'copy',       'product',  'async_arrive'
];
/// Those that an mbarrier takes part in.
export const mbarrierKinds =
    new Set(['init', 'inval', 'expect', 'complete', 'arrive', 'landed', 'passed', 'async_arrive']);
/// What a warp waits for: player/detail.h, Reason.
export const reasons = ['turn', 'memory', 'lanes', 'block_barrier', 'cluster_barrier', 'mbarrier', 'change'];

function namedColumns(text, names) {
  const columns = unpack(text ?? '', names.length);
  const result = {length: columns[0].length};
  names.forEach((name, i) => {
    result[name] = columns[i];
  });
  return result;
}

function readLaunch(json) {
  const launch = {...json};
  launch.clusterSize = json.cluster[0] * json.cluster[1] * json.cluster[2];
  launch.total = json.grid[0] * json.grid[1] * json.grid[2];
  launch.blocks = namedColumns(json.blocks, ['index', 'sm', 'started', 'finished']);
  const requests = namedColumns(json.requests, [
    'issued', 'decided', 'answered', 'block', 'warp', 'line', 'response', 'mbarrier', 'granted', 'waited', 'multicast',
    'stolen'
  ]);
  for (let i = 0; i < requests.length; i++) {
    if (requests.decided[i] < 0)
      requests.decided[i] = 0;
    else
      requests.answered[i] += requests.decided[i] += requests.issued[i];
  }
  launch.requests = requests;
  const rows = namedColumns(json.rows, ['sm', 'slot', 'begin', 'end', 'prologue', 'block', 'tile', 'tiles', 'request']);
  for (let i = 0; i < rows.length; i++) {
    const follows = i > 0 && rows.sm[i] === rows.sm[i - 1] && rows.slot[i] === rows.slot[i - 1];
    if (follows) rows.begin[i] += rows.end[i - 1];
    rows.end[i] += rows.begin[i];
    rows.tile[i] += rows.request[i] ? requests.stolen[rows.request[i] - 1] : rows.block[i];
  }
  launch.rows = rows;
  launch.steps = namedColumns(json.steps, ['block', 'warp', 'time', 'line', 'kind', 'a', 'b']);
  launch.operations =
      namedColumns(json.operations, ['time', 'kind', 'block', 'warp', 'line', 'a', 'b', 'c', 'd', 'e', 'f']);
  launch.rowOfBlock = new Map(launch.blocks.index.map((block, row) => [block, row]));
  return launch;
}

const placeOf = ({grid: [x, y]}, linear) => [linear % x, Math.floor(linear / x) % y, Math.floor(linear / x / y)];

/// "3", or "3,1" in a grid of two dimensions.
export function blockName(launch, linear) {
  const [, y, z] = launch.grid, dimensions = z > 1 ? 3 : y > 1 ? 2 : 1;
  return placeOf(launch, linear).slice(0, dimensions).join();
}

/// The number of a request among those of its block, counted from 1.
export function requestNumber(launch, request) {
  const counted = new Map();
  launch.requestNumbers ??= Int32Array.from(launch.requests.block, (block) => {
    counted.set(block, (counted.get(block) ?? 0) + 1);
    return counted.get(block);
  });
  return launch.requestNumbers[request];
}

/// The block that does the work of a block: itself, or who has stolen it.
export function workerOf(panel, l, block) {
  const launch = panel.launches[l], tile = launch.rowOfTile.get(block), request = launch.stolenBy.get(block);
  if (tile !== undefined) return launch.rows.block[tile];
  return request === undefined ? block : launch.requests.block[request];
}

/// The blocks of the cluster that a block is in; of a lone block that block.
export function clusterBlocks(launch, linear) {
  const [x, y] = launch.grid, [cx, cy, cz] = launch.cluster, {first} = clusterOf(launch, linear), all = [];
  for (let k = 0; k < cz; k++)
    for (let j = 0; j < cy; j++)
      for (let i = 0; i < cx; i++) all.push(first + i + x * (j + y * k));
  return all;
}

/// The place of a block in its cluster, and the first block of that.
export function clusterOf(launch, linear) {
  const [x, y] = launch.grid, [cx, cy, cz] = launch.cluster, at = placeOf(launch, linear);
  const in_ = [at[0] % cx, at[1] % cy, at[2] % cz];
  const first = (at[0] - in_[0]) + x * ((at[1] - in_[1]) + y * (at[2] - in_[2]));
  return {rank: in_[0] + cx * (in_[1] + cy * in_[2]), first};
}

// What happens in a panel, in the order of time. `ref` is an index into what the type is about.
export const types = [
  'submitted', 'begins', 'starts', 'request', 'decided', 'landed', 'operation', 'tile', 'done', 'ends', 'finding',
  'over'
];
const typeNumber = Object.fromEntries(types.map((name, i) => [name, i]));

// Tiles begin and end: what a block does after the one is mostly to begin the next.
function addTiles(launch, l, add) {
  const {rows, blocks} = launch;
  for (let i = 0; i < rows.length; i++) {
    if (rows.tiles[i] !== 1) continue;
    const block = rows.block[i];
    if (rows.tile[i] !== block)
      add(rows.begin[i], 'tile', l, i, block);
    else if (rows.prologue[i] > 0 && rows.prologue[i] < rows.end[i] - rows.begin[i])
      add(rows.begin[i] + rows.prologue[i], 'tile', l, i, block);
    const goesOn = i + 1 < rows.length && rows.block[i + 1] === block && rows.begin[i + 1] === rows.end[i];
    const finished = blocks.finished[launch.rowOfBlock.get(block)];
    if (!goesOn && finished >= 0 && finished !== rows.end[i]) add(rows.end[i], 'done', l, i, block);
  }
}

function listEvents(panel, run) {
  const list = [];
  // A launch that was stopped has events of warps that ran a little ahead.
  const add = (time, type, launch, ref, block) => {
    if (time >= 0) list.push({time: Math.min(time, panel.end), type: typeNumber[type], launch, ref, block});
  };
  panel.launches.forEach((launch, l) => {
    add(launch.submitted, 'submitted', l, 0, -1);
    if (launch.started > launch.submitted) add(launch.started, 'begins', l, 0, -1);
    if (launch.complete) add(launch.finished, 'over', l, 0, -1);
    const {blocks, requests, operations} = launch;
    const landingTold = new Set();
    for (let i = 0; i < operations.length; i++) {
      const landed = kinds[operations.kind[i]] === 'landed';
      if (landed && operations.f[i]) landingTold.add(operations.f[i]);
      add(operations.time[i], landed ? 'landed' : 'operation', l, i, operations.block[i]);
    }
    for (let i = 0; i < blocks.length; i++) {
      add(blocks.started[i], 'starts', l, i, blocks.index[i]);
      add(blocks.finished[i], 'ends', l, i, blocks.index[i]);
    }
    for (let i = 0; i < requests.length; i++) {
      add(requests.issued[i], 'request', l, i, requests.block[i]);
      if (requests.decided[i] === 0) continue;
      add(requests.decided[i], 'decided', l, i, requests.block[i]);
      // ref < 0: of a request whose landing is not among the operations
      if (!landingTold.has(i + 1)) add(requests.answered[i], 'landed', l, -1 - i, requests.block[i]);
    }
    addTiles(launch, l, add);
  });
  run.findings.forEach((finding, i) => {
    const l = panel.launches.findIndex((launch) => launch.serial === finding.launch);
    if (l >= 0) add(finding.time, 'finding', l, i, finding.block);
  });
  return list.sort((a, b) => a.time - b.time || a.type - b.type);
}

/// The request that a landing answers; -1: none, it is a copy.
export function requestLanded(launch, ref) { return ref < 0 ? -1 - ref : launch.operations.f[ref] - 1; }

// What tells the run's story: of the others each is one instruction of it.
function mattersOf(panel, events) {
  const matters = new Uint8Array(events.length), failureSeen = new Set();
  for (let i = 0; i < events.length; i++) {
    const type = types[events.type[i]], launch = panel.launches[events.launch[i]], ref = events.ref[i];
    if (type === 'operation') {
      const key = `${events.launch[i]}:${events.block[i]}`;
      if (kinds[launch.operations.kind[ref]] !== 'query' || launch.operations.a[ref] !== 0 || failureSeen.has(key))
        continue;
      failureSeen.add(key);
    }
    if (type === 'landed' && launch.requests.block[requestLanded(launch, ref)] !== events.block[i]) continue;
    matters[i] = 1;
  }
  return matters;
}

function collectEvents(panel, run) {
  const list = listEvents(panel, run);
  const events = {
    length: list.length,
    time: Float64Array.from(list, (e) => e.time),
    type: Uint8Array.from(list, (e) => e.type),
    launch: Uint16Array.from(list, (e) => e.launch),
    ref: Int32Array.from(list, (e) => e.ref),
    block: Float64Array.from(list, (e) => e.block),
  };
  events.matters = mattersOf(panel, events);
  // Where things are among the events: for each request its landing in the block that asked, where it took what.
  panel.launches.forEach((launch) => {
    launch.landedAt = new Int32Array(launch.requests.length).fill(-1);
    launch.decidedAt = new Int32Array(launch.requests.length).fill(-1);
    launch.startedAt = new Int32Array(launch.blocks.length).fill(-1);
    launch.submittedAt = -1;
  });
  for (let i = 0; i < events.length; i++) {
    const launch = panel.launches[events.launch[i]], ref = events.ref[i], type = types[events.type[i]];
    if (type === 'decided') launch.decidedAt[ref] = i;
    if (type === 'starts') launch.startedAt[ref] = i;
    if (type === 'submitted') launch.submittedAt = i;
    if (type !== 'landed') continue;
    const request = requestLanded(launch, ref);
    if (request < 0 || request >= launch.landedAt.length) continue;
    if (events.block[i] === launch.requests.block[request]) launch.landedAt[request] = i;
  }
  return events;
}

// Lanes: for each slot of an SM, the stretches of all launches, in the order of time.
function collectLanes(panel, run) {
  const lanes = [];
  for (let sm = 0; sm < run.sms; sm++) {
    for (let slot = 0; slot < panel.slots; slot++) lanes.push({sm, slot, spans: []});
  }
  panel.launches.forEach((launch, l) => {
    const {rows} = launch;
    launch.laneOf = new Map();
    for (let i = 0; i < rows.length; i++) {
      // Who was there when a launch was stopped stayed to the end.
      const stayed = !launch.complete && launch.blocks.finished[launch.rowOfBlock.get(rows.block[i])] < 0;
      if (stayed && rows.end[i] >= launch.finished) rows.end[i] = panel.end;
      const number = rows.sm[i] * panel.slots + rows.slot[i];
      lanes[number]?.spans.push({launch: l, row: i, begin: rows.begin[i], end: rows.end[i]});
      if (!launch.laneOf.has(rows.block[i])) launch.laneOf.set(rows.block[i], number);
    }
  });
  for (const lane of lanes) {
    lane.spans.sort((a, b) => a.begin - b.begin);
    lane.ends = Float64Array.from(lane.spans, (span) => span.end);
  }
  return lanes;
}

// When clusters left the queue: started, or taken by a request. `event`: by which it did.
function collectLeavings(launch) {
  const left = [];
  const {blocks, requests} = launch;
  launch.stolenBy = new Map();  // request, by stolen block
  for (let i = 0; i < blocks.length; i++) {
    const {rank, first} = clusterOf(launch, blocks.index[i]);
    if (rank === 0) left.push({time: blocks.started[i], first, by: -1, event: launch.startedAt[i]});
  }
  for (let i = 0; i < requests.length; i++) {
    if (requests.decided[i] === 0 || !requests.granted[i]) continue;
    left.push({time: requests.decided[i], first: requests.stolen[i], by: i, event: launch.decidedAt[i]});
    for (const block of clusterBlocks(launch, requests.stolen[i])) launch.stolenBy.set(block, i);
  }
  left.sort((a, b) => a.event - b.event);
  launch.left = left;
  launch.leftAt = Int32Array.from(left, (each) => each.event);
  launch.rowOfTile = new Map();
  for (let i = 0; i < launch.rows.length; i++)
    if (launch.rows.tiles[i] === 1) launch.rowOfTile.set(launch.rows.tile[i], i);
}

/// The run behind a record. Panels are read when they are asked for: see openPanel().
export function readRecord(json) {
  const launches = json.launches.map(readLaunch);
  return {
    ...json,
    findings: json.findings.map(
        ({finding, again, ...at}) => ({...finding, ...at, again: namedColumns(again, ['time', 'block'])})),
    panels: json.panels.map((panel, index) => {
      const use = namedColumns(panel.use, ['prologue', 'own', 'stolen', 'urgent']);
      const edge = (i) => panel.begin + Math.floor(Math.max(1, panel.end - panel.begin) * i / use.length);
      use.part = (i) => [edge(i), edge(i + 1)];  // of the run's time; report/timeline_layout.cpp has the same edges
      return {...panel, index, use, launches: panel.launches.map((l) => launches[l])};
    }),
  };
}

export function openPanel(run, index) {
  const panel = run.panels[index];
  if (panel.events) return panel;
  panel.events = collectEvents(panel, run);
  panel.launches.forEach(collectLeavings);
  panel.lanes = collectLanes(panel, run);
  panel.blockCache = new Map();
  return panel;
}
