// "Why does it wait?" as sentences: for what, what is due, who is to bring it, since when, where that one is now.
// A sentence is a list of texts and of links {text, time, block, warp, line}.
import {blockOf, inGap, mbarriersOf, requestsUnderWay, warpsOf} from './moments.js';
import {count, countUpTo, groupBy, grouped, ranges} from './numbers.js';
import {blockName, clusterBlocks, clusterOf, kinds} from './record.js';
import {dueWords, lineName, mbarrierName} from './words.js';

const stays = {
  turn: 'for its turn: other warps of the SM issue first',
  memory: 'for memory: what was loaded is not there yet',
  lanes: 'for other lanes of the warp',
  change: 'in a loop that reads memory again and again until a value changes',
};

const kGoOn = 'all have come, and the warps of the SM go on one after the other';

/// "Warps 0-3", "Warp 3".
function warpNames(numbers) { return `${numbers.length > 1 ? 'Warps' : 'Warp'} ${ranges(numbers)}`; }

class Why {
  constructor(run, panel, {launch, block, time, event}) {
    Object.assign(this, {run, panel, l: launch, block, time, event});
    this.launch = panel.launches[launch];
    this.known = blockOf(panel, launch, block);
  }

  // Whether a stretch that was not kept (moments.js, inGap) lies between now and a later time.
  isBehindGap(time) {
    const {gap} = this.launch;
    return gap !== undefined && this.time < gap[0] && time >= gap[0];
  }

  cycle(time) { return `cycle ${grouped(time - this.panel.begin)}`; }
  atCycle(time, more = {}) { return {text: this.cycle(time), time, ...more}; }
  blockWords(block) { return block === this.block ? '' : ` of block ${blockName(this.launch, block)}`; }

  // Where a warp of a block is now: "warp 3, which now waits at ub.cu:21". `named`: with its block, whichever that is.
  whereabouts(block, number, named = false) {
    const states = warpsOf(blockOf(this.panel, this.l, block), this.launch, this.time);
    const state = states.find((each) => each.warp === number);
    const of = named ? ` of block ${blockName(this.launch, block)}` : this.blockWords(block);
    const name = {text: `warp ${number}${of}`, block, warp: number};
    if (!state || state.state === 'before') return [name, ', which has not begun'];
    if (state.state === 'exits') return [name, ', which has ended and never comes'];
    return [
      name, state.state === 'waits' ? ', which now waits at ' : ', which now runs ',
      {text: lineName(this.run, state.line) || 'an unknown line', line: state.line, block}
    ];
  }

  // When a warp has its next line; Infinity: never.
  goesOnAt({warp}) {
    const {times} = this.known.warps.get(warp);
    return times[countUpTo(times, this.time)] ?? Infinity;
  }

  // ---- an mbarrier ----

  bytesDue(offset, bytes) {
    const {launch, panel} = this;
    if (bytes < 0)
      return ` ${
          - bytes} bytes have come that this phase does not expect: it cannot end before an expect-tx announces them.`;
    if (bytes === 0) return '';
    const coming = requestsUnderWay(panel, this.l, this.event).filter((request) => {
      const {requests} = launch, asker = requests.block[request];
      const mine = asker === this.block ||
          (requests.multicast[request] && clusterOf(launch, asker).first === clusterOf(launch, this.block).first);
      return mine && requests.mbarrier[request] === offset;
    });
    if (coming.length === 0) return this.copiesDue(offset) ?? ' No request or copy brings the bytes.';
    const parts = [];
    for (const request of coming.slice(0, 3)) {
      const {requests} = launch, landed = launch.landedAt[request], asker = requests.block[request];
      const warp = requests.warp[request] - 1;
      parts.push(
          ` 16 bytes come with the response to request ${request + 1}, which `,
          {text: `warp ${warp}${this.blockWords(asker)}`, block: asker, warp}, ' sent at ',
          this.atCycle(requests.issued[request]),
          ...(landed >= 0 ? [', and arrive at ', this.atCycle(panel.events.time[landed])] : []), '.');
    }
    return parts;
  }

