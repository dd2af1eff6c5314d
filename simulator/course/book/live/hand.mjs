// For make.mjs: what links a page's text with the run of its picture.
import {openKernel, ownPlace} from '../../playground/page/kernel.js';

import {requestOf} from './terminal.mjs';

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

/// For the first picture of each page, by its command: the places of the page's PTX. pages: their HTML and [command,
/// ...].
export function loopsOf(pages, catalogue) {
  const loops = {};
  for (const {html, commands: [command]} of pages) {
    const asked = command && requestOf(command, catalogue), places = asked && placesOfPtx(html, asked);
    if (places) loops[command] = places;
  }
  return loops;
}
