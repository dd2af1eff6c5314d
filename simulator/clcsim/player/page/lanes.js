// Draws the lanes: a row for each slot of an SM, and the strip of the whole run above them.
import {barWords, slotName} from './bars.js';
import {hatch, rect, stroke} from './element.js';
import {eventAt, requestsUnderWay, waitingBlocks} from './moments.js';
import {countUpTo, groupBy, grouped} from './numbers.js';
import {blockName, clusterBlocks} from './record.js';
import {meetingsOf, waitsOf} from './waits.js';
import {kernelName} from './words.js';

export const labelWidth = 62;
const kLowestRow = 16;  // that a number in it can be read
const kClear = 8;       // pixels between the playhead and a number, which goes out of its way
const kNarrowestWait = 1.5;
const kDensity = 4;  // pixels of a stretch in which tiles too narrow to draw are added up
const kNear = 6;     // pixels around a mark that is clicked
const kHatch = 7;    // between its lines
export const kStripHeight = 34;
const kTicksHeight = 22, kBracketHeight = 18;

/// Above the rows: the ticks and, where a launch waits for its first place, its bracket.
export const axisHeight = ({launches}) => kTicksHeight + kBracketHeight * launches.filter(({urgent}) => urgent).length;

/// Of the style sheet.
export const kColours = [
  'text', 'soft', 'line', 'idle', 'page', 'chip', 'ink', 'urgent', 'on-urgent', 'bad', 'mark', 'setup', 'tile', 'stolen'
];

const kFont = 'Geist, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';  // as player.css

/// A text.
export function write(ctx, text, x, y, ink, align = 'left', size = 11) {
  ctx.font = `${size}px ${kFont}`;
  ctx.textAlign = align;
  ctx.fillStyle = ink;
  ctx.fillText(text, x, y);
}

// What `draw` draws, as far as it is in a place.
function clipped(ctx, place, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(...place);
  ctx.clip();
  draw();
  ctx.restore();
}

// What has not happened yet.
function pale(ctx, colours, x, y, width, height) {
  ctx.globalAlpha = 0.65;
  rect(ctx, colours.page, x, y, width, height);
  ctx.globalAlpha = 1;
}

// A number's middle: in the free half of its bar, where the playhead comes too near.
function clearOf(playhead, wide, {x, left, right}) {
  const far = (left + right) / 2 > playhead ? (left + 3 * right) / 4 : (3 * left + right) / 4;
  return Math.abs(x - playhead) < wide / 2 + kClear && right - left > 2 * wide + kClear ? far : x;
}

/// Where the moment is.
function drawCursor(ctx, {axis, time}, colours, height) {
  const x = Math.round(axis.x(time));
  if (!axis.has(x)) return;
  rect(ctx, colours.page, x - 2, 0, 5, height);
  rect(ctx, colours.mark, x - 1, 0, 3, height);
}

export class Lanes {
  constructor(run, panel) {
    this.run = run;
    this.panel = panel;
    const rows = panel.lanes.length, room = Math.min(rows > 4 ? 38 : 44, Math.floor(420 / rows));
    const asks = panel.launches.some(({requests}) => requests.length > 0);
    this.foot = asks ? Math.max(7, Math.min(11, Math.floor(room / 3))) : 0;  // for requests, below the bars
    this.rowHeight = Math.max(kLowestRow + this.foot, room);
    this.barHeight = this.rowHeight - 2 - this.foot;
    this.labels = [];  // numbers of tiles, which are drawn above all marks
  }
  get height() { return this.panel.lanes.length * this.rowHeight; }

  fillOf({launch: l, row}, colours) {
    const launch = this.panel.launches[l], {rows} = launch;
    if (launch.urgent) return colours.urgent;
    return rows.tile[row] === rows.block[row] ? colours.tile : colours.stolen;
  }

  // ---- the rows ----

