// Draws one strategy of the race at a moment: the tiles that wait, the slots, the urgent kernel.
import {hatch, rect, sized, stroke} from '../../../clcsim/player/page/element.js';

import {grouped, kSlots, kTiles, roomOf} from './strategies.mjs';

const kColumns = Math.ceil(kTiles / kSlots);
const kAxis = 19;  // pixels below the rows
const kEdge = 3;   // pixels: around what waits
const kPlaces = ['1st', '2nd', '3rd', '4th'];
const kFlying = 3;                           // at once; others fade
const kCross = 2.9, kBeside = kCross + 2.5;  // pixels: its half, and how far a number stays away from its middle

const eased = (part) => part * part * (3 - 2 * part);

export class Track {
  /// count: an element that says who is done; waits, shared: what waits there, and how it is shared out, as
  /// strategies.mjs calls it.
  constructor(canvas, count, waits, shared) { Object.assign(this, {canvas, count, waits, shared}); }

  /// width: of the canvas; compact: whether its rows are low; axis: whether it has one; cycles: that the axis has room
  /// for; flight: so many of them a number flies from those that wait to its slot; font: family.
  layOut({width, compact, axis, cycles, flight, font}) {
    const chip = compact ? 7 : 16, left = kColumns * (chip + 2) + 14;
    const [row, gap, top, above] = compact ? [10, 1, 22, 9] : [14, 2, 22, 11];
    const wide = width - left - 6, high = Math.ceil(top + kSlots * row + (axis ? kAxis : 2));
    Object.assign(this, {width, high, compact, axis, cycles, flight, font, chip, left, wide, row, gap, top, above});
    this.ctx = sized(this.canvas, width, high);
  }

  x(time) { return this.left + Math.max(0, Math.min(1, time / this.cycles)) * this.wide; }
  y(lane) { return this.top + lane * this.row; }

  /// Where a tile waits: its middle. The first ones stand nearest to the slots.
  home(tile) {
    const line = tile % kSlots, column = kColumns - 1 - Math.floor(tile / kSlots);
    return {x: kEdge + column * (this.chip + 2) + this.chip / 2, y: this.y(line) + this.row / 2};
  }

  /// lap: lap.mjs; time: of the playhead; moves: whether numbers fly or jump; comes: whether to show what comes;
  /// picked: a bar that the reader asks about.
  draw(lap, time, moves, comes, picked) {
    const {ctx} = this;
    ctx.clearRect(0, 0, this.width, this.high);
    ctx.textBaseline = 'middle';
    this.moves = moves;
    this.drawSlots();
    if (lap.urgent) this.drawFall(lap.urgent, time);
    if (this.axis) this.drawTicks();
    if (comes) lap.bars.forEach((bar) => this.drawFuture(bar, time));
    for (const bar of lap.bars) this.drawBar(bar, time);
    this.drawWaits(lap.waits, time);
    this.drawQueue(lap.bars, time);
    const failed = lap.refused.filter(({early}) => early);
    if (!this.compact) lap.bars.forEach((bar) => this.drawNumber(bar, time));
    failed.filter((each) => each.time <= time).forEach((each) => this.drawCross(each));
    this.drawCount(lap, time);
    this.drawPlayhead(lap.end, time);
    if (lap.urgent) this.drawUrgent(lap.urgent, time);
    if (picked) this.drawPicked(picked, time);
    const told = lap.firsts.findLast((each) => time >= each.time && time < each.time + this.flight);
    if (told) this.drawCallout(told);
  }

  /// The bar at a place of the canvas, or what waits there: of lap.bars; undefined: nothing.
  hit(lap, x, y, time) {
    const {left, wide, chip} = this, at = (x - left) / wide * this.cycles, lane = Math.floor((y - this.top) / this.row);
    const isHome = ({tile}) => {
      const home = this.home(tile);
      return Math.abs(home.x - x) <= chip / 2 + 1 && Math.abs(home.y - y) <= this.row / 2;
    };
    return x < left ? lap.bars.find((bar) => this.part(bar, time) === 0 && isHome(bar)) :
                      lap.bars.find((bar) => bar.lane === lane && bar.from <= at && at < bar.to && bar.from <= time);
  }

  drawPicked(bar, time) {
    const {ctx, colours, chip, row} = this, home = this.home(bar.tile), x = this.x(bar.from);
    const place = bar.taken > time ? [home.x - chip / 2 - 1, home.y - row / 2, chip + 2, row] :
                                     [x, this.y(bar.lane), Math.max(3, this.x(Math.min(bar.to, time)) - x), row];
    stroke(ctx, colours.text, 2, () => ctx.rect(...place));
  }

  // What happens here for the first time, beside the bar.
  drawCallout({lane, time, words}) {
    const {ctx, colours, font, row} = this, x = this.x(time), below = lane < kSlots / 2;
    const y = this.y(lane) + (below ? row + 17 : -17);
    ctx.font = `600 13px ${font}`;
    const wide = ctx.measureText(words).width + 18, left = Math.max(0, Math.min(x - 14, this.width - wide));
    this.box(left, y - 12, wide, 24, 6, colours.text);
    ctx.beginPath();
    for (const [dx, dy] of [[-5, 11], [5, 11], [0, 17]]) ctx.lineTo(x + dx, y + (below ? -dy : dy));
    ctx.fill();
    this.text(words, left + 9, y + 0.5, colours.page, 13, 600, 'left');
  }

