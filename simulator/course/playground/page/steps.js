// The tasks. Each has a check: a function of the newest run for it, and of all, that says whether it is done and how
// it judged. A run is the request, {program, kernel, options, gpu, seed, checks, ptx}, its reply, and what seeds
// showed.
import {count, grouped} from '../../../clcsim/player/page/numbers.js';
import {readRecord} from '../../../clcsim/player/page/record.js';

import {firstProblem} from './state.js';

const done = (says) => ({done: true, says});
const open = (says) => ({done: false, says});

const unedited = (run) => run.ptx === null;
const stuck = ({findings}) => findings.some(({name}) => name === 'deadlock');

// The requests that were refused while blocks of their own launch still waited; a launch that repeats another one
// counts once.
function refusedInVain(record) {
  const panels = readRecord(record).panels.filter(({repeats}) => repeats < 0);
  const launches = new Set(panels.flatMap((each) => each.launches));
  return [...launches].flatMap(({requests}) => [...requests.waited]).reduce((sum, waited) => sum + waited, 0);
}

const set = (program, kernel, options = {}, more = {}) =>
    ({program, kernel, options, gpu: 'mini', seed: 0, checks: true, ...more});
const basic = (options, more) => set('03_clc_basic', 'basic', {...firstProblem, ...options}, more);

// `start`: the kernel and the knobs that a task is set up with. `pane`: what the code opens at. `ptx`: whether its
// chapter's PTX must be 'edited' or 'unedited'; without it the check looks at that. `asks`: conditions, and what is
// said where one doesn't hold.
const right = [(run) => run.reply.right, 'The result was not right.'];
const recorded = [(run) => run.reply.record, 'Nothing was recorded.'];
const checked = [(run) => run.checks, 'With checks off nothing can be found.'];