  /// What lies under the marks; it stays while time moves.
  /// view: axis, index, time, focus {launch, block}, lit [event, ...], pointed (a lane), scroll, width, height, hidden
  /// (from this time on, or Infinity)
  drawGround(ctx, view, colours) {
    const {axis} = view;
    ctx.clearRect(0, 0, view.width, view.height);
    this.labels = [];
    const first = Math.max(0, Math.floor(view.scroll / this.rowHeight));
    const last = Math.min(this.panel.lanes.length - 1, Math.ceil((view.scroll + view.height) / this.rowHeight));
    ctx.textBaseline = 'middle';
    for (let number = first; number <= last; number++) {
      const lane = this.panel.lanes[number], y = number * this.rowHeight - view.scroll;
      rect(ctx, colours.idle, axis.left, y + 1, axis.width, this.rowHeight - 2);
      this.drawLane(ctx, lane, y, view, colours);
      if (lane.slot === 0 && number > 0) rect(ctx, colours.line, 0, y - 0.5, view.width, 1);
      if (lane.slot === 0 || number === first) this.drawName(ctx, lane, y, view, colours);
      if (this.panel.slots > 1)
        write(ctx, `slot ${lane.slot}`, axis.left - 4, y + 1 + this.barHeight / 2, colours.soft, 'right');
    }
    this.drawMeetings(ctx, view, colours);
    this.drawGaps(ctx, view, colours);
  }

  // Of an SM: beside its row, or upright along the rows of its slots, in the middle of what is seen of them.
  drawName(ctx, {sm, slot}, y, view, colours) {
    const {slots} = this.panel, top = Math.max(0, y - slot * this.rowHeight);
    const bottom = Math.min(view.height, y + (slots - slot) * this.rowHeight);
    if (this.run.sms === 1) return;
    if (slots === 1) return write(ctx, `SM ${sm}`, 4, y + 1 + this.barHeight / 2, colours.text, 'left', 12);
    rect(ctx, colours.line, 19, top + 3, 1.5, bottom - top - 6);
    if (bottom - top < 30) return;
    ctx.save();
    ctx.translate(10, (top + bottom) / 2);
    ctx.rotate(-Math.PI / 2);
    write(ctx, `SM ${sm}`, 0, 0, colours.text, 'center', 12);
    ctx.restore();
  }

  /// On the ground.
  drawMarks(ctx, view, colours) {
    const {axis} = view;
    ctx.textBaseline = 'middle';
    this.drawArrivals(ctx, view, colours);
    this.drawClusters(ctx, view, colours);
    for (const each of this.marked()) this.drawFinding(ctx, view, each, colours);
    this.drawLit(ctx, view, colours);
    this.dimFuture(ctx, view, view.height, colours);
    if (view.pointed >= 0)
      stroke(
          ctx, colours.mark, 3,
          () => ctx.rect(axis.left, view.pointed * this.rowHeight - view.scroll + 1, axis.width, this.rowHeight - 2));
    const now = Math.min(view.time, view.hidden);
    this.drawRequests(ctx, view, now, colours);
    if (view.hidden < axis.to) {
      const from = Math.max(axis.left, axis.x(view.hidden));
      rect(ctx, colours.page, from, 0, view.width - from, view.height);
      if (view.width - from > 90) write(ctx, 'hidden', from + 8, 14, colours.soft, 'left', 13);
    }
    this.drawLabels(ctx, view, now, view.hidden, colours);
    drawCursor(ctx, view, colours, view.height);
    this.drawLabels(ctx, view, -Infinity, now);
  }

  dimFuture(ctx, {axis, time}, height, colours) {
    const [x, end] = axis.ends(time, axis.to);
    if (x < end) pale(ctx, colours, x, 0, end - x, height);
  }

  // Those that begin between two times; above the cursor, which would make the numbers unreadable. future: the colours,
  // if their tiles are pale.
  drawLabels(ctx, {axis, hidden, time}, from, to, future) {
    const end = axis.x(hidden);
    for (const {text, y, wide, high, size, fill, ink, ...place} of this.labels) {
      const x = clearOf(axis.x(time), wide, place);
      if (x + wide / 2 > end || x - wide / 2 < axis.x(from) || x - wide / 2 >= axis.x(to)) continue;
      rect(ctx, fill, x - wide / 2, y - high / 2, wide, high);
      if (future) pale(ctx, future, x - wide / 2, y - high / 2, wide, high);
      write(ctx, text, x, y + 0.5, future?.text ?? ink, 'center', size);
    }
  }

