// What differs from the course's own text: the lines that are gone and those that came, between lines that both have.
import {element} from '../../../clcsim/player/page/element.js';

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

const kinds = {
  '+': 'come',
  '\u2212': 'gone',
  ' ': 'both'
};

/// Fills `place`. actions: goTo(line), putBack(hunk); without the latter the hunks have no button.
export function showHunks(place, list, actions) {
  place.replaceChildren(...list.map((hunk) => {
    const box = element('div', '', {class: 'hunk'}), text = element('div', '', {class: 'rows', tabindex: '0'});
    for (const [sign, line, number] of hunk.rows) {
      const row = element('div', '', {class: `row ${kinds[sign]}`});
      row.append(
          element('span', number < 0 ? '' : String(number + 1), {class: 'number'}),
          element('span', sign, {class: 'sign'}), element('code', line));
      text.append(row);
    }
    box.append(text);
    if (actions.putBack) {
      const bar = element('div', '', {class: 'bar'}), line = hunk.from + 1;
      const go = element('button', `line ${line}`, {type: 'button', class: 'link'});
      go.addEventListener('click', () => actions.goTo(hunk.from));
      const back = element('button', 'As it was', {type: 'button', 'aria-label': `line ${line} as it was`});
      back.addEventListener('click', () => actions.putBack(hunk));
      bar.append(go, back);
      box.prepend(bar);
    }
    return box;
  }));
}