export const steps = [
  {
    id: 'each-tile-pays',
    title: 'Each tile pays',
    task: 'Make fixed work start exactly 20 blocks.',
    why: 'Fixed work launches one block for each tile, and each block computes its prologue anew.',
    start: set('01_fixed_work', 'fixed', firstProblem),
    hints: [
      'y has as many floats as elements says, and is cut into tiles of as many as tile says.',
      'The last tile may be shorter: the number is elements / tile, rounded up.', 'Elements 20480 with tiles of 1024.'
    ],
    ptx: 'unedited',
    asks: [right],
    check: ({reply}) => reply.started === 20 ? done('20 blocks started, and so 20 prologues were computed.') :
                                               open(`${grouped(reply.started)} started; 20 are wanted.`),
  },
  {
    id: 'one-steal',
    title: 'The first steal',
    task: 'Find a problem in which exactly one block is stolen.',
    why: 'What is stolen is what has not started, and a block that fits on the GPU at once starts by itself.',
    start: basic(),
    hints: [
      'Run, and compare started and stolen. How many blocks does this GPU hold at once?',
      'mini has 4 SMs with 1024 threads each: 8 places for blocks of 512 threads.',
      'One tile more than places: 9 tiles, so elements 9216.'
    ],
    ptx: 'unedited',
    asks: [right],
    check: ({reply: {started, stolen}}) => stolen === 1 ?
        done(`${started} blocks started, and one of them did the work of the ${started + 1}th.`) :
        open(`${grouped(started)} started, ${grouped(stolen)} stolen; 1 stolen block is wanted.`),
  },
  {
    id: 'urgent',
    title: 'A refusal though blocks wait',
    task: 'Let a request be refused although blocks still wait in the queue.',
    why: 'A failure does not mean that the queue is empty. While a more urgent kernel waits, requests are ' +
        'refused, so that blocks leave and let it in: preemption, which a stride has lost.',
    start: basic(),
    hints: [
      'Something more important must arrive while the kernel runs.', 'There is a knob for that.',
      'Tick urgent and run. In the player, a cross with a ring is such a refusal.'
    ],
    asks: [recorded],
    check({reply}) {
      const found = refusedInVain(reply.record);
      if (found === 0) return open(`Refused: ${reply.refused}, each when no block waited any more.`);
      return done(
          `${count(found, 'request')} failed although blocks waited; those started later, with a prologue each.`);
    },
  },
  {
    id: 'luck',
    pane: 'protocol',
    title: 'Right by luck',
    task: 'Take one proxy fence out of chapter 03\u2019s PTX, and get the right result all the same.',
    why: 'The fences order reads of an answer before the next answer, which no thread writes. Without one the ' +
        'result stays right on clcsim, whatever the seed, so only a check of the rules finds it.',
    start: basic(),
    hints: [
      'The list under \u201cProtocol\u201d has each line of it, with a button.',
      'Two fences: one before the request, one after the read. Either will do.',
      'Press Remove beside \u201cproxy fence\u201d, and run.'
    ],
    ptx: 'edited',
    check({reply: {findings, right}}) {
      if (!findings.some((finding) => finding.name === 'missing-proxy-fence'))
        return open(
            findings.length > 0 ? `The finding was [${findings[0].name}], not the fence.` :
                                  'Nothing was found: is a fence removed, and are the checks on?');
      return right ? done('The result is right, and clcsim names the line that is unsafe.') :
                     open('The fence is missed, but the result is wrong, too.');
    },
  },
  {
    id: 'seeds',
    pane: 'protocol',
    title: 'Under seed 0, not under 50',
    task: 'Remove one instruction so that the result is right under seed 0, and wrong or stuck under a seed below ' +
        '50. Switch the checks off: only results count.',
    why: 'A test that runs once shows one schedule. Each seed is another one, as legal.',
    start: basic({}, {checks: false}),
    hints: [
      'With checks off, \u201cUnder 50 seeds\u201d stops at the first wrong result.',
      'Which instruction keeps a slow warp from missing an answer that is already written over?',
      'The last barrier of the loop: remove it, run under seed 0, then press \u201cUnder 50 seeds\u201d.'
    ],
    ptx: 'edited',
    asks: [[(run) => run.removed === 1, 'Exactly one instruction may be gone, and nothing else changed.']],
    check(run, runs) {
      const same = runs.filter((each) => each.kernel === run.kernel && each.ptx === run.ptx && !each.reply.error);
      const lucky = same.some(({seed, reply}) => seed === 0 && reply.right && !stuck(reply));
      const unlucky = same.find(({seed, reply}) => seed > 0 && seed < 50 && reply.right === false);
      const tried = same.some((each) => each.explored?.failed > 0);  // the seeds before the one that failed went well
      if (!lucky && !tried) return open('Under seed 0 the result is not right, or was not tried.');
      if (!unlucky) return open('Right under seed 0. No seed has shown a wrong result yet.');
      return done(`Right under seed 0, and not under seed ${unlucky.seed}: ${unlucky.reply.verdict}`);
    },
  },
  {
    id: 'write',
    title: 'Write the request',
    task: 'The request and its expect-tx are gone from chapter 03\u2019s loop. Write both, so that blocks are ' +
        'stolen again and no rule is broken.',
    why: 'These two lines are Cluster Launch Control: one asks for a block, the other tells the mbarrier how many ' +
        'bytes of answer will come.',
    start: basic({}, {without: ['request', 'expect']}),
    hints: [
      'Run it first: the player says who waits for what. The lines belong after the proxy fence that acquires, ' +
          'where two addresses and the number 16 are made.',
      'clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 takes two addresses ' +
          'in brackets: of the response, then of the mbarrier.',
      'mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 takes a state (_ if nobody reads it), the ' +
          'mbarrier\u2019s address in brackets, and the number of bytes.',
      'A mov puts the address of \u2026response into a register, another one that of \u2026barrier. The register ' +
          'after them holds 16.'
    ],
    ptx: 'edited',
    asks: [[(run) => run.written, 'Both lines have to be written by hand, where Set it up took them away.'], checked],
    check({reply: {findings, right, stolen}}) {
      if (findings.length > 0) return open(`Found: ${findings[0].name || 'a refusal'}.`);
      if (!right || !stolen) return open('The result is not right, or nothing was stolen.');
      return done(`${count(stolen, 'block')} stolen by a request that you wrote.`);
    },
  },
  {
    id: 'stuck',
    pane: 'protocol',
    title: 'A cluster that waits for ever',
    task: 'Edit chapter 04\u2019s PTX so that the run ends in a deadlock.',
    why: 'The answer comes to every block of the cluster, and counts 16 bytes at each block\u2019s own mbarrier. ' +
        'A block that does not expect them, or never asks, waits for ever. clcsim says who waits for what.',
    start: set('04_clc_cluster', 'pairs', firstProblem),
    hints: [
      'Which instruction tells an mbarrier how many bytes are due?',
      'Remove expect-tx, and read the lines under the finding: who waits, and for how many arrivals and bytes.',
      'Press Remove beside \u201cexpect-tx\u201d and run.'
    ],
    ptx: 'edited',
    check({reply}) {
      if (stuck(reply)) return done('Stuck, and the finding says who waits for what.');
      const [finding] = reply.findings;
      return open(`${finding ? `The finding was [${finding.name}], but the` : 'The'} run came to an end.`);
    },
  },
];

/// Whether runs so far do a task; a check that trips over a reply says so, and the page goes on.
export function judge(step, runs) {
  const run = runs.at(-1);
  if (!run) return open('Nothing has run yet.');
  if (run.reply.error) return open(`The last run did not start: ${run.reply.error.message}`);
  const {program} = step.start;
  if (step.ptx && (run.program !== program || unedited(run) !== (step.ptx === 'unedited')))
    return open(`This task wants chapter ${program.slice(0, 2)}, with its PTX ${step.ptx}.`);
  try {
    const missing = step.asks?.find(([holds]) => !holds(run));
    return missing ? open(missing[1]) : step.check(run, runs);
  } catch {
    return open('This run could not be judged.');
  }
}
