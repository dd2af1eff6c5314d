// The lanes of one run on their canvases: the strip of the whole run, the axis, the rows.
import {Axis} from './axis.js';
import {element, sized} from './element.js';
import {axisHeight, kStripHeight, labelWidth, Lanes} from './lanes.js';
import {count, grouped} from './numbers.js';

export class View {
  constructor(player, panel) {
    this.player = player;
    this.panel = panel;
    this.lanes = new Lanes(player.run, panel);
    this.box = element('div', '', {class: 'run'});
    this.strip = element('canvas', '', {
      class: 'strip',
      role: 'img',
      'aria-label': 'the whole run',
      title: 'The whole run. Drag to move through time; the frame is what the rows show'
    });
    this.scale = element('canvas', '', {'aria-hidden': 'true'});
    this.rows = element('canvas', '', {role: 'img'});
    this.scroll = element('div', '', {class: 'rows', tabindex: '0', role: 'region', 'aria-label': 'rows of the SMs'});
    this.ground = element('canvas', '');  // never seen itself: a copy to draw the marks on
    this.space = element('div', '');
    this.scroll.append(this.rows, this.space);
    this.box.append(this.strip, this.scale, this.scroll);
    this.axis = new Axis(panel.begin, panel.end);
    this.whole = new Axis(panel.begin, panel.end);
    this.scrolled = 0;  // pixels; asking the element would have the page laid out
    this.scroll.addEventListener('scroll', () => {
      this.scrolled = this.scroll.scrollTop;
      player.paint();
    });
  }
  get height() { return Math.min(this.lanes.height + 2, Math.max(120, Math.min(440, innerHeight * 0.56))); }

  // Scrolls to the row of a block, where it is out of sight, with the next picture.
  scrollTo(launch, block) {
    const one = this.panel.launches[launch], tile = one.rowOfTile.get(block);
    const lane = one.laneOf.get(tile === undefined ? block : one.rows.block[tile]), {rowHeight} = this.lanes;
    if (lane === undefined || this.lanes.height <= this.height) return;
    const top = lane * rowHeight;
    if (top >= this.scrolled && top + rowHeight <= this.scrolled + this.height) return;
    const most = this.lanes.height - this.height;
    this.scrolled = this.scrollsTo = Math.round(Math.max(0, Math.min(top - this.height / 2, most)));
  }

  paint(colours) {
    const width = this.box.clientWidth, {moment, guess} = this.player;
    for (const each of [this.axis, this.whole])
      Object.assign(each, {left: labelWidth, width: Math.max(50, width - labelWidth - 12)});
    [this.whole.from, this.whole.to] = this.whole.bounds;
    this.scroll.style.height = `${this.height}px`;
    this.space.style.height = `${Math.max(0, this.lanes.height - this.height)}px`;
    if (this.scrollsTo !== undefined) {
      this.scroll.scrollTop = this.scrollsTo;
      this.scrollsTo = undefined;
    }
    const {event: index, time, launch, block} = moment, {lit, pointed} = this.player,
                                       {axis, height, scrolled: scroll} = this;
    const hidden = guess.on ? time + 0.5 : Infinity;
    const seen = this.seen = {axis, index, time, scroll, width, height, focus: {launch, block}, lit, pointed, hidden};
    this.lanes.drawStrip(sized(this.strip, width, kStripHeight), seen, this.whole, colours);
    this.lanes.drawAxis(sized(this.scale, width, axisHeight(this.panel)), seen, colours);
    this.paintRows(seen, colours);
    this.rows.setAttribute(
        'aria-label',
        `${count(this.panel.lanes.length, 'row')}, from cycle ${grouped(seen.axis.from - this.panel.begin)} to ` +
            `${grouped(seen.axis.to - this.panel.begin)}; the table below has the same in words`);
  }

  // Where only time has moved, tiles need not be drawn again: there may be many.
  paintRows(seen, colours) {
    const {axis, scroll, width, height, focus} = seen, ratio = devicePixelRatio || 1;
    const state = JSON.stringify([axis.from, axis.to, axis.left, scroll, width, height, ratio, focus, colours]);
    if (state !== this.state) this.lanes.drawGround(sized(this.ground, width, height), seen, colours);
    this.state = state;
    const ctx = sized(this.rows, width, height);
    ctx.clearRect(0, 0, width, height);
    ctx.drawImage(this.ground, 0, 0, width, height);
    this.lanes.drawMarks(ctx, seen, colours);
  }
}
