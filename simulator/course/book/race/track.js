// Draws one strategy of the race at a moment: the tiles that wait, the slots, the urgent kernel.
import {grouped, kSlots, kTiles} from './strategies.mjs';

const kColumns = Math.ceil(kTiles / kSlots);
const kAxis = 19;  // pixels below the rows
const kNarrow =
    400;  // a canvas has no room for the tiles that wait, and says above the urgent kernel how many they are
/// So many cycles a number flies from those that wait to its slot.
export const kFlight = 1100;

const topOf = (width) => width < kNarrow ? 38 : 24;
export const heightOf = (width, row) => topOf(width) + kSlots * row + kAxis;

const eased = (part) => part * part * (3 - 2 * part);

/// A canvas's context, with the canvas at a size in pixels of the page.
function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1, wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, {width: wide, height: high});
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

export class Track {
  /// waits: what waits there, as strategies.mjs calls it.
  constructor(canvas, waits) { Object.assign(this, {canvas, waits, ctx: canvas.getContext('2d')}); }

  /// width: of the canvas; row: height of a slot; cycles: that the axis has room for; font: family.
  layOut(width, row, cycles, font) {
    const chip = 16, narrow = width < kNarrow, left = narrow ? 0 : kColumns * (chip + 2) + 14, top = topOf(width);
    Object.assign(this, {width, row, cycles, font, chip, narrow, left, top, wide: width - left - 6});
    sized(this.canvas, width, heightOf(width, row));
  }

  x(time) { return this.left + Math.max(0, Math.min(1, time / this.cycles)) * this.wide; }
  y(lane) { return this.top + lane * this.row; }

  /// Where a tile waits: its middle. The first ones stand nearest to the slots, so none flies over another. Without
  /// room they wait beyond the left edge.
  home(tile) {
    const line = tile % kSlots, column = kColumns - 1 - Math.floor(tile / kSlots);
    return {x: this.narrow ? -this.chip : column * (this.chip + 2) + this.chip / 2, y: this.y(line) + this.row / 2};
  }

  /// lap: lap.mjs; time: of the playhead; flies: whether numbers fly or jump.
  draw(lap, time, flies) {
    const {ctx} = this;
    ctx.clearRect(0, 0, this.width, heightOf(this.width, this.row));
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'center';
    this.drawSlots();
    this.drawTicks();
    if (lap.urgent.from < Infinity) lap.bars.forEach((bar) => this.drawFuture(bar, time));
    for (const bar of lap.bars) this.drawBar(bar, time);
    this.drawWaits(lap.waits, time);
    this.drawFall(lap.urgent, time);
    for (const bar of lap.bars) this.drawNumber(bar, time);
    lap.refused.filter((each) => each.early && each.time <= time).forEach((each) => this.drawCross(each));
    this.drawChips(lap.bars, time, flies);
    this.drawPlayhead(lap, time);
    this.drawUrgent(lap.urgent, time);
  }

  box(x, y, wide, high, round, fill) {
    this.ctx.fillStyle = fill;
    this.ctx.beginPath();
    this.ctx.roundRect(x, y, wide, high, round);
    this.ctx.fill();
  }

  text(words, x, y, colour, size, weight = 400) {
    this.ctx.font = `${weight} ${size}px ${this.font}`;
    this.ctx.fillStyle = colour;
    this.ctx.fillText(words, x, y);
  }

  drawSlots() {
    for (let lane = 0; lane < kSlots; lane++)
      this.box(this.left, this.y(lane) + 1, this.wide, this.row - 2, 2, this.colours.idle);
  }

  drawTicks() {
    const {ctx, colours} = this, y = this.y(kSlots) + 11;
    const step = [5000, 10000, 20000, 50000, 100000].find((each) => each / this.cycles * this.wide > 60) ?? 200000;
    for (let at = step; this.x(at) < this.width - 64; at += step)
      this.text(`${at / 1000},000`, this.x(at), y, colours.soft, 11);
    ctx.textAlign = 'left';
    this.text('0', this.left, y, colours.soft, 11);
    ctx.textAlign = 'right';
    this.text('cycles', this.left + this.wide, y, colours.soft, 11);
    ctx.textAlign = 'center';
  }

