// The block in focus: its response buffers, mbarriers and warps, as tables.
import {blockOf, inGap, lifeOf, mbarriersOf, responsesOf, tileOf, warpsOf} from './moments.js';
import {count, grouped, ranges} from './numbers.js';
import {blockName} from './record.js';
import {hex, lineName, reasonWords} from './words.js';

/// An element with text and attributes.
export function element(name, text = '', attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function head(names) {
  const row = element('tr');
  for (const [name, why] of names) row.append(element('th', name, {scope: 'col', title: why}));
  const section = element('thead');
  section.append(row);
  return section;
}

function table(caption, names, rows) {
  const made = element('table'), body = element('tbody');
  made.append(element('caption', caption), head(names));
  for (const cells of rows) {
    const row = element('tr');
    for (const cell of cells) row.append(cell instanceof Node ? cell : element('td', cell));
    body.append(row);
  }
  made.append(body);
  return made;
}

function responseTable(known, launch, index) {
  const words = {
    empty: 'empty: nobody has asked yet',
    flying: 'in flight: it must not be read yet',
    failure: 'failure: no block, and no further request',
  };
  const rows = responsesOf(known, launch, index).map((slot) => {
    const cell = element(
        'td', slot.state === 'success' ? `success: block ${blockName(launch, slot.stolen)}` : words[slot.state]);
    cell.className = 'state-' + slot.state;
    return [hex(slot.offset), cell, slot.request === undefined ? '' : String(slot.request + 1)];
  });
  return table(
      'Response buffer',
      [
        ['at', 'Address in the shared memory of the block'], ['what it holds', 'The 16 bytes that a request asks for'],
        ['request', 'Requests of the launch, counted from 1']
      ],
      rows);
}

function mbarrierTable(known, launch, index) {
  const rows = mbarriersOf(known, launch, index).map((barrier) => {
    if (barrier.state !== 'live')
      return [hex(barrier.offset), barrier.state === 'gone' ? 'ended' : 'not initialised', '', ''];
    const mark = (text) => {
      const cell = element('td', text);
      if (barrier.changed) cell.className = 'changed';
      return cell;
    };
    return [
      hex(barrier.offset), mark(String(barrier.phase)), mark(String(barrier.arrivals)),
      mark(String(barrier.bytes).replace('-', '\u2212'))
    ];
  });
  return table(
      'mbarriers',
      [
        ['at', 'Address in the shared memory of the block'],
        ['phase', 'The phase that is open. The first is 0; a phase is over when no arrival and no byte is due'],
        ['arrivals due', 'Threads that must still arrive in this phase'],
        [
          'bytes due',
          'The transaction count: bytes that must still come in this phase; below 0: they came before they were expected'
        ]
      ],
      rows);
}

function stateWords(warp) {
  switch (warp.state) {
    case 'before':
      return 'has not begun';
    case 'exits':
      return 'has ended';
    case 'waits':
      return `waits ${reasonWords[warp.reason]}` + (warp.reason === 'mbarrier' ? ` ${hex(warp.which)}` : '');
    default:
      return 'runs' + (warp.lanes < 32 ? `, ${count(warp.lanes, 'lane')}` : '');
  }
}

// Warps that are at the same line, doing the same, have one row.
function warpTable(run, known, launch, time, toLine) {
  const groups = new Map();
  for (const warp of warpsOf(known, launch, time)) {
    const key = `${warp.line}:${stateWords(warp)}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(warp);
  }
  const rows = [...groups.values()].map((warps) => {
    const [warp] = warps, line = element('td');
    if (warp.line && warp.state !== 'before') {
      const button = element(
          'button', lineName(run, warp.line), {type: 'button', class: 'link', title: 'Show this line in the source'});
      button.addEventListener('click', () => toLine(warp.line));
      line.append(button);
    }
    const state = element('td', stateWords(warp));
    state.className = 'warp-' + warp.state;
    const times = warps.map((each) => time - each.since), least = Math.min(...times), most = Math.max(...times);
    return [
      element('th', ranges(warps.map((each) => each.warp)), {scope: 'row'}), state, line,
      warp.state === 'before' ? '' :
          least === most      ? grouped(least) :
                                `${grouped(least)} to ${grouped(most)}`
    ];
  });
  return table(
      'Warps',
      [
        ['warp', '32 threads that run together'], ['does', 'What it does or waits for'],
        ['line', 'Of the source, as its author wrote it'], ['for cycles', 'How long it has been at this']
      ],
      rows);
}

/// Fills `place` with what is known of a block after an event.
export function showFocus(place, run, panel, focus, index, toLine) {
  place.replaceChildren();
  const launch = panel.launches[focus.launch], {time} = focus;
  const name = blockName(launch, focus.block);
  const life = lifeOf(panel, focus.launch, focus.block, time);
  const known = blockOf(panel, focus.launch, focus.block);
  const row = tileOf(panel, focus.launch, focus.block, time);
  const tile = row < 0 ? '' :
      launch.rows.tile[row] === focus.block ?
                         'does its own tile' :
                         `does tile ${blockName(launch, launch.rows.tile[row])}, which it has stolen`;
  const where = known.row === undefined ? '' : `on SM ${launch.blocks.sm[known.row]}`;
  place.append(element(
      'p', {
        waits: known.row === undefined ? 'It waits in the queue, and will be stolen.' :
                                         'It waits in the queue, and will start.',
        stolen: 'It was stolen: it will never start.',
        ended: `It ran ${where}, and ended at cycle ${grouped(launch.blocks.finished[known.row] - panel.begin)}.`,
        runs: `It runs ${where}` + (tile ? `, and ${tile}.` : '.'),
      }[life],
      {class: 'life'}));
  if (life === 'waits' || life === 'stolen') return name;
  if (known.slots.size > 0) place.append(responseTable(known, launch, index));
  if (inGap(launch, time)) {
    place.append(element(
        'p',
        'Of this stretch of the run mbarriers and lines were not kept (the dashed frame). ' +
            'A run with fewer tiles keeps all of them.',
        {class: 'note'}));
    return name;
  }
  if (known.mbarriers.size > 0) place.append(mbarrierTable(known, launch, index));
  if (known.warps.size > 0) place.append(warpTable(run, known, launch, time, toLine));
  return name;
}
