// Finds a block, a cycle, a line, a warp, or words: what a text asks for, and the places in words.
import {blockOf, eventAt} from './moments.js';
import {grouped, ranges} from './numbers.js';
import {blockName, workerOf} from './record.js';
import {label, lineName, requestName, sentence} from './words.js';

const wholeNumber = (digits) => Number(digits.replace(/,/g, ''));

/// {kind: 'block' | 'cycle' | 'line' | 'warp' | 'words' | 'number', ...} for what was typed; null: nothing.
export function readQuery(text) {
  const words = text.trim().toLowerCase();
  if (words === '') return null;
  const after = (names) => new RegExp(`^(?:${names})\\s*#?\\s*([\\d][\\d,]*)$`).exec(words)?.[1];
  if (after('block|tile|b')) return {kind: 'block', name: after('block|tile|b')};
  if (after('cycle|c|@')) return {kind: 'cycle', number: wholeNumber(after('cycle|c|@'))};
  if (after('line|l|:')) return {kind: 'line', number: wholeNumber(after('line|l|:'))};
  const warp = /^(?:warp|w)\s*(\d+)(?:\s+(?:of\s+)?(?:block\s*)?(\d[\d,]*))?$/.exec(words);
  if (warp) return {kind: 'warp', number: Number(warp[1]), name: warp[2]};
  const place = /^([\w./-]+):(\d+)$/.exec(words);
  if (place) return {kind: 'line', file: place[1], number: Number(place[2])};
  if (/^\d[\d,]*$/.test(words)) return {kind: 'number', name: words, number: wholeNumber(words)};
  return {kind: 'words', words: words.split(/\s+/)};
}

// The index of a block from its name, "17" or "3,1"; -1: there is none.
function blockNamed(launch, name) {
  const parts = name.split(',').map(Number), [x, y, z] = launch.grid;
  if (parts.length === 1) return parts[0] < launch.total ? parts[0] : -1;
  const [i, j, k = 0] = parts;
  return parts.length <= 3 && i < x && j < y && k < z ? i + x * (j + y * k) : -1;
}

/// Who did the work of a block, and when: a sentence, and the event that it is about.
export function storyOfBlock(panel, l, block) {
  const launch = panel.launches[l], {blocks, requests, rows} = launch, name = blockName(launch, block);
  const cycle = (time) => `cycle ${grouped(time - panel.begin)}`;
  const row = launch.rowOfBlock.get(block), request = launch.stolenBy.get(block);
  if (row !== undefined) {
    const end = blocks.finished[row];
    const stole = launch.stole.get(block) ?? 0;
    return {
      text: `Block ${name} starts on SM ${blocks.sm[row]} at ${cycle(blocks.started[row])}${
          end >= 0 ? ` and leaves at ${cycle(end)}` : ' and never leaves'}. It steals ${
          stole === 0 ? 'no block' : `${grouped(stole)} block${stole === 1 ? '' : 's'}`}.`,
      event: launch.startedAt[row]
    };
  }
  if (request === undefined)
    return {text: `Block ${name} waits to the end: it neither starts nor is stolen.`, event: panel.events.length - 1};
  const tile = launch.rowOfTile.get(block), by = requests.block[request];
  const doer = tile === undefined ? by : rows.block[tile];
  const work = tile === undefined ?
      'No block begins its work.' :
      `${doer === by ? 'Block' : 'Of its cluster block'} ${blockName(launch, doer)} does its work from ${
          cycle(rows.begin[tile])} to ${grouped(rows.end[tile] - panel.begin)}.`;
  return {
    text: `Block ${name} is stolen by block ${blockName(launch, by)} at ${cycle(requests.decided[request])} (${
        requestName(launch, request)}). ${work}`,
    event: launch.decidedAt[request]
  };
}

function blockHits({panel}, query) {
  return panel.launches.flatMap((launch, l) => {
    const block = blockNamed(launch, query.name);
    if (block < 0) return [];
    const {text, event} = storyOfBlock(panel, l, block);
    return [{text, event, choose: {launch: l, block}}];
  });
}

function cycleHits({run, panel}, query) {
  const time = panel.begin + query.number;
  if (time > panel.end) return [];
  return [{text: `Cycle ${grouped(query.number)}. ${sentence(run, panel, eventAt(panel, time))}`, time}];
}

function lineHits({run, moment}, query) {
  const hits = [];
  run.lines.forEach((_, i) => {
    const name = lineName(run, i + 1);
    const [, file, number] = /^(.*):(\d+)$/.exec(name) ?? [];
    if (Number(number) !== query.number || (query.file && !file.toLowerCase().endsWith(query.file.replace(/.*\//, ''))))
      return;
    hits.push({text: `Line ${name}, where block ${moment.blockName} runs it next.`, line: i + 1});
  });
  return hits;
}

// The block whose warps a text means: of a stolen block the one that does its work; -1: there is none.
function warpsBlock({panel, moment}, {name}) {
  const {launch: l} = moment, block = name === undefined ? moment.block : blockNamed(panel.launches[l], name);
  return block < 0 ? -1 : workerOf(panel, l, block);
}

function warpHits(context, query) {
  const {panel, moment} = context, {launch: l} = moment, block = warpsBlock(context, query);
  if (block < 0 || !blockOf(panel, l, block).warps.has(query.number)) return [];
  return [{
    text: `Warp ${query.number} of block ${blockName(panel.launches[l], block)}.`,
    time: moment.time,
    choose: {launch: l, block, warp: query.number}
  }];
}

const hitsOf = {
  block: blockHits,
  cycle: cycleHits,
  line: lineHits,
  warp: warpHits,
  number: (context, query) => [blockHits, lineHits, warpHits, cycleHits].flatMap((each) => each(context, query)),
};

/// What there is instead of a block, warp or cycle that nothing is found for.
export function whatThereIs(context, query) {
  const {panel, moment} = context, launch = panel.launches[moment.launch];
  if (query.kind === 'block') return `: the last block is ${blockName(launch, launch.total - 1)}`;
  if (query.kind === 'cycle') return `: the last cycle is ${grouped(panel.end - panel.begin)}`;
  const block = query.kind === 'warp' ? warpsBlock(context, query) : -1;
  if (block < 0) return '';
  const warps = [...blockOf(panel, moment.launch, block).warps.keys()].sort((a, b) => a - b);
  return warps.length === 0 ?
      '' :
      `: block ${blockName(launch, block)} has warp${warps.length > 1 ? 's' : ''} ${ranges(warps)}`;
}

/// Answers, in the order of the run. A number is answered at once; words are searched a little at a time, and
/// `found(hits, done)` is told of more and more hits. `going()`: whether the search is still wanted.
export async function find(context, query, found, going) {
  if (query.kind !== 'words') {
    found(hitsOf[query.kind](context, query), true);
    return;
  }
  const {run, panel} = context, hits = [];
  let since = performance.now();
  for (let i = 0; i < panel.events.length; i++) {
    const text = `${label(run, panel, i)}. ${sentence(run, panel, i)}`, lower = text.toLowerCase();
    if (query.words.every((word) => lower.includes(word))) hits.push({text: sentence(run, panel, i), event: i});
    if (i % 64 !== 0 || performance.now() - since < 30) continue;
    found(hits, false);
    await new Promise((next) => setTimeout(next));
    if (!going()) return;
    since = performance.now();
  }
  found(hits, true);
}
