// What came of a run, in words and numbers.
import {count, grouped} from '../../../clcsim/player/page/numbers.js';

// The engine's reasons begin small and have no full stop.
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/// How a run ended: {kind, title, text}. kind: good, luck, bad, none.
export function headline({error, findings, word, right, verdict}) {
  const ended = (kind, title, text) => ({kind, title, text});
  if (error?.line) return ended('bad', `Refused, at line ${error.line}`, sentence(error.message));
  if (error)
    return ended('bad', / was stopped /.test(error.message) ? 'Stopped' : 'Did not run', sentence(error.message));
  if (findings.some(({kind}) => kind === 'refusal')) return ended('bad', 'Refused', verdict);
  const errors = findings.filter(({kind}) => kind !== 'note').length;
  if (right && errors > 0) {
    const broken = errors === 1 ? '1 rule is' : `${errors} rules are`;
    return ended('luck', 'Right by luck', `${verdict} But ${broken} broken, so nothing promises that it stays right.`);
  }
  if (word === 'INCONCLUSIVE') return ended('none', 'Inconclusive', verdict);
  if (right) return ended('good', 'Right', verdict);
  const stuck = findings.some(({name}) => name === 'deadlock');
  // The verdict of a wrong result begins with that word.
  return ended('bad', stuck ? 'Stuck' : 'Wrong', verdict.replace(/^Wrong: (.)/, (_, first) => first.toUpperCase()));
}

// A launch that never ended has no counts.
const counted = (name) => (reply) => (reply.launches?.some((launch) => !launch.finished) ? undefined : reply[name]);

const measures = [
  ['started', counted('started')], ['stolen', counted('stolen')], ['cycles', counted('cycles')], ['blocks', launched],
  ['failed requests', counted('refused')], ['instructions', counted('instructions')],
  ['findings', (reply) => reply.findings.length]
];

function launched(reply) { return reply.ran ? reply.ran.grid.reduce((product, each) => product * each, 1) : undefined; }

function change(now, before) {
  if (now === before) return 'same';
  const by = now - before, sign = by > 0 ? '+' : '\u2212', percent = Math.abs(by) / before * 100;
  if (before === 0 || percent < 0.1) return `${sign}${grouped(Math.abs(by))}`;
  return `${sign}${percent >= 100 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/// [[what, this run, the run before, how it changed], ...]; without a run before, the last two are missing.
export function comparisonRows(reply, before) {
  return measures.filter(([, of]) => of(reply) !== undefined).map(([name, of]) => {
    const was = before ? of(before) : undefined;
    return [name, grouped(of(reply)), ...(was === undefined ? [] : [grouped(was), change(of(reply), was)])];
  });
}

/// Where the blocks went, in a sentence; '' where the numbers do not say it.
export function balance(reply) {
  const blocks = launched(reply), {started, stolen} = reply;
  if (blocks === undefined || !stolen || started + stolen !== blocks) return '';
  return `Each of the ${count(blocks, 'block')} was either started or stolen: ${started} + ${
      stolen}. A block whose request is refused leaves when its work is done.`;
}

const kWork = ['elements', 'tile', 'threads', 'prologue', 'skew', 'shape', 'urgent'];

/// Whether numbers of two runs mean something beside each other: one kernel, or one problem.
export function related(run, before) {
  return run.program === before.program && run.kernel === before.kernel ||
      kWork.some((name) => name in run.options) && run.gpu === before.gpu &&
      kWork.every((name) => run.options[name] === before.options[name]);
}

/// What seeds showed: the sentence under the button.
export function exploredSentence({wanted, failed, why}) {
  if (failed === undefined)
    return `${count(wanted, 'seed')}, 0 to ${
        wanted - 1}: nothing found. That is no proof, but as many legal schedules.`;
  const before = failed > 0 ? '; the seeds before it, from 0 on, showed nothing' : '';
  return `Seed ${failed} ${why}. It is shown here${before}.`;
}

/// Why a reply ends a search through seeds; '' where it does not.
export function reasonToStop(reply) {
  if (reply.error) return 'could not run';
  if (reply.findings.some((finding) => finding.name === 'deadlock')) return 'never ends';
  const broken = reply.findings.find(({kind}) => kind !== 'note');
  if (broken) return `breaks a rule [${broken.name || broken.kind}]`;
  if (reply.right === false) return 'gives a wrong result';
  return '';
}
