// An exercise whose answer is a few values: the task's own file, with a field in place of each.
import {element} from '../../../clcsim/player/page/element.js';

const kValue = /^(constexpr (long long|bool|char) (\w+)(?:\s*=\s*|\{))([^;{}]*)(\}?;[ ]*(?:\/\/ ?(.*))?)$/gm;

function fieldFor(kind, name, meaning) {
  const label = meaning ? `${name}: ${meaning}` : name;
  if (kind !== 'bool') return element('input', '', {type: 'number', name, required: '', 'aria-label': label});
  const options = ['', 'true', 'false'].map((value) => element('option', value, {value}));
  return element('select', '', {name, required: '', 'aria-label': label}, ...options);
}

/// Fills the form; returns a function that gives the request.
export function predict(form, {task, order, ...request}) {
  const code = element('pre', '', {class: 'live-code live-file'});
  let at = 0;
  for (const match of task.matchAll(kValue)) {
    const [whole, before, kind, name, , after, meaning] = match;
    code.append(task.slice(at, match.index));
    at = match.index + whole.length;
    if (name === 'kReady')
      at += task.slice(at).match(/^\n*/)[0].length;  // the button says it
    else
      code.append(before, fieldFor(kind, name, meaning), after);
  }
  code.append(task.slice(at));
  form.append(code);
  const value = (name) => {
    const {value} = form.elements[name];
    return value === 'true' ? 1 : Number(value);
  };
  return () => ({...request, yours: order.map(value)});
}
