// An exercise whose answer is chosen: the task's own file, with alternatives where lines are switched or ordered.
import {element} from '../../../clcsim/player/page/element.js';

import {linesOf} from './lines.js';
import {composed, numberOf} from './switches.mjs';

const nothing = '(nothing)';

function slot(alternatives, first, name) {
  const labels = alternatives.map((text, i) => {
    const field = element('input', '', {type: 'radio', name, value: i});
    field.checked = i === first;
    const code = text ? element('code', '', {}, ...linesOf([text.trimEnd()])) : element('code', nothing);
    return element('label', '', {}, field, code);
  });
  return element('fieldset', '', {}, element('legend', `place ${name.slice(1)}`), ...labels);
}

/// Shows a line of the file as it is chosen now. The style numbers the same lines.
export function showLine(form, number) {
  const line = form.querySelectorAll('.live-file > span, label:has(:checked) code > span')[number - 1];
  if (!line) return;
  line.tabIndex = -1;
  line.focus({preventScroll: true});
  line.scrollIntoView({block: 'center'});
}

/// Fills the form; returns a function that gives the request.
export function choose(form, {parts, first, ...request}) {
  const code = element('div', '', {class: 'live-choices'});
  let slots = 0;
  for (const part of parts) {
    if (Array.isArray(part))
      code.append(slot(part, first[slots], `p${++slots}`));
    else if (part)
      code.append(element('pre', '', {class: 'live-code live-file'}, ...linesOf([part.trimEnd()])));
  }
  form.append(code);
  return () => {
    const picks = first.map((_, i) => Number(form.elements[`p${i + 1}`].value));
    return {
      ...request,
      choice: `c${numberOf(parts, picks)}`,
      sources: {[request.exercise.file]: composed(parts, picks)}
    };
  };
}