  box(x, y, wide, high, round, fill) {
    this.ctx.fillStyle = fill;
    this.ctx.beginPath();
    this.ctx.roundRect(x, y, wide, high, round);
    this.ctx.fill();
  }

  text(words, x, y, colour, size, weight = 400, align = 'center') {
    this.ctx.textAlign = align;
    this.ctx.font = `${weight} ${size}px ${this.font}`;
    this.ctx.fillStyle = colour;
    this.ctx.fillText(words, x, y);
  }

  drawSlots() {
    for (let lane = 0; lane < kSlots; lane++)
      this.box(this.left, this.y(lane) + this.gap / 2, this.wide, this.row - this.gap, 2, this.colours.idle);
  }

  drawTicks() {
    const {colours} = this, y = this.y(kSlots) + 11;
    const step = [5000, 10000, 20000, 50000, 100000].find((each) => each / this.cycles * this.wide > 60) ?? 200000;
    for (let at = step; this.x(at) < this.width - 64; at += step)
      this.text(`${at / 1000},000`, this.x(at), y, colours.soft, 11);
    this.text('0', this.left, y, colours.soft, 12, 400, 'left');
    this.text('cycles', this.left + this.wide, y, colours.soft, 12, 400, 'right');
  }

  // What is still to come, without a colour.
  drawFuture({lane, from, to}, time) {
    const x = this.x(Math.max(from, time)), wide = this.x(to) - x - 1;
    if (to > time && wide > 0)
      this.box(x, this.y(lane) + this.gap / 2, wide, this.row - this.gap, 2, this.colours.future);
  }

  drawBar({lane, from, to, prologue, stolen}, time) {
    if (from >= time) return;
    const {ctx, colours} = this, x = this.x(from), y = this.y(lane) + this.gap / 2, high = this.row - this.gap;
    const end = this.x(Math.min(to, time)), dark = this.x(Math.min(from + prologue, to, time));
    const wide = Math.max(1, end - x - (to <= time ? 1 : 0));
    ctx.save();
    ctx.beginPath();
    ctx.roundRect(x, y, wide, high, 2);
    ctx.clip();
    rect(ctx, stolen ? colours.stolen : colours.tile, x, y, wide, high);
    if (stolen) hatch(ctx, colours.ink, x, y, wide, high, 5);
    ctx.fillStyle = colours.setup;
    if (prologue > 0) ctx.fillRect(x, y, dark - x, high);
    ctx.restore();
  }

  drawWaits(waits, time) {
    this.ctx.globalAlpha = 0.68;
    this.ctx.fillStyle = this.colours.page;
    for (const {lane, from, to} of waits) {
      const x = this.x(from), end = this.x(Math.min(to, time));
      if (end - x > 1) this.ctx.fillRect(x, this.y(lane) + this.gap / 2, end - x, this.row - this.gap);
    }
    this.ctx.globalAlpha = 1;
  }

  // Of a bar whose work is wide enough.
  drawNumber(bar, time) {
    const {lane, from, tile, stolen} = bar, [x, right] = roomOf(bar, (at) => this.x(at), kBeside);
    const end = Math.min(right, this.x(time));
    const wide = tile > 9 ? 13 : 6.5, y = this.y(lane) + this.row / 2, middle = (x + end) / 2;
    if (from >= time || end - x < wide + 6) return;
    this.box(middle - wide / 2 - 1, y - 5.5, wide + 2, 11, 2, stolen ? this.colours.stolen : this.colours.tile);
    this.text(tile, middle, y + 0.5, this.colours.ink, 11, 600);
  }

  // A request fails, although blocks wait: the block ends after the tile that it does now.
  drawCross({lane, time}) {
    const {ctx, colours} = this, x = this.x(time), y = this.y(lane) + this.row / 2, r = kCross;
    for (const [colour, wide] of [[colours.page, 4.7], [colours.text, 1.7]])
      stroke(ctx, colour, wide, () => {
        ctx.moveTo(x - r, y - r);
        ctx.lineTo(x + r, y + r);
        ctx.moveTo(x + r, y - r);
        ctx.lineTo(x - r, y + r);
      });
  }

  drawChip(tile, {x, y}, fill) {
    const {chip} = this, high = this.row - 2;
    this.box(x - chip / 2, y - high / 2, chip, high, this.compact ? 2 : 3, fill);
    if (!this.compact) this.text(tile, x, y + 0.5, this.colours.soft, 11);
  }

  // When a tile leaves those that wait: one that starts then has arrived by then.
  leaves({taken, from}) { return taken < from || !this.moves ? taken : from - this.flight; }

  // How far it is on its way.
  part(bar, time) {
    const part = (time - this.leaves(bar)) / this.flight;
    return this.moves ? eased(Math.max(0, Math.min(1, part))) : part < 0 ? 0 : 1;
  }

