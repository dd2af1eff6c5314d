// The result of a run: verdict, numbers beside those of the run before, findings.
import {element, linkButton} from '../../../clcsim/player/page/element.js';

import {balance, comparisonRows, differencesOf, exploredSentence, headline, related} from './results.js';

// What was counted, large; under it the run before, and how much it changed.
function numbers(run, before) {
  return comparisonRows(run.reply, before?.reply).map(([name, now, was, change]) => {
    const under =
        was === undefined ? [] : [element('dd', change === 'same' ? change : `was ${was}, ${change}`, {class: 'note'})];
    return element('div', '', {'data-number': name}, element('dt', name), element('dd', now), ...under);
  });
}

// brief: the player tells the rest.
function findingItem(finding, index, brief, {showFinding, openPitfall}) {
  const title = `${finding.name ? `[${finding.name}] ` : ''}${finding.what}`;
  const go = linkButton(title, () => showFinding(index), {class: 'link finding'});
  const where = [
    finding.file ? `${finding.file}:${finding.line}` : '', finding.block ? `block (${finding.block})` : '',
    finding.thread ? `thread (${finding.thread})` : '', finding.count > 1 ? `${finding.count} times` : ''
  ].filter(Boolean).join(', ');
  const item = element('li', '', {}, go, element('p', where, {class: 'note'}));
  const facts = brief ? [] : [...finding.details ?? []];
  if (finding.rule && !brief) facts.push({label: 'rule', text: finding.rule});
  if (finding.fix && !brief) facts.push({label: 'fix', text: finding.fix});
  for (const {label, text} of facts) item.append(element('p', `${label}: ${text}`, {class: 'note'}));
  const open = finding.pitfall && openPitfall(finding.pitfall);
  if (open) item.append(element('p', 'more: ', {class: 'note'}, linkButton(`the pitfall ${finding.pitfall}`, open)));
  return item;
}

/// The verdict, the numbers and the rest into places of their own. actions: showFinding(index); openPitfall(name),
/// which returns what opens it, or nothing.
export function showOutcome(place, counts, rest, run, last, actions) {
  const {reply} = run, {kind, title, text} = headline(reply),
        before = last && !last.reply.error && related(run, last) ? last : null;
  const brief = Boolean(reply.record?.findings?.length);
  const parts = [];
  place.className = `verdict ${kind}`;
  place.replaceChildren(element('strong', title), ` ${text}${run.meant ? ` Did you mean ${run.meant}?` : ''}`);
  counts.replaceChildren(...(reply.error ? [] : numbers(run, before)));
  if (run.explored) parts.push(element('p', exploredSentence(run.explored)));
  if (!reply.error) {
    if (balance(reply)) parts.push(element('p', balance(reply), {class: 'note'}));
    if (before) {
      const list = differencesOf(run, before);
      parts.push(element(
          'p', list.length > 0 ? `Different: ${list.join('; ')}.` : 'Both runs were asked the same.', {class: 'note'}));
    }
  }
  if (reply.findings.length > 0) {
    parts.push(element('h3', reply.findings.length === 1 ? 'A finding' : `${reply.findings.length} findings`));
    const items = reply.findings.map((finding, i) => findingItem(finding, i, brief, actions));
    parts.push(element('ul', '', {class: 'findings'}, ...items));
    if (reply.text && !brief) {
      const text = element('pre', reply.text, {tabindex: '0'});
      parts.push(element('details', '', {}, element('summary', 'as the terminal prints it'), text));
    }
  } else if (!reply.error) {
    parts.push(element(
        'p', run.checks ? 'No rule was broken under this schedule.' : 'The rules were not checked.', {class: 'note'}));
  }
  if (typeof reply.seconds === 'number')
    parts.push(element('p', `The simulation took ${reply.seconds.toFixed(2)} s.`, {class: 'note'}));
  rest.replaceChildren(...parts);
}
