// The steps of a loop in a run: the source numbers them, and the record knows the lines of its events.

/// The steps that a file of a record numbers, each up to an empty line: [{number, name, lines}].
function stepsOf({first, text}) {
  const steps = [];
  let step = null;
  text.forEach((line, i) => {
    const [, number, name] = /^\s*\/\/ (\d+)\. ([^.:,]+)/.exec(line) ?? [];
    if (number) steps.push(step = {number: Number(number), name: name.toLowerCase(), lines: new Set()});
    if (line.trim() === '') step = null;
    step?.lines.add(first + i);
  });
  return steps;
}

/// Of which step an event is, and which steps a block does in which order.
export class Steps {
  constructor(run, places) {
    this.run = run;
    this.file = run.files.findIndex(({name}) => name === places[0][0]);
    this.all = stepsOf(run.files[this.file]);
    this.walks = new Map();
  }

  /// The step of a line of the record; undefined: it is of none.
  ofLine(line) {
    const [file, number] = this.run.lines[line - 1] ?? [];
    return file === this.file ? this.all.find(({lines}) => lines.has(number))?.number : undefined;
  }

  /// What the hardware does for a request belongs to its step.
  ofEvent(panel, i) {
    const {events, launches} = panel, launch = launches[events.launch[i]], ref = events.ref[i];
    const type = clcPlayer.types[events.type[i]];
    const request = type === 'decided' ? ref : type === 'landed' ? clcPlayer.requestLanded(launch, ref) : -1;
    return this.ofLine(request < 0 ? clcPlayer.lineOf(this.run, panel, i) : launch.requests.line[request]);
  }

  /// Of a block that requests: {warp, own, all}. own: what the requesting warp does, in its order; all: with what the
  /// hardware does for it.
  walk(panel, l, block) {
    const key = `${panel.index}:${l}:${block}`;
    if (!this.walks.has(key)) {
      const {events, launches} = panel, {requests, operations} = launches[l];
      const warp = requests.warp[requests.block.indexOf(block)], own = [], all = [];
      for (let i = 0; i < events.length; i++) {
        if (events.launch[i] !== l || events.block[i] !== block || !this.ofEvent(panel, i)) continue;
        const type = clcPlayer.types[events.type[i]];
        if (type === 'operation' && operations.warp[events.ref[i]] !== warp) continue;
        if (type === 'operation' || type === 'request') own.push(i);
        all.push(i);
      }
      this.walks.set(key, {warp, own, all});
    }
    return this.walks.get(key);
  }

  /// Where the block of a walk starts.
  begin(panel, walk) {
    const [first] = walk?.all ?? [], {launch, block} = panel.events;
    return first === undefined ? first :
                                 block.findIndex((each, i) => each === block[first] && launch[i] === launch[first]);
  }

  /// Where a block comes to a step, in the order of its walk: of what it does there the event that tells most.
  arrivals(panel, walk, number) {
    const {matters} = panel.events, groups = [];
    let last;
    for (const i of walk.own) {
      const step = this.ofEvent(panel, i);
      if (step !== last) groups.push({step, events: []});
      groups.at(-1).events.push(i);
      last = step;
    }
    return groups.filter(({step}) => step === number).map(({events}) => events.find((i) => matters[i]) ?? events[0]);
  }
}