  // Goes from pixel to pixel where stretches are too narrow to draw, so its cost is that of the pixels.
  drawLane(ctx, lane, y, view, colours) {
    const {axis} = view, height = this.barHeight, many = {from: 0, to: 0, tiles: 0, stolen: new Path2D(), stole: 0};
    let i = countUpTo(lane.ends, axis.from);
    while (i < lane.spans.length && lane.spans[i].begin < axis.to) {
      const span = lane.spans[i], [x, end] = axis.ends(span.begin, span.end);
      if (end - x < kDensity) {
        const next = Math.max(i + 1, countUpTo(lane.ends, axis.time(x + kDensity)));
        this.drawDensity(ctx, lane.spans.slice(i, next), x, y + 1, many, view, colours);
        i = next;
        continue;
      }
      this.drawSpan(ctx, span, x, end - x, y + 1, height, view, colours);
      ++i;
    }
    if (many.tiles > 1) this.finishDensity(ctx, many, y + 1, colours);
  }

  // Tiles that are too narrow: how much of the stretch is busy, from below, and how much of that with stolen work.
  drawDensity(ctx, spans, x, y, many, view, colours) {
    const {axis} = view, right = Math.min(x + kDensity, axis.right), height = this.barHeight;
    const from = axis.time(x), to = axis.time(right);
    let own = 0, stolen = 0, focused = false;
    for (const span of spans) {
      const {rows} = this.panel.launches[span.launch], isOwn = rows.tile[span.row] === rows.block[span.row];
      const part = Math.max(0, Math.min(span.end, to) - Math.max(span.begin, from));
      if (isOwn)
        own += part;
      else
        stolen += part;
      if (!isOwn) many.stole += rows.tiles[span.row];
      many.tiles += rows.tiles[span.row];
      focused ||= this.isFocus(view, span);
    }
    const share = (cycles) => Math.min(1, cycles / (to - from)) * height;
    rect(ctx, this.fillOf(spans[0], colours), x, y + height - share(own + stolen), right - x, share(own + stolen));
    many.stolen.rect(x, y + height - share(stolen), right - x, share(stolen));
    many.from ||= x;
    many.to = right;
    if (!focused) return;
    rect(ctx, colours.text, x, y + height - 2, right - x, 2);
  }

  finishDensity(ctx, {from, to, tiles, stole, stolen}, y, colours) {
    ctx.save();
    ctx.clip(stolen);
    hatch(ctx, colours.ink, from, y, to - from, this.barHeight, kHatch);
    ctx.restore();
    const text = `${grouped(tiles)} tiles, ${grouped(stole)} stolen`, wide = text.length * 6.2 + 10;
    if (wide > to - from) return;
    rect(ctx, colours.page, (from + to - wide) / 2, y + 1, wide, this.barHeight - 2);
    write(ctx, text, (from + to) / 2, y + this.barHeight / 2 + 0.5, colours.text, 'center');
  }

  // Work of the block in focus: by it, or for it.
  isFocus({focus}, span) {
    if (!focus || focus.launch !== span.launch) return false;
    const {rows} = this.panel.launches[span.launch];
    return rows.block[span.row] === focus.block || rows.tile[span.row] === focus.block;
  }

  drawSpan(ctx, span, x, width, y, height, view, colours) {
    const launch = this.panel.launches[span.launch], {rows} = launch, row = span.row;
    const fill = this.fillOf(span, colours);
    rect(ctx, fill, x, y, width, height);
    const prologue = Math.min(width, rows.prologue[row] / (view.axis.to - view.axis.from) * view.axis.width);
    if (prologue > 0.5 && view.axis.x(span.begin) >= view.axis.left - 0.5) {
      rect(ctx, colours.setup, x, y, prologue, height);
    }
    this.drawWaits(ctx, span, y, height, view, colours);
    const stolen = rows.tile[row] !== rows.block[row];
    if (stolen && width > 3)
      clipped(ctx, [x, y, width, height], () => hatch(ctx, colours.ink, x, y, width, height, kHatch));
    if (width > 3) {
      const focused = this.isFocus(view, span), thin = Math.min(1, width / 8);
      for (const [ink, line] of focused ? [[colours.page, 3 * thin], [colours.text, 2 * thin]] : [[colours.page, 1]])
        stroke(ctx, ink, line, () => ctx.rect(x + line / 2, y + line / 2, width - line, height - line));
    }
    const text = rows.tiles[row] > 1 ? `${grouped(rows.tiles[row])} tiles` : blockName(launch, rows.tile[row]);
    const wide = text.length * 6.5 + 6;
    if (height < 10 || width <= wide + 2 || width - prologue <= wide - 2) return;
    this.labels.push({
      text,
      wide,
      fill,
      left: x + prologue,
      right: x + width,
      x: this.placeFor(launch.laneOf.get(rows.block[row]), wide, x + prologue, x + width, view.axis),
      y: y + height / 2,
      high: Math.min(14, height - 4),
      size: Math.min(12, height - 1),
      ink: launch.urgent ? colours['on-urgent'] : colours.ink
    });
  }

