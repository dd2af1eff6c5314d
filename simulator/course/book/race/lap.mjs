// For Node and for the page: what the race shows of a run, from the record that clcsim writes for the player.
import {openPanel, readRecord} from '../../../clcsim/player/page/record.js';
import {meetingsOf, waitsOf} from '../../../clcsim/player/page/waits.js';

import {kTiles} from './strategies.mjs';

// Launches of the run: the kernel when it is timed, or beside the urgent one, and that one.
const kTimed = 2, kMain = 4, kUrgent = 5;

function launchOf(run, serial) {
  for (const panel of run.panels) {
    const l = panel.launches.findIndex((each) => each.serial === serial);
    if (l >= 0) return {panel: openPanel(run, panel.index), l, launch: panel.launches[l]};
  }
  return {};
}

// Tiles that end where the block's warps meet: {times} of the meetings of each block.
function meetingsByBlock(launch) {
  const times = new Map(launch.blocks.index.map((block) => [block, []]));
  for (const {block, time} of meetingsOf(launch)) times.get(block).push(time);
  return times;
}

// Of a block that does several tiles, each: {from, to, prologue, tile}.
function splitRow(row, ends, tiles) {
  return tiles.map((tile, i) => ({
                     ...row,
                     tile,
                     from: i > 0 ? ends[i - 1] : row.from,
                     to: i < tiles.length - 1 ? ends[i] : row.to,
                     taken: i > 0 ? ends[i - 1] : row.from,
                     prologue: i > 0 ? 0 : row.prologue
                   }));
}

function strideBars(rows, launch) {
  const meetings = meetingsByBlock(launch);
  return rows.flatMap((row) => {
    const ends = meetings.get(row.block);
    return splitRow(row, ends, ends.map((_, i) => row.block + i * launch.total));
  });
}

// A block draws its first tile after the prologue, and the next one when it begins with a tile. The counter gives the
// tiles in the order of the draws.
function queueBars(rows, launch) {
  const meetings = meetingsByBlock(launch), draws = [];
  for (const row of rows)
    for (const time of [row.from + row.prologue, ...meetings.get(row.block)]) draws.push({time, block: row.block});
  draws.sort((a, b) => a.time - b.time);
  const drawn = draws.slice(0, kTiles).map((draw, tile) => ({...draw, tile}));
  return rows.flatMap((row) => {
    const own = drawn.filter(({block}) => block === row.block), ends = meetings.get(row.block).slice(1);
    if (own.length > 0 && own.length !== ends.length) throw new Error('the draws are not those of the run');
    const bars = splitRow(row, ends, own.map(({tile}) => tile));
    return bars.map((bar, i) => ({...bar, taken: own[i].time}));
  });
}

function stolenBars(rows, {requests}) {
  const decided = new Map();
  for (let i = 0; i < requests.length; i++)
    if (requests.granted[i]) decided.set(requests.stolen[i], requests.decided[i]);
  return rows.map((row) => row.tile === row.block ? row : {...row, taken: decided.get(row.tile), stolen: 1});
}

const kBars = {
  stride: strideBars,
  queue: queueBars,
  clc: stolenBars
};

// Stretches in which a block does nothing but wait for a response.
function waitsIn(panel, l, rows) {
  const seen = new Set(), all = [];
  for (const {block, lane} of rows) {
    if (seen.has(block)) continue;
    seen.add(block);
    all.push(...waitsOf(panel, l, block).map(({from, to}) => ({lane, from, to})));
  }
  return all;
}

// Those that failed, and whether blocks waited.
function failedRequests({requests, laneOf}, bars) {
  const last = Math.max(...bars.map(({taken}) => taken));
  return requests.block.map((block, i) => ({lane: laneOf.get(block), time: requests.decided[i], i}))
      .filter(({time, i}) => time > 0 && !requests.granted[i])
      .map(({lane, time}) => ({lane, time, early: time < last}));
}

/// Of the run of a strategy (its name), in cycles since its kernel began:
///   end                                                   when the kernel has ended
///   bars [{lane, from, to, prologue, tile, taken, stolen, fails}]  taken: when the tile left those that wait; fails:
///                                                         when an early request fails there
///   starts [...]                                          of blocks: each runs a prologue
///   waits [{lane, from, to}]                              a block waits for a response
///   refused [{lane, time, early}]                         failed requests; early: blocks waited
///   urgent {at, from, to, lane}                           when it was launched, and when it ran; null: it wasn't
export function lapOf(record, name) {
  const run = readRecord(record), urgent = launchOf(run, kUrgent).launch,
        {panel, l, launch} = launchOf(run, urgent ? kMain : kTimed);
  const {rows, blocks} = launch, plain = rows.begin.map((from, i) => ({
                                                          lane: rows.slot[i],
                                                          block: rows.block[i],
                                                          from,
                                                          to: rows.end[i],
                                                          prologue: rows.prologue[i],
                                                          tile: rows.tile[i],
                                                          taken: from
                                                        }));
  const bars = (kBars[name] ?? ((all) => all))(plain, launch);
  const since = (each) => Object.fromEntries(Object.entries(each).map(
      ([key, value]) => [key, ['from', 'to', 'taken', 'time'].includes(key) ? value - panel.begin : value]));
  const refused = failedRequests(launch, bars).map(since), early = refused.filter((each) => each.early);
  const fails = (bar) => early.find(({lane, time}) => lane === bar.lane && bar.from <= time && time < bar.to)?.time;
  return {
    end: launch.finished - panel.begin,
    bars: bars.map(since).map((bar) => ({...bar, fails: fails(bar)})),
    starts: [...blocks.started].map((time) => time - panel.begin).sort((a, b) => a - b),
    waits: waitsIn(panel, l, plain).map(since),
    refused,
    urgent: urgent ? {
      at: urgent.submitted - panel.begin,
      from: urgent.started - panel.begin,
      to: urgent.finished - panel.begin,
      lane: urgent.rows.slot[0]
    } :
                     null
  };
}
