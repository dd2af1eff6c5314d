// One steal by hand, above the race: two slots and six blocks, of which the reader brings the next one to the slot that
// is free first. First each block starts, then running blocks steal, then an urgent block wants a slot.
import {element} from '../../../clcsim/player/page/element.js';

const kFar = 6;  // pixels: less is a click, which brings the block, too
const kParts = {
  start: 'Six blocks want two slots of a GPU, and each begins with a setup.',
  steal: 'Now a block that is done stays, and steals the next one: only its number goes over.',
  urgent: 'An urgent block comes, and no slot is free. Keep stealing, or stop?'
};

export class Steal {
  /// setup, tiles: cycles of the setup and of each tile, from a run of chapter 03.
  constructor({setup, tiles}) {
    const ends = [0, 0];  // if each block starts
    for (const tile of tiles) ends[ends[0] <= ends[1] ? 0 : 1] += setup + tile;
    Object.assign(this, {setup, tiles, most: Math.max(...ends)});
    const button = (text, onclick) => element('button', text, {type: 'button', onclick});
    this.says = element('p', '', {class: 'steal-says', role: 'status'});
    this.chips = tiles.map((_, tile) => this.chip(tile));
    this.count = element('span', '', {class: 'steal-count'});
    this.slots = [0, 1].map((i) => element('div', '', {class: 'steal-slot', 'data-slot': i}));
    this.urgent = element('span', 'urgent', {class: 'steal-urgent', hidden: ''});
    this.keep = button('Keep stealing', () => this.take());
    this.stop = button('Stop stealing', () => this.leave());
    this.onward = button('', () => this.begin({start: 'steal', steal: 'urgent'}[this.part] ?? 'start'));
    this.box = element(
        'div', '', {class: 'steal', role: 'group', 'aria-label': 'A steal by hand'}, this.says,
        element('div', '', {class: 'steal-queue'}, ...this.chips, this.urgent),
        element('div', '', {class: 'steal-slots'}, ...this.slots),
        element('div', '', {class: 'steal-bar'}, this.count, this.keep, this.stop, this.onward));
    this.begin('start');
  }

  // A block that waits. It is dragged, or pressed.
  chip(tile) {
    const chip = element('button', String(tile), {type: 'button', class: 'steal-chip', title: `block ${tile}`});
    let from = null;
    const move = ({clientX, clientY}) => chip.style.translate = `${clientX - from.x}px ${clientY - from.y}px`;
    chip.addEventListener('pointerdown', (event) => {
      from = {x: event.clientX, y: event.clientY};
      chip.setPointerCapture(event.pointerId);
    });
    chip.addEventListener('pointermove', (event) => from && move(event));
    for (const end of ['pointerup', 'pointercancel'])
      chip.addEventListener(end, ({type, clientX, clientY}) => {
        if (!from) return;
        const far = Math.hypot(clientX - from.x, clientY - from.y) >= kFar;
        from = null;
        chip.style.translate = '';
        if (!far) return;
        this.dragged = true;  // the click that follows isn't one
        setTimeout(() => this.dragged = false);
        const slot =
            type === 'pointerup' && document.elementsFromPoint(clientX, clientY).find((each) => each.dataset.slot);
        if (slot) this.take(Number(slot.dataset.slot));
      });
    chip.addEventListener('click', ({detail}) => (detail > 0 && this.dragged) || this.take());  // 0: a key's
    return chip;
  }

  get free() { return this.ends[0] <= this.ends[1] ? 0 : 1; }

  begin(part) {
    Object.assign(this, {part, rows: [[], []], ends: [0, 0], next: 0, setups: 0, came: false});
    for (const slot of [0, 1]) this.put(slot, false);
    if (part === 'urgent') this.put(this.free, true);
    this.tell(kParts[part]);
  }

  // The next block, as one that starts or by its number alone.
  put(slot, stolen) {
    const tile = this.next++, from = this.ends[slot];
    if (!stolen) this.setups++;
    this.ends[slot] += (stolen ? 0 : this.setup) + this.tiles[tile];
    this.rows[slot].push({tile, from, stolen, to: this.ends[slot]});
  }

  /// The next block comes to a slot.
  take(slot = this.free) {
    if (this.next >= this.tiles.length || this.came) return;
    if (slot !== this.free)
      return this.tell(`Slot ${slot} still works on tile ${this.rows[slot].at(-1).tile}. Slot ${this.free} is free.`);
    const tile = this.next, stolen = this.part !== 'start', [{tile: block}] = this.rows[slot];
    this.put(slot, stolen);
    const over = this.next === this.tiles.length;
    if (this.part === 'urgent') {
      if (over) this.enter();
      return this.tell(
          over ? 'The queue is empty, so a block ended at last. The urgent block has waited all the time.' :
                 `Block ${block} stole ${tile}. No block ends, so the urgent block still waits.`);
    }
    const did =
        stolen ? `Block ${block} stole block ${tile}: no setup.` : `Block ${tile} started, with a setup of its own.`;
    this.tell(over ? `${did} Six tiles are done, after ${this.setups} setups.` : did);
  }

  /// The block that is done ends.
  leave() {
    this.enter();
    this.tell(
        'A block ended, so the urgent block has its slot. That\u2019s why requests to steal fail while an urgent kernel waits.');
  }

  enter() {
    const slot = this.free;
    this.rows[slot].push({from: this.ends[slot], to: this.ends[slot] + this.setup, urgent: true});
    this.came = true;
  }

  tell(words) {
    const {part, tiles, next, setups, free, came, most} = this, over = next === tiles.length || came,
                                                  urgent = part === 'urgent';
    const hadFocus = this.box.contains(document.activeElement);
    const ask = over || urgent ? '' :
        part === 'start'       ? ` Slot ${free} is free: drag block ${next} into it.` :
                                 ` Drag block ${next} to slot ${free}, or press it.`;
    this.says.textContent = words + ask;
    this.chips.forEach((chip, tile) => {
      chip.disabled = tile !== next || over || urgent;
      chip.classList.toggle('gone', tile < next);
      chip.classList.toggle('taken', this.rows.some((row) => row.some((each) => each.tile === tile && each.stolen)));
    });
    this.slots.forEach((slot, i) => {
      slot.classList.toggle('free', i === free && !over);
      slot.replaceChildren(...this.rows[i].map(({tile, from, to, stolen, urgent}) => {
        const name = urgent ? 'urgent' :
            stolen          ? 'stolen' :
                              '',
              setup = stolen || urgent ? 0 : this.setup / (to - from);
        const piece = element('span', '', {class: `steal-piece ${name}`}, element('span', urgent ? '' : String(tile)));
        piece.style.cssText = `width: ${(to - from) / most * 100}%; --at: ${setup * 100}%`;
        return piece;
      }));
    });
    this.count.textContent = `${setups} setups`;
    this.urgent.hidden = !urgent || came;
    this.keep.hidden = this.stop.hidden = !urgent || over;
    this.onward.hidden = !over;
    this.onward.textContent = {start: 'Now let them steal', steal: 'Now an urgent block'}[part] ?? 'Again';
    const can = [this.chips[next], this.keep, this.onward].find((each) => each && !each.disabled && !each.hidden);
    if (hadFocus && document.activeElement !== this.stop) can.focus({preventScroll: true});
  }
}
