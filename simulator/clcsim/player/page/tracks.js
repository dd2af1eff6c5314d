// The warps of the chosen block on the axis of the rows: what each does when. Height tells as much as colour.
import {rect} from './element.js';
import {drawCursor, write} from './lanes.js';
import {blockOf, inGap} from './moments.js';
import {countUpTo, grouped} from './numbers.js';
import {blockName, kinds, reasons} from './record.js';
import {lineName} from './words.js';

const kTrackHeight = 15;

/// What a warp can be at: name, colour of the palette, height of its bar. The colours of tiles mean tiles alone.
const trackKinds = {
  runs: {name: 'runs', colour: 'soft', height: 1},
  memory: {name: 'waits for memory', colour: 'line', height: 0.7},
  block_barrier: {name: 'waits at a barrier', colour: 'line', height: 0.45},
  cluster_barrier: {name: 'waits at a barrier', colour: 'line', height: 0.45},
  mbarrier: {name: 'waits for an mbarrier', colour: 'line', height: 0.25},
  turn: {name: 'waits for its turn', colour: 'line', height: 0.12},
  lanes: {name: 'waits for its turn', colour: 'line', height: 0.12},
  change: {name: 'polls memory', colour: 'line', height: 0.25},
};

/// The stretches of a warp: {from, to, kind, line}.
export function stretchesOf(history, {steps, gap}, end) {
  const result = [];
  history.steps.forEach((step, i) => {
    const kind = kinds[steps.kind[step]];
    if (kind === 'exits') return;
    const from = steps.time[step], next = i + 1 < history.times.length ? history.times[i + 1] : end;
    const to = gap && from < gap[0] ? Math.min(next, gap[0]) : next;
    const what = kind === 'waits' ? reasons[steps.a[step]] : 'runs', last = result[result.length - 1];
    if (last && last.to === from && last.kind === what && what === 'runs')
      last.to = to;
    else
      result.push({from, to, kind: what, line: steps.line[step]});
  });
  return result;
}

export class Tracks {
  /// The block whose work is shown, or null.
  choose(run, panel, launch, block) {
    if (this.panel === panel && this.launch === launch && this.block === block) return;
    Object.assign(this, {run, panel, launch, block});
    const known = blockOf(panel, launch, block), one = panel.launches[launch];
    const finished = one.blocks.finished[one.rowOfBlock.get(block)], end = finished >= 0 ? finished : panel.end;
    this.warps = [...known.warps.keys()].sort((a, b) => a - b).map((warp) => {
      const stretches = stretchesOf(known.warps.get(warp), one, end);
      return {warp, stretches, ends: stretches.map(({to}) => to)};
    });
  }

  get height() { return (this.warps?.length ?? 0) * kTrackHeight; }

  /// hidden: from this time on nothing is shown, or Infinity.
  draw(ctx, axis, time, chosen, colours, hidden) {
    ctx.clearRect(0, 0, axis.right, this.height);
    ctx.textBaseline = 'middle';
    this.warps.forEach(({warp, stretches, ends}, row) => {
      const y = row * kTrackHeight, room = kTrackHeight - 3;
      rect(ctx, colours.idle, axis.left, y + kTrackHeight - 2, axis.width, 1);
      write(
          ctx, `warp ${warp}`, axis.left - 4, y + kTrackHeight / 2, warp === chosen ? colours.mark : colours.soft,
          'right');
      let drawn = -1;
      for (let i = countUpTo(ends, axis.from); i < stretches.length && stretches[i].from < axis.to; i++) {
        const {from, to, kind} = stretches[i], {colour, height} = trackKinds[kind];
        const [x, end] = axis.ends(from, Math.min(to, hidden));
        if (end <= drawn) continue;
        drawn = Math.max(end, x + 0.5);
        rect(ctx, colours[colour], x, y + 1 + room * (1 - height), Math.max(0.5, end - x), room * height);
        if (end - x < 4) continue;
        ctx.strokeStyle = colours.line;
        ctx.strokeRect(x + 0.5, y + 1.5 + room * (1 - height), end - x - 1, room * height - 1);
      }
    });
    drawCursor(ctx, {axis, time}, colours, this.height);
  }

  /// The warp of a place, from above; undefined: none.
  warpAt(y) { return this.warps[Math.floor(y / kTrackHeight)]?.warp; }

  /// What a place says, in words.
  explain(time, y, hidden) {
    if (time > hidden) return '';
    const track = this.warps[Math.floor(y / kTrackHeight)];
    if (!track) return '';
    const launch = this.panel.launches[this.launch];
    const who = `Warp ${track.warp} of block ${blockName(launch, this.block)}`;
    if (inGap(launch, time)) return `${who}: of this stretch nothing was kept.`;
    const found = track.stretches[countUpTo(track.ends, time)];
    if (!found || found.from > time) return `${who} is not there.`;
    return `${who} ${trackKinds[found.kind].name} at ${lineName(this.run, found.line)}, ${
        grouped(found.to - found.from)} cycles from ${grouped(found.from - this.panel.begin)} on.`;
  }
}
