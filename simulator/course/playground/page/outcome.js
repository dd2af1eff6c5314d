// The result of a run: verdict, numbers beside those of the run before, findings.
import {element, linkButton} from '../../../clcsim/player/page/element.js';

import {balance, comparisonRows, headline, related} from './results.js';

// What was counted, what matters most in large; with it how much it differs from the run before.
function numbers(run, before) {
  return comparisonRows(run.reply, before?.reply).map(([name, now, was, change]) => {
    const isMain = ['started', 'stolen', 'cycles'].includes(name);
    const row = element('div', '', {class: isMain ? 'main' : ''}, element('dt', name), element('dd', now));
    if (change && change !== 'same')
      row.append(element('dd', isMain ? `was ${was}, ${change}` : `(${change})`, {class: 'note'}));
    return row;
  });
}

// The player tells the rest.
function findingItem(finding, {showFinding, openPitfall}) {
  const title = `${finding.name ? `[${finding.name}] ` : ''}${finding.what}`;
  const go = linkButton(title, () => showFinding(finding), {class: 'link finding'});
  const where = [
    finding.file ? `${finding.file}:${finding.line}` : '', finding.block ? `block (${finding.block})` : '',
    finding.thread ? `thread (${finding.thread})` : '', finding.count > 1 ? `${finding.count} times` : ''
  ].filter(Boolean).join(', ');
  const item = element('li', '', {}, go, element('p', where, {class: 'note'}));
  for (const name of finding.pitfall?.split(' or ') ?? []) {
    const link = linkButton(`the pitfall ${name}`, () => openPitfall(name));
    item.append(element('p', 'more: ', {class: 'note'}, link));
  }
  return item;
}

/// The verdict, the numbers and the rest into places of their own. actions: showFinding(finding), openPitfall(name).
export function showOutcome(place, counts, rest, run, last, actions) {
  const {reply} = run, {error, findings} = reply, {kind, title, text} = headline(reply);
  const before = last && !last.reply.error && related(run, last) ? last : null;
  place.className = `verdict ${kind}`;
  place.replaceChildren(element('strong', title), ` ${text}`);
  counts.replaceChildren(...(error ? [] : numbers(run, before)));
  const notes = error ? [] : [
    balance(reply),
    !run.checks             ? 'The rules were not checked.' :
        findings.length > 0 ? '' :
                              'No rule was broken under this schedule.'
  ];
  const parts = notes.filter(Boolean).map((each) => element('p', each, {class: 'note'}));
  if (findings.length > 0) {
    parts.push(
        element('h3', findings.length === 1 ? 'A finding' : `${findings.length} findings`),
        element('ul', '', {class: 'findings'}, ...findings.map((each) => findingItem(each, actions))));
  }
  rest.replaceChildren(...parts);
}
