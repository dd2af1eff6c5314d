// The race once more, by the playground's engine: loaded when the reader changes something.
import {lapOf} from './lap.mjs';
import {commandOf, strategies} from './strategies.mjs';

/// The laps of all strategies. afters: --after of each, if the urgent kernel is launched.
export async function laps(problem, afters) {
  const {run} = await clcBook.engine.ready, all = [];
  for (const [i, strategy] of strategies.entries()) {
    const {error, reply} = await run(commandOf(strategy, problem, afters[i]));
    if (!reply.record) throw new Error(error ?? 'the run has no record');
    all.push(lapOf(reply.record, strategy.name));
  }
  return all;
}