  // The next operation on an mbarrier that is of these kinds: {ref, kind, time}; undefined: there is none, or it was
  // not kept.
  nextOn(offset, ...wanted) {
    const kindOf = (ref) => kinds[this.launch.operations.kind[ref]];
    const next =
        this.known.mbarriers.get(offset).find(({event, ref}) => event > this.event && wanted.includes(kindOf(ref)));
    const time = next && this.panel.events.time[next.event];
    return next && !this.isBehindGap(time) ? {ref: next.ref, kind: kindOf(next.ref), time} : undefined;
  }

  // When the next bytes of a bulk copy come; null: they never do.
  copiesDue(offset) {
    const next = this.nextOn(offset, 'landed'), bytes = next && grouped(this.launch.operations.e[next.ref]);
    if (next) return [` A copy brings ${bytes} bytes at `, this.atCycle(next.time), '.'];
    return this.isBehindGap(this.panel.end) ? ' What brings them was not kept.' : null;
  }

  // Who arrives next in this phase: the record knows.
  arrivalsDue(offset, arrivals) {
    if (arrivals <= 0) return '';
    const {operations: o} = this.launch, next = this.nextOn(offset, 'arrive', 'init');
    const whoArrives = (ref) => this.whereabouts(this.block, o.warp[ref] - 1);
    if (next?.kind === 'arrive') {
      const who = o.warp[next.ref] ? whoArrives(next.ref) : ['another block of the cluster'];
      return [' The next arrival is to come from ', ...who, ', and comes at ', this.atCycle(next.time), '.'];
    }
    if (this.isBehindGap(this.panel.end)) return ' Who arrives next was not kept.';
    const last = this.known.mbarriers.get(offset).findLast(
        ({event, ref}) => event <= this.event && kinds[o.kind[ref]] === 'arrive' && o.warp[ref]);
    return last ? [' Nobody arrives any more. The last arrival came from ', ...whoArrives(last.ref), '.'] :
                  ' Nobody has ever arrived at it, and nobody will.';
  }

  mbarrier(offset) {
    const barrier = mbarriersOf(this.known, this.launch, this.event).find((each) => each.offset === offset);
    const name = mbarrierName(this.launch, offset);
    if (!barrier || barrier.state !== 'live') return [`for ${name}, which is not initialised.`];
    return [
      `for phase ${barrier.phase} of ${name}: ${dueWords(barrier.arrivals, Math.max(0, barrier.bytes))}.`,
      this.bytesDue(offset, barrier.bytes), this.arrivalsDue(offset, barrier.arrivals)
    ].flat()
        .filter((part) => part !== '');
  }

  // ---- barriers ----

  // What happens at a barrier of a block, its own of this number or, without one, that of its cluster.
  atBarrier(block, number) {
    const {operations: o} = this.launch, name = number === undefined ? 'cluster' : 'bar';
    return blockOf(this.panel, this.l, block)
        .operations.filter(({ref}) => kinds[o.kind[ref]].startsWith(`${name}_`))
        .filter(({ref}) => number === undefined || o.a[ref] === number)
        .map(({event, ref}) => ({event, warp: o.warp[ref] - 1, opens: kinds[o.kind[ref]] === `${name}_done`}));
  }

  // The warps that are missing at the barrier at which a warp waits, {block, warp, time}, and how many it is for. time:
  // when it comes; Infinity: never, or it was not kept. None is missing where that warp only has not been issued yet.
  missingAt({warp, reason, which}) {
    const own = reason === 'block_barrier', blocks = own ? [this.block] : clusterBlocks(this.launch, this.block);
    const warps = blocks.flatMap((block) => {
      const all = this.atBarrier(block, own ? which : undefined);
      const past = all.filter(({event}) => event <= this.event), future = all.slice(past.length);
      const come = past.slice(past.findLastIndex(({opens}) => opens) + 1).map((each) => each.warp);
      return [...blockOf(this.panel, this.l, block).warps.keys()].map((each) => {
        const next = future.find(({warp}) => warp === each);
        const time = next ? this.panel.events.time[next.event] : Infinity;
        return {block, warp: each, there: come.includes(each), time: this.isBehindGap(time) ? Infinity : time};
      });
    });
    const late = warps.some((each) => each.block === this.block && each.warp === warp && !each.there);
    const missing = late ? [] : warps.filter(({there}) => !there);
    return {missing, all: warps.length, last: missing.reduce((a, b) => (b.time > (a?.time ?? -1) ? b : a), undefined)};
  }

