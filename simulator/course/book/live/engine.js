// The playground's engine for all run buttons of a page. The file that holds it is loaded with the first run.
import {unpacked} from '../../playground/page/packed.js';
import {Runner} from '../../playground/page/runner.js';

import {printed, requestOf} from './terminal.mjs';

const {glue, worker, packed} = clcBook.engine;
const text = new TextDecoder().decode(await unpacked(packed.catalogue));
const catalogue = JSON.parse(text);
const wasm = unpacked(packed.wasm);
const address = URL.createObjectURL(new Blob([glue, '\n', worker], {type: 'text/javascript'}));
const runner = new Runner(() => {
  const made = new Worker(address);
  wasm.then((bytes) => made.postMessage({start: {wasm: bytes, catalogue: text}}));
  return made;
});
const kMost = {
  cycles: 50e6,
  seconds: 600  // a reader stops it before
};
let last = Promise.resolve();

// Runs wait for each other, and one that isn't wanted any more is stopped, or never begins.
function queued(request, {signal, told} = {}) {
  const stop = () => runner.stop();
  last = last.then(async () => {
    if (signal?.aborted) return {stopped: true, error: {message: 'Stopped.', line: null}};
    signal?.addEventListener('abort', stop);
    const reply = await runner.run({...request, ...kMost}, told);
    signal?.removeEventListener('abort', stop);
    return reply;
  });
  return last;
}

/// {error, report, output, reply} of a command, with other values of `knobs` ({seed, prologue, skew}). signal: stops
/// it; told({cycles, started, launches}): how far it is, and of how many launches.
export async function run(command, {seed, ...options} = {}, {signal, told = () => {}} = {}) {
  const asked = requestOf(command, catalogue), {warmup, runs} = asked.request;
  Object.assign(asked.request, {record: true}, seed === undefined ? {} : {seed});
  Object.assign(asked.request.options, options);
  const reply =
      await queued(asked.request, {signal, told: (progress) => told({...progress, launches: 1 + warmup + runs})});
  return {...printed(asked, reply, catalogue), reply};
}

/// The reply to a request of one's own.
export const ask = (request) => queued(request);