  // Which fly: of those that leave together the first.
  flyers(bars) {
    const ends = [];
    return [...bars].sort((a, b) => this.leaves(a) - this.leaves(b)).filter((bar) => {
      const leaves = this.leaves(bar), flies = ends.filter((end) => end > leaves).length < kFlying;
      if (flies) ends.push(leaves + this.flight);
      return flies;
    });
  }

  fill({stolen, prologue}) { return this.colours[stolen ? 'stolen' : prologue > 0 ? 'setup' : 'tile']; }

  // Beside the slots, and below the numbers in them, what waits and what leaves. An empty box fades away.
  drawQueue(bars, time) {
    const {ctx, colours, shared, row} = this, boxes = shared === 'one queue' ? 1 : kSlots, high = kSlots * row / boxes;
    const home = kColumns * (this.chip + 2) + 2 * kEdge - 3;
    for (let box = 0; box < boxes; box++) {
      const own = bars.filter(({tile}) => tile % boxes === box);
      ctx.globalAlpha = Math.max(...own.map((bar) => 1 - this.part(bar, time)));
      stroke(ctx, colours.rule, 1, () => ctx.roundRect(0.5, this.top + box * high + 0.5, home, high - 1, 3));
    }
    ctx.globalAlpha = 1;
    const flyers = this.flyers(bars);
    for (const bar of bars) {
      const part = this.part(bar, time), flown = flyers.includes(bar) ? part : 0, {x, y} = this.home(bar.tile);
      const there = {x: this.x(Math.max(0, Math.min(time, bar.from))), y: this.y(bar.lane) + row / 2};
      ctx.globalAlpha = flown > 0 ? 0.6 : 1 - part;
      if (part > 0 && part < 1)
        this.drawChip('', {x: x + (there.x - x) * flown, y: y + (there.y - y) * flown}, this.fill(bar));
    }
    ctx.globalAlpha = 1;
    for (const bar of bars)
      if (this.part(bar, time) === 0) this.drawChip(bar.tile, this.home(bar.tile), colours.idle);
  }

  // What waits, above it; at the end, beside the title, the place in the race and the time.
  drawCount({bars, end, place}, time) {
    const {waits, count} = this, many = bars.filter((bar) => this.part(bar, time) === 0).length;
    if (time < end)
      this.text(`${many} ${waits}${many === 1 ? ' waits' : 's wait'}`, 0, 9, this.colours.soft, 11.5, 400, 'left');
    const says = time >= end ? `${kPlaces[place - 1]}: ${grouped(end)} cycles` : '';
    if (count.textContent !== says) count.textContent = says;
    count.classList.toggle('done', time >= end);
  }

  drawPlayhead(end, time) {
    const {ctx, colours} = this, top = this.y(0) - 2, high = kSlots * this.row + 4, done = time >= end;
    ctx.fillStyle = done ? colours.text : colours.soft;
    if (time > 0) ctx.fillRect(this.x(Math.min(time, end)) - 0.5, top, done ? 2 : 1.5, high);
  }

  // Its way from there into its slot, behind the tiles.
  drawFall({from, lane}, time) {
    const y = this.top - this.above;
    this.ctx.fillStyle = this.colours.urgent;
    this.ctx.fillRect(this.x(from) - 0.75, y, 1.5, (this.y(lane) + this.row / 2 - y) * droppedAt(time, from));
  }

  // It waits above the slots, until one is free.
  drawUrgent({at, from, to, lane}, time) {
    if (time < at) return;
    const {ctx, colours} = this, x = this.x(at), now = Math.min(time, from), end = this.x(now),
                y = this.top - this.above;
    this.box(x, y - 2.5, Math.max(2, end - x), 5, 2, colours.urgent);
    const dropped = droppedAt(time, from);
    const target = {x: Math.max(end, this.x(from)), y: this.y(lane) + this.row / 2};
    ctx.fillRect(x - 1, y - 5, 2, 10);
    if (time >= from) {
      const wide = Math.max(this.compact ? 5 : 8, this.x(Math.min(to, time)) - this.x(from));
      this.box(this.x(from) - 1.5, this.y(lane) - 0.5, wide + 3, this.row + 1, 2, colours.page);
      this.box(this.x(from), this.y(lane) + 0.5, wide, this.row - 1, 2, colours.urgent);
    }
    if (dropped < 1) {
      const ball = {x: end, y: y + (target.y - y) * dropped};
      for (const [radius, fill] of [[8, colours.page], [6.5, colours.urgent]])
        this.box(ball.x - radius, ball.y - radius, 2 * radius, 2 * radius, radius, fill);
    }
    const beside = end + (dropped < 1 ? 14 : 6),
          waits = from === at ? 'finds an idle slot' : `waits ${grouped(now - at)}`;
    const words = this.width - beside > 150 ? `urgent kernel ${waits}` : waits;
    this.text(words, beside, y, colours.text, 12, 600, 'left');
  }
}

// How far the urgent kernel, which starts at `from`, has come into its slot.
function droppedAt(time, from) { return time < from ? 0 : eased(Math.min(1, (time - from) / 500)); }