  // Pale: all warps of the block wait for somebody else.
  drawWaits(ctx, span, y, height, {axis}, colours) {
    ctx.globalAlpha = 0.65;
    ctx.fillStyle = colours.page;
    for (const {from, to} of waitsOf(this.panel, span.launch, this.panel.launches[span.launch].rows.block[span.row])) {
      const [x, end] = axis.ends(Math.max(from, span.begin), Math.min(to, span.end));
      if (end - x >= kNarrowestWait) ctx.fillRect(x, y, end - x, height);
    }
    ctx.globalAlpha = 1;
  }

  // Thin lines, where a block that steals nothing ends a tile.
  drawMeetings(ctx, view, colours) {
    const {axis} = view;
    stroke(ctx, colours.ink, 1.4, () => {
      for (const launch of this.panel.launches) {
        for (const {block, time} of meetingsOf(launch)) {
          const x = axis.x(time), y = launch.laneOf.get(block) * this.rowHeight - view.scroll;
          if (!axis.has(x) || y + this.rowHeight < 0 || y > view.height) continue;
          ctx.moveTo(x, y + 1);
          ctx.lineTo(x, y + 1 + this.barHeight);
        }
      }
    });
  }

  // Where lines and mbarriers were left out.
  drawGaps(ctx, view, colours) {
    const {axis} = view;
    for (const launch of this.panel.launches) {
      if (!launch.gap) continue;
      const [x, end] = axis.ends(...launch.gap);
      if (x < end) stroke(ctx, colours.soft, 1, () => ctx.rect(x + 0.5, 0.5, end - x - 1, view.height - 1), [3, 3]);
    }
  }

  // Where a kernel of higher priority was launched.
  drawArrivals(ctx, view, colours) {
    for (const {urgent, submitted} of this.panel.launches) {
      const x = Math.round(view.axis.x(submitted));
      if (!urgent || submitted > view.hidden || !view.axis.has(x)) continue;
      const line = () => {
        ctx.moveTo(x, 0);
        ctx.lineTo(x, view.height);
      };
      stroke(ctx, colours.page, 4, line);
      stroke(ctx, colours.urgent, 2, line, [5, 3]);
    }
  }

  // The places of the cluster in focus, joined by a bracket at their left.
  drawClusters(ctx, view, colours) {
    const {focus, axis} = view;
    if (!focus || this.panel.launches[focus.launch].clusterSize === 1) return;
    const launch = this.panel.launches[focus.launch];
    const lanes = clusterBlocks(launch, focus.block).map((block) => launch.laneOf.get(block));
    if (lanes.some((lane) => lane === undefined)) return;
    const y = (lane) => lane * this.rowHeight + 1 + this.barHeight / 2 - view.scroll, x = axis.left + 4;
    const path = () => {
      ctx.moveTo(x, y(Math.min(...lanes)));
      ctx.lineTo(x, y(Math.max(...lanes)));
      for (const lane of lanes) {
        ctx.moveTo(x, y(lane));
        ctx.lineTo(x + 7, y(lane));
      }
    };
    stroke(ctx, colours.page, 5, path);
    stroke(ctx, colours.text, 2.5, path);
  }

  // ---- requests: from the moment of asking to the tile that it brought ----

