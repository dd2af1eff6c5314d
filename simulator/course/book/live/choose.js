// An exercise whose answer is chosen: the task's own file, with alternatives where lines are switched or ordered.
import {element} from '../../playground/page/dom.js';

import {composed, numberOf} from './switches.mjs';

const nothing = '(nothing)';

function slot(alternatives, first, name) {
  const labels = alternatives.map((text, i) => {
    const field = element('input', '', {type: 'radio', name, value: i});
    field.checked = i === first;
    return element('label', '', {}, field, element('code', text.trimEnd() || nothing));
  });
  return element('fieldset', '', {}, element('legend', `place ${name.slice(1)}`), ...labels);
}

/// Fills the form; returns a function that gives the request.
export function choose(form, {parts, first, ...request}) {
  const code = element('div', '', {class: 'live-choices'});
  let slots = 0;
  for (const part of parts) {
    if (Array.isArray(part))
      code.append(slot(part, first[slots], `p${++slots}`));
    else if (part)
      code.append(element('pre', part.trimEnd(), {class: 'live-code live-file'}));
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
