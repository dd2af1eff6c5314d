// In the Worker, after the engine's own text: requests come as messages, and progress and replies go back.
const kWarmUps = 12;
let begin, asked = false;
const started = new Promise((resolve) => {
                  begin = resolve;
                }).then(({wasm, catalogue}) => engine.start(new Uint8Array(wasm), catalogue));
started.catch(() => {});  // the first request tells

// The browser compiles what runs for the first time, and better what runs often: that it does before somebody asks.
async function warmUp(request) {
  for (let i = 0; i < kWarmUps && !asked; i++) {
    await engine.run(request, () => {});
    await new Promise((resume) => setTimeout(resume));  // a request may have come
  }
}

onmessage = async ({data: {start, id, request}}) => {
  if (start) {
    begin(start);
    started.then(() => warmUp(start.warmUp)).catch(() => {});
    return;
  }
  asked = true;
  try {
    await started;
    const reply = await engine.run(request, (progress) => postMessage({id, progress}));
    postMessage({id, reply});
  } catch (error) {
    postMessage({id, failed: String(error?.message ?? error)});
  }
};