  // Below the bars; in another colour where it is asked later.
  drawRequests(ctx, view, now, colours) {
    const {axis} = view, {panel} = this;
    panel.launches.forEach((launch, l) => {
      const {requests, rows} = launch;
      const under = new Set(requestsUnderWay(panel, l, view.index));
      const from = countUpTo(requests.issued, axis.from - 20000), to = countUpTo(requests.issued, axis.to);
      const all = to - from < 150;
      if (to - from > 4000) return;
      if (all)
        launch.tookUp ??= new Map(Array.from(rows.request, (request, i) => [request - 1, i])
                                      .filter(([request, i]) => rows.block[i] === requests.block[request]));
      for (let i = from; i < to; i++) {
        const lane = launch.laneOf.get(requests.block[i]);
        if (lane === undefined) continue;
        const {focus} = view;  // of a stolen block the request that has stolen it
        const focused = focus && focus.launch === l &&
            (focus.block === requests.block[i] || launch.stolenBy.get(focus.block) === i);
        if (!all && !focused && !under.has(i)) continue;
        if (requests.issued[i] > Math.min(view.hidden, axis.to)) continue;
        const y = (lane + 1) * this.rowHeight - 1 - this.foot / 2 - view.scroll;
        const answered = requests.decided[i] ? requests.answered[i] : axis.to;
        const x = axis.x(requests.issued[i]), end = axis.x(Math.min(answered, view.hidden));
        if (end < axis.left || x > axis.right) continue;
        if (end - x < 6 && !under.has(i) && to - from > 40) continue;  // too many to tell apart
        const lively = focused || under.has(i), colour = requests.issued[i] <= now ? colours.text : colours.soft;
        const path = () => {
          ctx.arc(Math.max(x, axis.left), y, lively ? 2.4 : 1.6, 0, 7);
          ctx.moveTo(Math.max(x, axis.left), y);
          ctx.lineTo(end, y);
          const size = Math.min(lively ? 3.5 : 3, this.foot / 2 - 1);
          if (requests.granted[i]) {
            ctx.moveTo(end - size, y - size);
            ctx.lineTo(end, y);
            ctx.lineTo(end - size, y + size);
          } else if (requests.decided[i] && answered <= view.hidden) {
            ctx.moveTo(end - size, y - size);
            ctx.lineTo(end + size, y + size);
            ctx.moveTo(end - size, y + size);
            ctx.lineTo(end + size, y - size);
            if (requests.waited[i]) {
              ctx.moveTo(end + size + 1.5, y);
              ctx.arc(end, y, size + 1.5, 0, 7);
            }
          }
        };
        stroke(ctx, colour, lively ? 2 : 1.2, path);
        // An arrow from the answer to where the tile begins, for the block in focus.
        const row = focused ? launch.tookUp?.get(i) : undefined;
        if (row !== undefined && rows.begin[row] <= view.hidden && axis.x(rows.begin[row]) > end + 6) {
          stroke(ctx, colour, 2, () => {
            ctx.moveTo(end, y);
            ctx.lineTo(axis.x(rows.begin[row]), y);
          }, [2, 3]);
        }
      }
    });
  }

  // Events that somebody looks for: {event, lane, x} of those in sight.
  * litInSight({axis, hidden, lit}) {
    const {events, launches} = this.panel;
    for (const event of lit) {
      const lane = launches[events.launch[event]].laneOf.get(events.block[event]), x = axis.x(events.time[event]);
      if (lane !== undefined && axis.has(x) && events.time[event] <= hidden) yield {event, lane, x};
    }
  }

  // Strokes at the foot of the bars, below their numbers.
  drawLit(ctx, view, colours) {
    const height = Math.max(4, this.barHeight / 2 - 8);
    for (const [widen, colour] of [[1, colours.page], [0, colours.mark]]) {
      ctx.fillStyle = colour;
      for (const {lane, x} of this.litInSight(view)) {
        const y = lane * this.rowHeight + 1 + this.barHeight - view.scroll - height;
        ctx.fillRect(Math.round(x) - 1 - widen, y - widen, 3 + 2 * widen, height + widen);
      }
    }
  }

  /// That of them which is at a place of the rows; undefined: none.
  litAt(x, y, view) {
    const row = Math.floor((y + view.scroll) / this.rowHeight), away = (each) => Math.abs(each.x - x);
    const near = [...this.litInSight(view)].filter((each) => each.lane === row && away(each) < kNear);
    return near.sort((a, b) => away(a) - away(b))[0]?.event;
  }

  // The marks of findings: the first of each is larger.
  * marked() {
    for (const finding of this.run.findings) {
      const {time, block, again} = finding;
      const launch = this.panel.launches.find(({serial}) => serial === finding.launch);
      if (!launch) continue;
      const laneOf = (of) => launch.laneOf.get(of) ?? 0;
      for (let i = 0; i < again.length; i++)
        yield {time: again.time[i], lane: laneOf(again.block[i]), size: 4, finding};
      yield {time, lane: laneOf(block), size: 9, finding};
    }
  }

