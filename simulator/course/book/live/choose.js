// An exercise whose answer is chosen: the kernel once, as code, and at each place that has alternatives a list of them,
// in which each shows only the lines and marks only the words by which it differs from what stands in the code.
import {breakable, element} from '../../../clcsim/player/page/element.js';
import {difference} from '../../playground/page/kernel.js';

import {composed, numberOf} from './switches.mjs';

const linesOf = (text) => text.trimEnd().split('\n').filter((line, i, all) => line !== '' || all.length > 1);
const rowsOf = (text) => linesOf(text).map((line) => {
  const row = clcPlayer.coloured(line);
  row.append('\n');
  return row;
});

// A line with the words marked that the line `was` hasn't; without one, all of them.
function markedLine(was, now) {
  const [a, b] = [was ?? '', now].map((text) => text.match(/\w+|\s+|./gs) ?? []), parts = [];
  let at = 0, shift = 0;
  for (const [index, gone, come] of difference(a, b)) {
    const [, space, words] = /^(\s*)([^]*)$/.exec(come.join(''));
    parts.push(...breakable(b.slice(at, index + shift).join('')), space);
    if (words) parts.push(element('mark', '', {}, ...breakable(words)));
    at = index + shift + come.length;
    shift += come.length - gone;
  }
  return element('code', '', {}, ...parts, ...breakable(b.slice(at).join('')), '\n');
}

// Lines with the words marked by which they differ from those that stand in the code.
function marked(was, now) {
  const rows = now.map((line) => markedLine(line, line));
  let shift = 0;
  for (const [index, gone, come] of difference(was, now)) {
    come.forEach((line, i) => {
      rows[index + shift + i] = markedLine(i < gone ? was[index + i] : undefined, line);
    });
    shift += come.length - gone;
  }
  return rows;
}

// What the compiler sees of a text.
const codeOf = (text) => text.replace(/\/\/.*/g, '').replace(/\s+/g, '');

class Place {
  /// fill: nothing stands there at first. The reader writes in the code; what isn't one of the alternatives doesn't
  /// run.
  constructor(alternatives, first, number, changed, fill) {
    const all = alternatives.map(linesOf);
    // What all of them have is no difference.
    this.own = all.map((lines) => lines.filter((line) => !all.every((each) => each.includes(line))));
    this.texts = alternatives;
    this.rows = element('span', '', {
      class: 'live-chosen',
      contenteditable: 'plaintext-only',
      spellcheck: 'false',
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': `place ${number}: write what has to stand here`
    });
    this.says = element('p', '', {class: 'live-write', role: 'status'});
    this.options = alternatives.map((_, i) => {
      const field = element('input', '', {type: 'radio', name: `p${number}`, value: i});
      field.checked = !fill && i === first;
      field.addEventListener('change', () => {
        this.show(i);
        changed();
      });
      const code = element('span');
      return {field, label: element('label', '', {}, field, code), code};
    });
    const known = () => alternatives.findIndex((each) => codeOf(each) === codeOf(this.rows.textContent));
    this.rows.addEventListener('input', () => {
      this.options.forEach(({field}, i) => field.checked = i === known());
      this.says.textContent = known() >= 0 ? 'This is one of the choices.' :
                                             'This page runs its choices alone: choose what comes nearest to it.';
      changed();
    });
    this.rows.addEventListener('blur', () => known() >= 0 && this.rows.textContent && this.show(known()));
    const summary = element('summary', `Place ${number}: ${alternatives.length} to choose from`);
    const list = element('fieldset', '', {}, element('legend', `place ${number}`));
    list.append(...this.options.map(({label}) => label));
    this.box = element('details', '', {class: 'live-choice'}, summary, list);
    this.show(first);
    if (fill) this.rows.replaceChildren();
  }

  show(chosen) {
    this.says.textContent = '';
    this.rows.replaceChildren(...rowsOf(this.texts[chosen]));
    const all = this.own.map((lines) => {
      const indent = Math.min(...lines.map((line) => /^ */.exec(line)[0].length));
      return lines.map((line) => line.slice(indent).replace(/^ {8,}/, '    '));
    });
    this.options.forEach(({code}, i) => {
      code.replaceChildren(...(all[i].length > 0 ? marked(all[chosen], all[i]) : [element('em', 'nothing more')]));
    });
  }
}

/// Shows a line of the file as it is chosen now. The style numbers the same lines.
export function showLine(form, number) {
  const line = form.querySelectorAll('.live-kernel > code, .live-chosen > code')[number - 1];
  if (!line) return;
  line.tabIndex = -1;
  line.focus({preventScroll: true});
  line.scrollIntoView({block: 'center'});
}

/// Fills the form; changed(): another line is chosen. Returns a function that gives the request; null: nothing is
/// chosen yet.
export function choose(form, {parts, first, ...request}, changed) {
  const code = element('div', '', {class: 'live-kernel', tabindex: '0', 'aria-label': 'the kernel'});
  const fill = /Fill in/.test(parts[0].split('\n')[0]);
  const all = [];
  for (const part of parts) {
    if (!Array.isArray(part)) {
      code.append(...(part ? rowsOf(part) : []));
      continue;
    }
    const place = new Place(part, first[all.length], all.length + 1, changed, fill);
    all.push(place);
    code.append(place.rows, place.says, place.box);
  }
  form.append(code);
  return () => {
    const fields = all.map((_, i) => form.elements[`p${i + 1}`].value), open = fields.indexOf('');
    if (open >= 0) {
      all[open].box.open = true;
      return null;
    }
    const picks = fields.map(Number);
    return {
      ...request,
      choice: `c${numberOf(parts, picks)}`,
      sources: {[request.exercise.file]: composed(parts, picks)}
    };
  };
}
