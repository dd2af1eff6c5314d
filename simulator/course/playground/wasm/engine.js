// Stands behind Emscripten's own code (clcsimModule) in one classic script, for a worker and for Node:
//   await engine.start(wasmBytes, catalogueText)
//   reply = engine.run(request, progress)     both are objects; progress({cycles, instructions, started})
// A run that must stop is stopped with its worker.
var engine = (() => {
  let module = null;
  const texts = new Map();  // PTX, by program and kernel

  // A text for a function of the module, which gives one back.
  const call = (name, text) => {
    const bytes = new TextEncoder().encode(text);
    const place = module._malloc(bytes.length + 1);
    if (place === 0) throw new Error('the memory of this page is too small');
    module.HEAPU8.set(bytes, place);
    module.HEAPU8[place + bytes.length] = 0;
    const answer = module[name](place);
    const end = module.HEAPU8.indexOf(0, answer);
    const text_back = new TextDecoder().decode(module.HEAPU8.subarray(answer, end));
    module._free(place);
    return text_back;
  };

  const start = async (wasmBytes, catalogue) => {
    module = await clcsimModule({wasmBinary : wasmBytes, print() {}, printErr() {}});
    // The PTX, which is most of it, goes in with the requests: this parser is ten times as fast as the module's.
    const {programs} = JSON.parse(catalogue);
    for (const {id, kernels} of programs) {
      for (const kernel of kernels) texts.set(`${id} ${kernel.id}`, kernel.ptx);
    }
    const mistake =
        call('_clcsim_start', JSON.stringify({programs}, (name, value) => name === 'ptx' ? undefined : value));
    if (mistake !== '') throw new Error(mistake);
  };

  const withPtx = (request) => ({...request, ptx: request?.ptx ?? texts.get(`${request?.program} ${request?.kernel}`)});

  // Also where the engine itself fails: a page never goes without an answer.
  const run = (request, progress) => {
    module.progress = progress;
    try {
      return JSON.parse(call('_clcsim_run', JSON.stringify(withPtx(request))));
    } catch (error) {
      const deep = error instanceof RangeError;
      return {
        error: {
          message: deep ? 'the PTX is nested too deeply for this page' :
                          `the engine could not go on: ${error.message ?? error}`,
          line: null,
          fatal: true
        }
      };
    }
  };

  return {start, run};
})();
if (typeof module === 'object' && typeof require === 'function') module.exports = engine;