  // Who is missing; of more than two the last to come.
  barrier(words, waiting) {
    const {missing, all, last: latecomer} = this.missingAt(waiting);
    if (missing.length === 0) return [`${words}: ${kGoOn}.`];
    const come = `${words}: ${all - missing.length} of ${count(all, 'warp')} have come.`, latest = latecomer.time;
    const where = ({block, warp}) => this.whereabouts(block, warp, waiting.reason === 'cluster_barrier');
    const last = where(latecomer);
    if (missing.length > 2 && latest < Infinity)
      return [`${come} The last to come is `, ...last, ', and comes at ', this.atCycle(latest), '.'];
    if (missing.length > 2) return [`${come} Among the ${missing.length} that are missing is `, ...last, '.'];
    const both = missing.map(where);
    return [`${come} Missing: `, ...both[0], ...(both[1] ? ['; ', ...both[1]] : []), '.'];
  }

  // ---- the sentence ----

  sentence(group) {
    const [warp] = group, one = group.length === 1;
    const who = {text: warpNames(group.map((each) => each.warp)), block: this.block, warp: warp.warp};
    const line = {text: lineName(this.run, warp.line) || 'an unknown line', line: warp.line};
    if (warp.state === 'before') return [who, one ? ' has not begun.' : ' have not begun.'];
    if (warp.state === 'exits') return [who, one ? ' has ended.' : ' have ended.'];
    if (warp.state === 'runs') {
      const lanes = warp.lanes < 32 ? ` with ${count(warp.lanes, 'lane')}` : '';
      return [who, `${one ? ' runs ' : ' run '}`, line, `${lanes}.`];
    }
    const reasons = {
      mbarrier: () => this.mbarrier(warp.which),
      block_barrier: () => this.barrier('at the block barrier', warp),
      cluster_barrier: () => this.barrier('at the cluster barrier', warp),
    };
    const then = this.goesOnAt(warp);
    const goesOn = this.isBehindGap(Math.min(then, this.panel.end)) ?
        [one ? ' When it goes on was not kept.' : ' When they go on was not kept.'] :
        then === Infinity ? [one ? ' It never goes on.' : ' They never go on.'] :
                            [one ? ' It goes on at ' : ' They go on at ', this.atCycle(then), '.'];
    return [
      who, one ? ' waits at ' : ' wait at ', line, ' since ', this.atCycle(warp.since, {warp: warp.warp}), ', ',
      ...(reasons[warp.reason]?.() ?? [`${stays[warp.reason]}.`]), ...goesOn
    ];
  }
}

// What is said first.
const order = ['mbarrier', 'cluster_barrier', 'block_barrier', 'memory', 'change', 'lanes', 'turn', ''];

/// Of a block in focus: a sentence for each group of warps that do the same at the same line. `warp`: of this one
/// alone; -1: of all.
export function whatWarpsDo(run, panel, moment, warp = -1) {
  const why = new Why(run, panel, moment);
  const states = warpsOf(why.known, why.launch, moment.time).filter((each) => warp < 0 || each.warp === warp);
  const alike = groupBy(states, (each) => [each.state, each.line, each.lanes, each.reason, each.which].join());
  return [...alike.values()]
      .sort((a, b) => order.indexOf(a[0].reason ?? '') - order.indexOf(b[0].reason ?? ''))
      .map((group) => why.sentence(group));
}
