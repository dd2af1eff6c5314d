// The block in focus: its response buffers and mbarriers as tables, its warps in sentences.
import {element, sentenceWithLinks} from './element.js';
import {blockOf, inGap, lifeOf, mbarriersOf, responsesOf, tileOf} from './moments.js';
import {count, grouped} from './numbers.js';
import {blockName, clusterBlocks, requestNumber} from './record.js';
import {whatWarpsDo} from './why.js';
import {hex, requestName, stolenName} from './words.js';

/// Who did the work of a block, and when.
export function storyOfBlock(panel, l, block) {
  const launch = panel.launches[l], {blocks, requests, rows} = launch, name = blockName(launch, block);
  const cycle = (time) => `cycle ${grouped(time - panel.begin)}`;
  const row = launch.rowOfBlock.get(block), request = launch.stolenBy.get(block);
  if (row !== undefined) {
    const leaves = blocks.finished[row] >= 0 ? `leaves at ${cycle(blocks.finished[row])}` : 'never leaves';
    const stole = [...launch.stolenBy.values()].filter((each) => requests.block[each] === block).length;
    return `Block ${name} starts on SM ${blocks.sm[row]} at ${cycle(blocks.started[row])} and ${leaves}. It steals ${
        stole === 0 ? 'no block' : count(stole, 'block')}.`;
  }
  if (request === undefined) return `Block ${name} waits to the end: it neither starts nor is stolen.`;
  const tile = launch.rowOfTile.get(block), by = requests.block[request];
  const doer = tile === undefined ? by : rows.block[tile];
  const work = tile === undefined ?
      'No block begins its work.' :
      `${doer === by ? 'Block' : 'Of its cluster block'} ${blockName(launch, doer)} does its work from ${
          cycle(rows.begin[tile])} to ${grouped(rows.end[tile] - panel.begin)}.`;
  return `Block ${name} is stolen by block ${blockName(launch, by)} at ${cycle(requests.decided[request])} (${
      requestName(launch, request)}). ${work}`;
}

function table(caption, names, rows) {
  const head = names.map(([name, why]) => element('th', name, {scope: 'col', title: why}));
  const cells = (row) => row.map((cell) => cell instanceof Node ? cell : element('td', cell));
  const body = element('tbody', '', {}, ...rows.map((row) => element('tr', '', {}, ...cells(row))));
  return element(
      'table', '', {}, element('caption', caption), element('thead', '', {}, element('tr', '', {}, ...head)), body);
}

// Where a block has one, its address says nothing.
function withAddress(rows, names, what) {
  return rows.length > 1 ? table(what, [['at', 'Address in the shared memory of the block'], ...names], rows) :
                           table(what, names, rows.map((cells) => cells.slice(1)));
}

// Its number, and whose it is where the response came to the whole cluster.
function requestOf({block}, launch, request) {
  const asker = launch.requests.block[request];
  return `${requestNumber(launch, request)}${asker === block ? '' : ` of block ${blockName(launch, asker)}`}`;
}

function responseTable(known, launch, index) {
  const words = {
    empty: 'empty: nobody has asked yet',
    flying: 'in flight: it must not be read yet',
    failure: 'failure: no block, and no further request',
  };
  const rows = responsesOf(known, launch, index).map((slot) => {
    const cell =
        element('td', slot.state === 'success' ? `success: ${stolenName(launch, slot.stolen)}` : words[slot.state]);
    cell.className = 'state-' + slot.state;
    return [hex(slot.offset), cell, slot.request === undefined ? '' : requestOf(known, launch, slot.request)];
  });
  const names =
      [['what it holds', 'The 16 bytes that a request asks for'], ['request', 'Requests of a block, counted from 1']];
  return withAddress(rows, names, rows.length > 1 ? 'Response buffers' : 'Response buffer');
}

function mbarrierTable(known, launch, index) {
  const rows = mbarriersOf(known, launch, index).map((barrier) => {
    if (barrier.state !== 'live')
      return [hex(barrier.offset), barrier.state === 'gone' ? 'ended' : 'not initialised', '', ''];
    const mark = (text) => element('td', text, barrier.changed ? {class: 'changed'} : {});
    return [
      hex(barrier.offset), mark(String(barrier.phase)), mark(String(barrier.arrivals)),
      mark(String(barrier.bytes).replace('-', '\u2212'))
    ];
  });
  const names = [
    ['phase', 'The phase that is open. The first is 0; a phase is over when no arrival and no byte is due'],
    ['arrivals due', 'Threads that must still arrive in this phase'],
    [
      'bytes due',
      'The transaction count: bytes that must still come in this phase; below 0: they came before they were expected'
    ]
  ];
  return withAddress(rows, names, rows.length > 1 ? 'mbarriers' : 'mbarrier');
}

function lifeLine(panel, moment) {
  const {launch: l, block, event, time} = moment, launch = panel.launches[l];
  const life = lifeOf(panel, l, block, event, time), row = launch.rowOfBlock.get(block);
  const cluster = clusterBlocks(launch, block).map((each) => blockName(launch, each));
  const near = cluster.length === 1 ? '' : `Its cluster: ${cluster.join(launch.grid[1] > 1 ? '; ' : ', ')}. `;
  const text = storyOfBlock(panel, l, block);
  if (life === 'stolen') return [life, near + text];
  if (life === 'waits') return [life, `${near}It waits in the queue. ${text}`];
  const where = `on SM ${launch.blocks.sm[row]}`;
  if (life === 'ended')
    return [life, `${near}It ran ${where}, and left at cycle ${grouped(launch.blocks.finished[row] - panel.begin)}.`];
  const tile = launch.rows.tile[tileOf(panel, l, block, time)];
  if (tile === undefined) return [life, `${near}It runs ${where}.`];
  const does = tile === block ? 'its own tile' : `tile ${blockName(launch, tile)}, which was stolen`;
  return [life, `${near}It runs ${where}, and does ${does}.`];
}

/// Fills `place` with what is known of the block of a moment. `worker`: the same moment of who does its work; its
/// buffers and warps are shown. `follow(link)`: a link of a sentence was clicked.
export function showFocus(place, run, panel, moment, worker, follow) {
  const launch = panel.launches[moment.launch], {event, time} = moment, parts = [];
  const [life, text] = lifeLine(panel, moment);
  parts.push(element('p', text, {class: 'life'}));
  if (worker.block !== moment.block && life === 'stolen')
    parts.push(sentenceWithLinks(
        ['This is ', {text: `block ${blockName(launch, worker.block)}`, block: worker.block}, ', which does its work:'],
        follow));
  const known = blockOf(panel, worker.launch, worker.block);
  if (lifeOf(panel, worker.launch, worker.block, event, time) !== 'waits' && life !== 'waits') {
    const gap = inGap(launch, time);
    if (gap) {
      parts.push(element(
          'p',
          'Of this stretch of the run mbarriers and lines were not kept (the dashed frame). ' +
              'A run with fewer tiles keeps all of them.',
          {class: 'note'}));
    } else if (known.warps.size > 0) {
      const said = whatWarpsDo(run, panel, worker, worker.warp).map((each) => sentenceWithLinks(each, follow));
      parts.push(element('div', '', {class: 'why'}, element('p', 'What its warps do', {class: 'ask'}), ...said));
    }
    if (known.slots.size > 0) parts.push(responseTable(known, launch, event));
    if (!gap && known.mbarriers.size > 0) parts.push(mbarrierTable(known, launch, event));
  }
  place.replaceChildren(...parts);
}
