// Runs requests in a Worker, one after the other. To stop is to end the Worker and to start another.
import {reasonToStop} from './results.js';

// What a reply that does not say it says.
const nothing = {
  error: null,
  right: null,
  verdict: '',
  findings: [],
  record: null,
  text: ''
};

/// Whatever goes wrong becomes a reply with one sentence in it.
export function failure(message) {
  const memory = /memory|RangeError|allocation|Maximum call stack|out of bounds/i.test(message);
  const text = memory ?
      'A browser does not give so much memory: take fewer elements or a smaller GPU, or run clcsim itself.' :
      `The simulator stopped unexpectedly (${message.slice(0, 200)}). It starts anew with the next run.`;
  return {...nothing, error: {message: text, line: null, fatal: true}};
}

const kTries = 2, kPause = 300;  // milliseconds between them

export class Runner {
  /// makeWorker() returns a Worker that has the engine.
  constructor(makeWorker) {
    this.makeWorker = makeWorker;
    this.worker = null;
    this.waiting = null;  // ends the run that is under way
  }

  get busy() { return this.waiting !== null; }

  /// The reply. Never throws.
  run(request, onProgress = () => {}) {
    if (this.busy) return Promise.resolve(failure('another run is under way'));
    return new Promise((resolve) => {
      let tries = 0;
      const end = (reply) => {
        if (this.waiting !== end) return;
        this.waiting = null;
        resolve({...nothing, ...reply});
      };
      // An engine that did not start, or broke down, is replaced, and tried once more: a browser that is short of
      // memory now may have it again in a moment.
      const fail = (reply) => {
        if (this.waiting !== end) return;
        this.drop();
        if (tries === kTries)
          end(reply);
        else
          setTimeout(begin, kPause);
      };
      const begin = () => {
        if (this.waiting !== end) return;  // it was stopped
        tries++;
        try {
          this.worker ??= this.makeWorker();
        } catch (error) {
          fail(failure(String(error?.message ?? error)));
          return;
        }
        this.worker.onmessage = ({data: {progress, reply, failed}}) => {
          if (progress) return onProgress(progress);
          if (failed || reply.error?.fatal) return fail(reply ?? failure(failed));
          end(reply);
        };
        this.worker.onerror = (event) => {
          event.preventDefault?.();
          fail(failure(event.message || 'the Worker did not start'));
        };
        this.worker.postMessage({request});
      };
      this.waiting = end;
      begin();
    });
  }

  drop() {
    this.worker?.terminate();
    this.worker = null;
  }

  stop() {
    if (!this.busy) return;
    this.drop();
    this.waiting({error: {message: 'Stopped.', line: null}, stopped: true});
    this.worker = this.makeWorker();  // it compiles while the reader thinks
  }

  /// The request under seeds 0 to wanted - 1, until one fails: {wanted, tried, failed, why, stopped}.
  async explore(request, wanted, onSeed) {
    for (let seed = 0; seed < wanted; seed++) {
      onSeed(seed);
      const reply = await this.run({...request, seed, record: false});
      if (reply.stopped) return {wanted, tried: seed, stopped: true};
      const why = reasonToStop(reply);
      if (why) return {wanted, tried: seed + 1, failed: seed, why};
    }
    return {wanted, tried: wanted};
  }
}
