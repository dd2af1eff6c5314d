// The playground's engine for all run buttons of a page. The file that holds it is loaded with the first run.
import {unpacked} from '../../playground/page/packed.js';
import {Runner} from '../../playground/page/runner.js';

import {printed, requestOf} from './terminal.mjs';

const {glue, worker, packed} = clcBook.engine;
const text = new TextDecoder().decode(await unpacked(packed.catalogue));
const catalogue = JSON.parse(text);
const wasm = unpacked(packed.wasm);
const runner = new Runner(() => {
  const address = URL.createObjectURL(new Blob([glue, '\n', worker], {type: 'text/javascript'}));
  const made = new Worker(address);
  URL.revokeObjectURL(address);
  wasm.then((bytes) => made.postMessage({start: {wasm: bytes, catalogue: text}}));
  return made;
});
const runOne = (request) => runner.run({...request, cycles: 50e6, seconds: 100});
let last = Promise.resolve();

/// {error, report, output, reply} of a command, with other values of `knobs` ({seed, prologue, skew}). Runs wait for
/// each other.
export function run(command, {seed, ...options} = {}) {
  const asked = requestOf(command, catalogue);
  Object.assign(asked.request, {record: true}, seed === undefined ? {} : {seed});
  Object.assign(asked.request.options, options);
  last = last.then(async () => {
    const reply = await runOne(asked.request);
    return {...printed(asked, reply, catalogue), reply};
  });
  return last;
}

/// The reply to a request of one's own.
export function ask(request) {
  last = last.then(() => runOne(request));
  return last;
}
