// What differs from the course's own text: the lines that are gone and those that came, between lines that both have.
import {element, linkButton} from '../../../clcsim/player/page/element.js';

const kAround = 2;

/// Each edit: {at, gone, come, from, rows: [[sign, text, line of the new text or -1], ...]}. `at` counts the old lines,
/// `from` the new ones.
export function hunks(was, edits) {
  let shift = 0;
  return edits.map(([at, gone, come], i) => {
    const from = at + shift, before = i > 0 ? edits[i - 1][0] + edits[i - 1][1] : 0,
          after = edits[i + 1]?.[0] ?? was.length;
    const rows = [];
    for (let k = Math.max(before, at - kAround); k < at; k++) rows.push([' ', was[k], k + shift]);
    for (let k = at; k < at + gone; k++) rows.push(['\u2212', was[k], -1]);
    come.forEach((text, k) => rows.push(['+', text, from + k]));
    shift += come.length - gone;
    for (let k = at + gone; k < Math.min(after, at + gone + kAround); k++) rows.push([' ', was[k], k + shift]);
    return {at, gone, come, from, rows};
  });
}

/// The lines `now` with one of the hunks as it was.
export function putBack(was, now, {at, gone, come, from}) {
  return [...now.slice(0, from), ...was.slice(at, at + gone), ...now.slice(from + come.length)];
}

const kinds = new Map([['+', 'come'], ['\u2212', 'gone'], [' ', 'both']]);

/// Fills `place`. actions: goTo(line), putBack(hunk); without the latter the hunks have no button.
export function showHunks(place, list, actions) {
  place.replaceChildren(...list.map((hunk) => {
    const rows = hunk.rows.map(
        ([sign, line, number]) => element(
            'div', '', {class: `row ${kinds.get(sign)}`},
            element('span', number < 0 ? '' : String(number + 1), {class: 'number'}),
            element('span', sign, {class: 'sign'}), element('code', line)));
    const box = element('div', '', {class: 'hunk'}, element('div', '', {class: 'rows', tabindex: '0'}, ...rows));
    if (actions.putBack) {
      const line = hunk.from + 1, onclick = () => actions.putBack(hunk);
      const go = linkButton(`line ${line}`, () => actions.goTo(hunk.from));
      const back = element('button', 'As it was', {type: 'button', 'aria-label': `line ${line} as it was`, onclick});
      box.prepend(element('div', '', {class: 'bar'}, go, back));
    }
    return box;
  }));
}
