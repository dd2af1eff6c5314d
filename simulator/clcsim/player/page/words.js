// Each event as a sentence: who did what, what is now due, who waits.
import {blockOf, inGap, tileOf, waitingBlocks, warpsOf} from './moments.js';
import {count, grouped} from './numbers.js';
import {blockName, clusterBlocks, kinds, mbarrierKinds, requestLanded, requestNumber, types} from './record.js';

export const reasonWords = {
  turn: 'for its turn to issue',
  memory: 'for memory',
  lanes: 'for other lanes of the warp',
  block_barrier: 'at the block barrier',
  cluster_barrier: 'at the cluster barrier',
  mbarrier: 'for a phase of the mbarrier',
  change: 'for a value that it polls to change',
};

/// The program's own name in a command line, as record.cpp quotes it.
export function programName(command) {
  const words = [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  let at = words[0] === 'clcsim' ? 1 : 0;
  while (/^--(gpu|seed)$/.test(words[at])) at += 2;
  return (words[at] ?? command).replace(/.*\//, '');
}

/// "clc_basic.cu:66"; empty if it is not known.
export function lineName(run, line) {
  if (!line) return '';
  const [file, number] = run.lines[line - 1];
  return `${run.files[file].name.replace(/.*\//, '')}:${number}`;
}

/// " (line 66)" with the file's name where it is not the first file.
function at(run, line) { return line ? ` (${lineName(run, line)})` : ''; }

export function hex(offset) { return '0x' + offset.toString(16); }

/// "kernel multiply"; that of the chapters' --urgent has the course's name.
export function kernelName({kernel}) { return /(^|::)urgent$/.test(kernel) ? 'the urgent kernel' : `kernel ${kernel}`; }

/// "the mbarrier"; with its address where a block of the launch has several.
export function mbarrierName(launch, offset) {
  if (launch.severalMbarriers === undefined) {
    const {operations: o} = launch, seen = new Map();
    launch.severalMbarriers = false;
    for (let i = 0; i < o.length; i++) {
      if (!mbarrierKinds.has(kinds[o.kind[i]])) continue;
      if (!seen.has(o.block[i])) seen.set(o.block[i], o.a[i]);
      if (seen.get(o.block[i]) !== o.a[i]) launch.severalMbarriers = true;
    }
  }
  return launch.severalMbarriers ? `mbarrier ${hex(offset)}` : 'the mbarrier';
}

/// "block 17"; in a launch with clusters "the cluster of blocks 16 and 17".
export function stolenName(launch, first) {
  if (launch.clusterSize === 1) return `block ${blockName(launch, first)}`;
  const names = clusterBlocks(launch, first).map((block) => blockName(launch, block)), last = names.pop();
  return `the cluster of blocks ${names.join(launch.grid[1] > 1 ? '; ' : ', ')} and ${last}`;
}

/// "1 arrival and 16 bytes are still due", "nothing is due".
export function dueWords(arrivals, bytes) {
  const parts = [];
  if (arrivals !== 0) parts.push(count(arrivals, 'arrival'));
  if (bytes !== 0) parts.push(`${grouped(bytes).replace(/^-/, '\u2212')} byte${Math.abs(bytes) === 1 ? '' : 's'}`);
  if (parts.length === 0) return 'nothing is due';
  return `${parts.join(' and ')} ${parts.length === 1 && arrivals === 1 ? 'is' : 'are'} still due`;
}

// ", for which 2 warps wait"
function waiters(panel, l, block, time, reason) {
  const launch = panel.launches[l];
  if (inGap(launch, time) || launch.steps.length === 0) return '';
  const waiting = warpsOf(blockOf(panel, l, block), launch, time)
                      .filter((warp) => warp.state === 'waits' && warp.reason === reason)
                      .length;
  if (waiting === 0) return '; nobody waits for it yet';
  return `; ${count(waiting, 'warp')} wait${waiting === 1 ? 's' : ''} for it`;
}

/// "request 2 of block 1"
export function requestName(launch, request) {
  return `request ${requestNumber(launch, request)} of block ${blockName(launch, launch.requests.block[request])}`;
}

// Where a stolen tile comes from, and what the block did between the response and the tile.
function tileSentence(panel, launch, l, ref) {
  const {rows, requests} = launch, block = blockName(launch, rows.block[ref]), tile = blockName(launch, rows.tile[ref]);
  if (rows.tile[ref] === rows.block[ref])
    return `Block ${block} ends its prologue\n, ${
        grouped(rows.prologue[ref])} cycles after its start, and begins its own tile.`;
  const request = rows.request[ref] - 1;
  const last = ref > 0 && rows.block[ref - 1] === rows.block[ref] ? ref - 1 : -1;
  const done = last >= 0 ? ` has finished tile ${blockName(launch, rows.tile[last])} and` : '';
  const begins = `Block ${block}${done} begins tile ${tile}\n, the stolen work of block ${tile}`;
  if (request < 0) return `${begins}.`;
  const landed = launch.landedAt[request], at = landed < 0 ? requests.answered[request] : panel.events.time[landed];
  const since = at < rows.begin[ref] && tileOf(panel, l, rows.block[ref], at) === last ?
      ` and has had the response since cycle ${grouped(at - panel.begin)}` :
      '';
  return `${begins}: ${requests.block[request] === rows.block[ref] ? 'it' : 'its cluster'} asked at cycle ${
      grouped(requests.issued[request] - panel.begin)} (${requestName(launch, request)})${since}.`;
}

function operationSentence(run, panel, i, launch, ref) {
  const {operations: o} = launch, {events} = panel;
  const kind = kinds[o.kind[ref]], l = events.launch[i], time = events.time[i];
  const block = `block ${blockName(launch, o.block[ref])}`;
  const who =
      o.warp[ref] ? `Warp ${o.warp[ref] - 1} of ${block}` : `A warp of another block of the cluster\n, for ${block},`;
  const place = at(run, o.line[ref]);
  const mbarrier = mbarrierName(launch, o.a[ref]);
  const due = o.b[ref] < 0 ? '' : dueWords(o.c[ref], o.d[ref]);
  const phase = o.b[ref] < 0 ? '' : `In phase ${o.b[ref]}, ${due}`;
  const says = {
    init: () => `${who} initialises ${mbarrier}\n for ${count(o.e[ref], 'arrival')} in each phase${place}. ${phase}.`,
    inval: () => `${who} invalidates ${mbarrier}\n${place}.`,
    expect: () => `${who} adds ${count(o.e[ref], 'byte')}\n to what ${mbarrier} expects${place}. ${phase}${
        waiters(panel, l, o.block[ref], time, 'mbarrier')}.`,
    complete: () => `${who} takes ${count(o.e[ref], 'byte')}\n from what ${mbarrier} expects${place}. ${phase}.`,
    arrive: () =>
        `${who} arrives at ${mbarrier}\n${o.f[ref] ? ` and tells it to expect ${count(o.f[ref], 'byte')} more` : ''}${
            place}. ${phase}${waiters(panel, l, o.block[ref], time, 'mbarrier')}.`,
    passed: () => `${who} has waited for phase ${o.e[ref]}\n of ${mbarrier}, which is over: it goes on${place}.`,
    bar_arrive: () => `${who} comes to the block barrier\n${place}.`,
    bar_done: () => `All warps of ${block} have come\n to the block barrier: they go on.`,
    cluster_arrive: () => `${who} comes to the cluster barrier\n${place}.`,
    cluster_done: () => `All warps of the cluster have come\n to its barrier: those of ${block} go on.`,
    query: () => `${who} queries the response\n${place}: ` +
        [
          'it is a failure, so the block must not ask again.', 'it is a success.',
          'what it reads is no response at all.'
        ][o.a[ref]],
    decode: () => `${who} reads the stolen block\u2019s index\n out of the response${place}` +
        ['; but it is a failure, and names no block.', '.', '; but that is no response at all.'][o.a[ref]],
    fence: () => `${who} has a fence\n${o.a[ref] ? ' between generic and async proxy' : ''}${place}.`,
    copy: () => `${who} asks for a copy of ${o.c[ref] ? `${o.b[ref]} \u00d7 ${o.c[ref]} elements, ` : ''}${
        count(o.a[ref], 'byte')}\n ${o.d[ref] ? 'from' : 'to'} shared memory${place}.`,
    product: () => `${who} asks the tensor core\n for a product${place}.`,
    async_arrive: () => `An arrival that waited for products or copies\n of ${block} comes to ${mbarrier}. ${phase}${
        waiters(panel, l, o.block[ref], time, 'mbarrier')}.`
  };
  return says[kind]?.() ?? `${who}\n: ${kind}.`;
}

function landedSentence(panel, i, launch, ref) {
  const {operations: o} = launch;
  const request = requestLanded(launch, ref);
  const block = panel.events.block[i];
  const name = `block ${blockName(launch, block)}`;
  let says = `${grouped(o.e[ref])} bytes of a copy arrive in ${name}\n`;
  if (request >= 0 && request < launch.requests.length) {
    const {requests} = launch, where = requests.block[request] === block ? '' : ` in ${name}`;
    const way = `${grouped(panel.events.time[i] - requests.issued[request])} cycles after it was asked for`;
    says = `The response to ${requestName(launch, request)} ${ref < 0 ? 'may arrive' : 'arrives'}\n${where}, ${way}: ` +
        (requests.granted[request] ? `success, ${stolenName(launch, requests.stolen[request])}` : 'failure');
  }
  if (ref < 0) return `${says}. Its 16 bytes land when somebody waits for them.`;
  if (o.b[ref] < 0) return `${says}. There is no mbarrier at ${hex(o.a[ref])}.`;
  const after = o.c[ref], bytes = o.d[ref];
  const earlier = previousPhase(panel, panel.events.launch[i], block, ref);
  const over = earlier >= 0 && earlier < o.b[ref];
  return `${says}. ${capital(mbarrierName(launch, o.a[ref]))} counts its ${o.e[ref]} bytes: ` +
      (over ? `phase ${earlier} is over` : dueWords(after, bytes)) +
      waiters(panel, panel.events.launch[i], block, panel.events.time[i], 'mbarrier') + '.';
}

// The phase of the same mbarrier before an operation; -1: not known.
function previousPhase(panel, l, block, ref) {
  const {operations: o} = panel.launches[l];
  const before = blockOf(panel, l, block).mbarriers.get(o.a[ref])?.findLast((each) => each.ref < ref);
  return before ? o.b[before.ref] : -1;
}

// A headline, a line break, and the rest of what happened at an event.
function told(run, panel, i) {
  if (i < 0) return 'Nothing has happened yet.';
  const {events} = panel;
  const launch = panel.launches[events.launch[i]], ref = events.ref[i];
  const block = events.block[i] >= 0 ? blockName(launch, events.block[i]) : '';
  const left = () => {
    const waiting = waitingBlocks(launch, i);
    return waiting === 0 ? 'no block waits any more' :
                           `${count(waiting, 'block')} still wait${waiting === 1 ? 's' : ''}`;
  };
  const {requests, rows} = launch;
  const says = {
    submitted: () => `${capital(kernelName(launch))} is launched\n: ${
        launch.total === 1 ? 'its one block waits' : `its ${count(launch.total, 'block')} wait`} for a place.`,
    begins: () => `${capital(kernelName(launch))} gets its first place\n, ${
        grouped(launch.started - launch.submitted)} cycles after it was launched.`,
    starts: () => `Block ${block} starts on SM ${launch.blocks.sm[ref]}\n. Now ${left()}.`,
    request: () => `Warp ${requests.warp[ref] - 1} of block ${block} requests a waiting block\u2019s work\n ` +
        `(its request ${requestNumber(launch, ref)}${requests.multicast[ref] ? ', for its whole cluster' : ''})${
                       at(run, requests.line[ref])}. ` +
        `${capital(mbarrierName(launch, requests.mbarrier[ref]))} will count the response\u2019s 16 bytes. ${
                       capital(left())}.`,
    decided: () => requests.granted[ref] ?
        `Block ${block} steals ${stolenName(launch, requests.stolen[ref])}\n (${requestName(launch, ref)}): ${
            launch.clusterSize === 1 ? 'it leaves' : 'they leave'} the queue and will never start. Now ${left()}.` :
        `${capital(requestName(launch, ref))} fails\n, ` +
            (requests.waited[ref] ? `although ${count(waitingBlocks(launch, i), 'block')} wait: a kernel of higher ` +
                     'priority wants room, or the schedule is a hostile one.' :
                                    'since no block waits. The response is on its way.'),
    landed: () => landedSentence(panel, i, launch, ref),
    operation: () => operationSentence(run, panel, i, launch, ref),
    tile: () => tileSentence(panel, launch, events.launch[i], ref),
    done: () => `Block ${block} has finished tile ${blockName(launch, rows.tile[ref])}\n.`,
    ends: () =>
        `Block ${block} has finished and leaves\n: its slot on SM ${launch.blocks.sm[ref]} is free. Now ${left()}.`,
    finding: () =>
        `Finding: ${run.findings[ref].name ? `[${run.findings[ref].name}]\n ` : '\n'}${run.findings[ref].what}.`,
    over: () => `${capital(kernelName(launch))} is done\n, ${
        grouped(launch.finished - launch.submitted)} cycles after it was launched.`
  };
  return says[types[events.type[i]]]?.() ?? '';
}

/// What happened at an event: its headline, of at most ten words, and the rest of one or two sentences.
export function headlined(run, panel, i) {
  const [headline, ...rest] = told(run, panel, i).split('\n');
  return [headline, rest.join('')];
}
export const sentence = (run, panel, i) => headlined(run, panel, i).join('');

function capital(text) { return text[0].toUpperCase() + text.slice(1); }
