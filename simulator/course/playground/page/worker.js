// In the Worker, after the engine's own text: requests come as messages, and progress and replies go back.
let begin;
const started = new Promise((resolve) => {
                  begin = resolve;
                }).then(({wasm, catalogue}) => engine.start(new Uint8Array(wasm), catalogue));
started.catch(() => {});  // the first request tells

onmessage = async ({data: {start, request}}) => {
  if (start) {
    begin(start);
    return;
  }
  try {
    await started;
    postMessage({reply: await engine.run(request, (progress) => postMessage({progress}))});
  } catch (error) {
    postMessage({failed: String(error?.message ?? error)});
  }
};
