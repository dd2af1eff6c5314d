// For make.mjs: what links a page's text with the run of its picture.
import {blockOf, changesOf} from '../../../clcsim/player/page/moments.js';
import {openPanel, readRecord} from '../../../clcsim/player/page/record.js';
import {openKernel, ownPlace} from '../../playground/page/kernel.js';

import {changeCells, isPhaseTable} from './change.mjs';
import {requestOf} from './terminal.mjs';

const kSeeds = [74, ...Array(100).keys()];  // the first that is tried does it today

const entities = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': '\'',
  '#x27': '\''
};

/// The text of a piece of a page.
export const plain = (html) =>
    html.replace(/<[^>]*>/g, '').replace(/&([a-z]+|#\w+);/g, (all, name) => entities[name] ?? all);

/// Of each line of a page's PTX the place that it was compiled from, [file, line]; null: the kernel has another PTX.
function placesOfPtx(html, {kernel, entry}) {
  const [, block] = /<div class="highlight-ptx[^>]*>.*?<pre>(.*?)<\/pre>/s.exec(html) ?? [];
  if (!block) return null;
  const {shown} = openKernel(kernel.ptx, kernel.symbol), places = [];
  let at = -1;
  for (const line of plain(block).trimEnd().split('\n')) {
    const [opcode] = line.replace(/^\d* +/, '').split(' ');
    at = shown.findIndex(({text}, i) => i > at && text.trim().split(' ').includes(opcode));
    const place = at < 0 ? null : ownPlace(shown[at].chain, entry.sources);
    if (!place) return null;
    places.push(place);
  }
  return places;
}

/// The rows of a page's table of phases: what stands beside each event; null: it has none.
function phaseRows(html) {
  for (const [, table] of html.matchAll(/<table.*?>(.*?)<\/table>/gs)) {
    const [head, ...rows] = [...table.matchAll(/<tr.*?>(.*?)<\/tr>/gs)].map(
        ([, row]) => [...row.matchAll(/<t[hd].*?>(.*?)<\/t[hd]>/gs)].map(([, cell]) => plain(cell).trim()));
    if (isPhaseTable(head)) return rows.map((row) => row.slice(1).join(' | '));
  }
  return null;
}

/// The run of a command, under some seed, in which a block's mbarrier goes through the table of a page: {command,
/// block}.
function runOfPhases(html, command, record) {
  const rows = phaseRows(html);
  for (const seed of rows ? kSeeds : []) {
    const seeded = command.replace('clcsim ', `clcsim --seed ${seed} `);
    const panel = openPanel(readRecord(JSON.parse(record(seeded))), 0), [launch] = panel.launches;
    for (const block of launch.blocks.index) {
      const known = blockOf(panel, 0, block);
      for (const mbarrier of known.mbarriers.keys())
        if (changesOf(known, launch, mbarrier).map((each) => changeCells(each).join(' | ')).join('\n') ===
            rows.join('\n'))
          return {command: seeded, block};
    }
  }
  return null;
}

/// For the first picture of each page, by its command: loops, the places of the page's PTX; phases, {command, block}.
/// pages: their HTML and [command, ...]; record(command): the text of a run's record.
export function handOf(pages, catalogue, record) {
  const loops = {}, phases = {};
  for (const {html, commands: [command]} of pages) {
    if (!command) continue;
    const asked = catalogue && requestOf(command, catalogue), places = asked && placesOfPtx(html, asked);
    if (places) loops[command] = places;
    const phase = runOfPhases(html, command, record);
    if (phase) phases[command] = phase;
  }
  return {loops, phases};
}