  // What is still to come, without a colour.
  drawFuture({lane, from, to}, time) {
    const x = this.x(Math.max(from, time)), wide = this.x(to) - x - 1;
    if (to > time && wide > 0) this.box(x, this.y(lane) + 1, wide, this.row - 2, 2, this.colours.future);
  }

  drawBar({lane, from, to, prologue, stolen}, time) {
    if (from >= time) return;
    const {ctx, colours} = this, x = this.x(from), y = this.y(lane) + 1, high = this.row - 2;
    const end = this.x(Math.min(to, time)), dark = this.x(Math.min(from + prologue, to, time));
    const wide = Math.max(1, end - x - (to <= time ? 1 : 0));
    ctx.save();
    ctx.beginPath();
    ctx.roundRect(x, y, wide, high, 2);
    ctx.clip();
    ctx.fillStyle = stolen ? colours.stolen : colours.work;
    ctx.fillRect(x, y, wide, high);
    if (stolen) this.hatch(x, y, wide, high);
    ctx.fillStyle = colours.setup;
    if (prologue > 0) ctx.fillRect(x, y, dark - x, high);
    ctx.restore();
  }

  hatch(x, y, wide, high) {
    const {ctx} = this;
    ctx.strokeStyle = this.colours.ink;
    ctx.globalAlpha = 0.22;
    ctx.beginPath();
    for (let at = Math.floor(x / 5) * 5; at < x + wide + high; at += 5) {
      ctx.moveTo(at, y);
      ctx.lineTo(at - high, y + high);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  }

  drawWaits(waits, time) {
    this.ctx.globalAlpha = 0.68;
    this.ctx.fillStyle = this.colours.page;
    for (const {lane, from, to} of waits) {
      const x = this.x(from), end = this.x(Math.min(to, time));
      if (end - x > 1) this.ctx.fillRect(x, this.y(lane) + 1, end - x, this.row - 2);
    }
    this.ctx.globalAlpha = 1;
  }

  // Of a bar whose work is wide enough.
  drawNumber({lane, from, to, prologue, tile, stolen}, time) {
    const x = this.x(from + prologue), end = this.x(Math.min(to, time)), wide = end - x, size = wide > 17 ? 11 : 10;
    if (from >= time || wide < (tile > 9 ? 12 : 7)) return;
    const y = this.y(lane) + this.row / 2, half = Math.min(wide / 2, tile > 9 ? 7.5 : 4.5), middle = (x + end) / 2;
    this.box(middle - half, y - size / 2, 2 * half, size, 2, stolen ? this.colours.stolen : this.colours.work);
    this.text(tile, middle, y + 0.5, this.colours.ink, size, 600);
  }

  // A request fails, although blocks wait: at the bar's upper edge, clear of the numbers.
  drawCross({lane, time}) {
    const {ctx, colours} = this, x = this.x(time), y = this.y(lane) + 0.5, r = 2.9;
    ctx.beginPath();
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
    for (const [colour, wide] of [[colours.page, 4.7], [colours.text, 1.7]]) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = wide;
      ctx.stroke();
    }
    ctx.lineWidth = 1;
  }

  disc(x, y, radius, fill) {
    this.ctx.fillStyle = fill;
    this.ctx.beginPath();
    this.ctx.arc(x, y, radius, 0, 2 * Math.PI);
    this.ctx.fill();
  }

  drawChip(tile, {x, y}, fill, ink, weight = 400) {
    const {chip} = this, high = this.row - 3;
    this.box(x - chip / 2, y - high / 2, chip, high, 3, fill);
    this.text(tile, x, y + 0.5, ink, Math.min(11, this.row - 4), weight);
  }