  // A place for a number in a row where no mark of a finding covers it, beside the middle if need be.
  placeFor(lane, wide, from, to, axis) {
    this.marks ??= groupBy(this.marked(), (each) => each.lane);
    const marks = (this.marks.get(lane) ?? []).map(({time, size}) => ({x: axis.x(time), size})),
          middle = (from + to) / 2;
    const near = (x) => marks.find((mark) => Math.abs(mark.x - x) < wide / 2 + mark.size);
    const beside = marks.flatMap(({x, size}) => [x - wide / 2 - size - 1, x + wide / 2 + size + 1])
                       .filter((x) => x - wide / 2 > from && x + wide / 2 < to && !near(x))
                       .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    return near(middle) ? beside[0] ?? middle : middle;
  }

  // A triangle, wholly inside the rows.
  drawFinding(ctx, view, {time, lane, size}, colours) {
    const {axis} = view, at = axis.x(time), {right} = axis;
    if (at < axis.left || at > right + 1 || time > view.hidden) return;
    const top = lane * this.rowHeight - view.scroll;
    const x = Math.max(axis.left + size, Math.min(at, right - size)), y = lane === 0 ? Math.max(top, 6) : top;
    stroke(ctx, colours.page, 2, () => {
      ctx.moveTo(x, y + size * 1.6);
      ctx.lineTo(x - size, y - size / 2);
      ctx.lineTo(x + size, y - size / 2);
      ctx.closePath();
    });
    ctx.fillStyle = colours.bad;
    ctx.fill();
    if (size === 9) write(ctx, '!', x, y + 2, colours.page, 'center');
  }

  // ---- the strip of the whole run ----

  /// The strip has the whole run's time on it; `view.axis` is the stretch that the rows show.
  drawStrip(ctx, view, whole, colours) {
    ctx.clearRect(0, 0, view.width, kStripHeight);
    const {panel} = this, {use} = panel, stolen = new Path2D();
    rect(ctx, colours.idle, whole.left, 0, whole.width, kStripHeight);
    const known = Math.max(0, Math.min(whole.x(view.hidden) - whole.left, whole.width));
    const fills = [  // from the bottom, as in the picture
      ['stolen', colours.stolen], ['own', colours.tile], ['prologue', colours.setup], ['urgent', colours.urgent]
    ];
    clipped(ctx, [whole.left, 0, known, kStripHeight], () => {
      for (let i = 0; i < use.length; i++) {
        const [from, to] = use.part(i), all = panel.slots * this.run.sms * (to - from);
        const x = Math.round(whole.x(from)), width = Math.round(whole.x(to)) - x;
        if (width === 0) continue;
        let y = kStripHeight;
        for (const [kind, fill] of fills) {
          const height = use[kind][i] / all * kStripHeight;
          rect(ctx, fill, x, y -= height, width, height);
          if (kind === 'stolen') stolen.rect(x, y, width, height);
        }
      }
      ctx.clip(stolen);
      hatch(ctx, colours.ink, whole.left, 0, whole.width, kStripHeight, kHatch);
    });
    for (const finding of this.run.findings) {
      if (!this.panel.launches.some((launch) => launch.serial === finding.launch) || finding.time > view.hidden)
        continue;
      rect(ctx, colours.bad, whole.x(finding.time) - 2, 0, 4, kStripHeight);
    }
    const [from, to] = [whole.x(view.axis.from), whole.x(view.axis.to)];
    stroke(ctx, colours.text, 2, () => ctx.rect(from + 1, 1, Math.max(3, to - from - 2), kStripHeight - 2));
    this.dimFuture(ctx, {...view, axis: whole}, kStripHeight, colours);
    drawCursor(ctx, {...view, axis: whole}, colours, kStripHeight);
    ctx.textBaseline = 'middle';
    write(ctx, 'whole run', 4, kStripHeight / 2, colours.soft);
  }

  drawAxis(ctx, view, colours) {
    const {axis} = view;
    ctx.clearRect(0, 0, view.width, axisHeight(this.panel));
    ctx.textBaseline = 'alphabetic';
    write(ctx, 'cycles', 4, 13, colours.soft, 'left', 12);
    for (const tick of axis.ticks(Math.max(2, axis.width / 90))) {
      const x = axis.x(this.panel.begin + tick);
      if (x < axis.left - 1 || x > axis.right) continue;
      const text = grouped(tick);
      const align = x - axis.left < text.length * 4 ? 'left' : axis.right - x < text.length * 4 ? 'right' : 'center';
      write(ctx, text, x, 13, colours.text, align, 12);
      rect(ctx, colours.soft, x - 0.5, 16, 1, 6);
    }
    this.panel.launches.filter(({urgent}) => urgent).forEach((launch, i) => {
      this.drawBracket(ctx, view, launch, kTicksHeight + i * kBracketHeight, colours);
    });
  }

