// In the Worker, after the engine's own text: requests come as messages, and progress and replies go back.
let started;

onmessage = async ({data: {start, id, request}}) => {
  if (start) {
    started = Promise.resolve(engine.start(new Uint8Array(start.wasm), start.catalogue));
    started.catch(() => {});  // the first request tells
    return;
  }
  try {
    await started;
    const reply = await engine.run(request, (progress) => postMessage({id, progress}));
    postMessage({id, reply});
  } catch (error) {
    postMessage({id, failed: String(error?.message ?? error)});
  }
};