  drawChips(bars, time, flies) {
    const {colours, chip, ctx} = this, flying = [];
    let waiting = 0;
    for (const bar of bars) {
      const {tile, taken, from} = bar, home = this.home(tile), leaves = flies ? leavesAt(bar) : taken;
      if (time < leaves) {
        this.drawChip(tile, home, colours.idle, colours.soft);
        ++waiting;
        continue;
      }
      ctx.globalAlpha = 0.35;
      this.drawChip('', home, colours.idle);
      ctx.globalAlpha = 1;
      if (time < from || (flies && time < leaves + kFlight)) flying.push({...bar, home, leaves});
    }
    ctx.textAlign = 'left';
    this.text(`${waiting} ${this.waits}`, 0, 12, colours.soft, 12);
    ctx.textAlign = 'center';
    for (const {tile, home, leaves, lane, from, stolen, prologue} of flying) {
      const part = flies ? eased(Math.min(1, (time - leaves) / kFlight)) : 1;
      const edge = this.x(Math.max(0, Math.min(time, from))) + chip / 2 + 4;
      const to = {x: Math.min(edge, this.width - chip / 2), y: this.y(lane) + this.row / 2};
      const at = {x: home.x + (to.x - home.x) * part, y: home.y + (to.y - home.y) * part};
      const fill = stolen ? colours.stolen : prologue > 0 ? colours.setup : colours.work;
      this.box(at.x - chip / 2 - 2, at.y - this.row / 2 - 0.5, chip + 4, this.row + 1, 5, colours.page);
      this.drawChip(tile, at, fill, prologue > 0 && !stolen ? colours.onSetup : colours.ink, 700);
    }
  }

  drawPlayhead({end}, time) {
    const {ctx, colours} = this, x = Math.round(this.x(time)), top = this.y(0) - 2, high = kSlots * this.row + 4;
    if (time >= end) this.drawEnd(end, top, high);
    if (time <= 0 || time >= this.cycles) return;
    ctx.fillStyle = colours.page;
    ctx.fillRect(x - 1.5, top, 4, high);
    ctx.fillStyle = colours.text;
    ctx.fillRect(x - 0.5, top, 2, high);
  }

  drawEnd(end, top, high) {
    const {ctx, colours} = this, x = this.x(end), y = top + high / 2;
    ctx.fillStyle = colours.text;
    ctx.fillRect(x, top, 2, high);
    if (this.width - x < 48) return;
    this.box(x + 4, y - 16, 46, 32, 4, colours.page);
    ctx.textAlign = 'left';
    this.text('done at', x + 7, y - 7, colours.soft, 11);
    this.text(grouped(end), x + 7, y + 7, colours.text, 12, 700);
    ctx.textAlign = 'center';
  }

  // Its way from there into its slot, behind the numbers.
  drawFall({from, lane}, time) {
    const y = this.top - 12;
    this.ctx.fillStyle = this.colours.urgent;
    this.ctx.fillRect(this.x(from) - 0.75, y, 1.5, (this.y(lane) + this.row / 2 - y) * droppedAt(time, from));
  }

  // It waits above the slots, until one is free.
  drawUrgent({at, from, to, lane}, time) {
    if (time < at) return;
    const {ctx, colours} = this, x = this.x(at), now = Math.min(time, from), end = this.x(now), y = this.top - 12;
    this.box(x, y - 2.5, Math.max(2, end - x), 5, 2, colours.urgent);
    const dropped = droppedAt(time, from);
    const target = {x: Math.max(end, this.x(from)), y: this.y(lane) + this.row / 2};
    ctx.fillRect(x - 1, y - 5, 2, 10);
    if (time >= from) {
      const wide = Math.max(5, this.x(Math.min(to, time)) - this.x(from));
      this.box(this.x(from) - 1, this.y(lane) - 0.5, wide + 2, this.row + 1, 2, colours.page);
      this.box(this.x(from), this.y(lane) + 0.5, wide, this.row - 1, 2, colours.urgent);
    }
    if (dropped < 1) {
      const ball = {x: end, y: y + (target.y - y) * dropped};
      this.disc(ball.x, ball.y, 8, colours.page);
      this.disc(ball.x, ball.y, 6.5, colours.urgent);
    }
    const beside = end + (dropped < 1 ? 14 : 6), waits = `waits ${grouped(now - at)}`;
    ctx.textAlign = 'left';
    this.text(this.width - beside > 150 ? `urgent kernel ${waits}` : waits, beside, y, colours.text, 12, 600);
    ctx.textAlign = 'center';
  }
}

// How far the urgent kernel, which starts at `from`, has come into its slot.
function droppedAt(time, from) { return time < from ? 0 : eased(Math.min(1, (time - from) / 500)); }

// A tile that starts when it leaves those that wait arrives then; one that is taken ahead leaves when it is taken.
function leavesAt({taken, from}) { return taken < from ? taken : from - kFlight; }