  // From the launch of an urgent kernel to its first place.
  drawBracket(ctx, {axis, hidden}, launch, y, colours) {
    const {submitted, started} = launch, {right} = axis, [x, end] = axis.ends(submitted, Math.min(started, hidden));
    if (submitted > hidden || x > right || end < axis.left) return;
    stroke(ctx, colours.urgent, 2, () => {
      ctx.moveTo(x, y + kBracketHeight);
      ctx.lineTo(x, y + kBracketHeight / 2);
      ctx.lineTo(end, y + kBracketHeight / 2);
      if (started <= hidden) ctx.lineTo(end, y + kBracketHeight);
    });
    if (started > hidden) return;
    const wait = grouped(started - submitted), long = `${kernelName(launch).replace('the ', '')} waits ${wait} cycles`;
    const fits = (text) => end + 6 + text.length * 6 < right;
    const text = fits(long) || long.length * 6 + 6 < x ? long : `waits ${wait}`;  // on a phone
    write(ctx, text, fits(text) ? end + 6 : x - 6, y + 13, colours.text, fits(text) ? 'left' : 'right', 12);
  }

  // ---- what is where ----

  /// The stretch at a place of the rows; undefined: none.
  spanAt(x, y, view) {
    if (x < view.axis.left) return undefined;
    const lane = this.panel.lanes[Math.floor((y + view.scroll) / this.rowHeight)];
    if (lane === undefined) return undefined;
    const time = view.axis.time(x);
    const span = lane.spans[countUpTo(lane.ends, time)];
    return span !== undefined && span.begin <= time ? span : undefined;
  }

  // Why a slot is idle at a time.
  whyIdle(time) {
    const launch = this.panel.launches.find(({urgent}) => !urgent) ?? this.panel.launches[0];
    const waiting = waitingBlocks(launch, eventAt(this.panel, time));
    if (time < launch.submitted || time > launch.finished) return '';
    if (waiting > 0) return `${waiting} blocks wait to start: one is about to come, or the SM has no room.`;
    const kept = ' A stolen block stays with its thief, even if that has no time for it yet.';
    const last = grouped(launch.left.at(-1)?.time - this.panel.begin);
    return `Since cycle ${last} no block waits to start.${launch.stolenBy.size > 0 ? kept : ''}`;
  }

  /// The stretch of the stolen tile whose dotted line lies at a place of the rows; undefined: none.
  awaitedAt(x, y, view) {
    const at = y + view.scroll, time = view.axis.time(x), number = Math.floor(at / this.rowHeight);
    if (at % this.rowHeight <= this.barHeight + 1) return undefined;
    return this.panel.lanes[number]?.spans.find(({launch, row, begin}) => {
      const {rows, requests} = this.panel.launches[launch], request = rows.request[row] - 1;
      return request >= 0 && requests.answered[request] <= time && time < begin;
    });
  }

  /// What the pointer is on, in words.
  explain(x, y, view) {
    const {axis} = view, {launches, lanes} = this.panel, cycle = (time) => grouped(time - this.panel.begin);
    const number = Math.floor((y + view.scroll) / this.rowHeight), lane = lanes[number];
    if (lane === undefined || axis.time(x) > view.hidden) return '';
    const arrival = launches.find(({urgent, submitted}) => urgent && Math.abs(axis.x(submitted) - x) < kNear);
    if (arrival)
      return `Dashed: ${kernelName(arrival)} is launched here; it gets its first place ${
          grouped(arrival.started - arrival.submitted)} cycles later.`;
    const mark =
        [...this.marked()].find((each) => each.lane === number && Math.abs(axis.x(each.time) - x) <= each.size);
    if (mark) return `Finding [${mark.finding.name}]: ${mark.finding.what}.`;
    const span = this.spanAt(x, y, view);
    if (!span) return `Nobody is on ${slotName(this.run, this.panel, lane)} here. ${this.whyIdle(axis.time(x))}`;
    return barWords(this.run, this.panel, span, axis.time(x), view.hidden).join('');
  }
}
