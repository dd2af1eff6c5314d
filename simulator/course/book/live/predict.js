// An exercise whose answer is a few values: the task's own file, with a field in place of each, and in place of what
// stands between <<< and >>> where that is to be repaired.
import {element} from '../../../clcsim/player/page/element.js';

const kValue = /^(constexpr (long long|bool|char) (\w+)(?:\s*=\s*|\{))([^;{}]*)(\}?;[ ]*(?:\/\/ ?(.*))?)$/gm;

function fieldFor(kind, name, meaning) {
  const label = meaning ? `${name}: ${meaning}` : name;
  if (kind !== 'bool') return element('input', '', {type: 'number', name, required: '', 'aria-label': label});
  const options = ['', 'true', 'false'].map((value) => element('option', value, {value}));
  return element('select', '', {name, required: '', 'aria-label': label}, ...options);
}

/// Fills the form; returns a function that gives the request.
export function predict(form, {task, order, between, ...request}) {
  const code = element('pre', '', {class: 'live-code live-file'});
  const fields = (between.match(/\w+/g) ?? []).map((value, i) => {
    const title = 'blocks, threads or a number', label = `number ${i + 1} between <<< and >>>`;
    const pattern = 'blocks|threads|[0-9]+';
    return element('input', '', {name: `between${i}`, value, pattern, title, required: '', 'aria-label': label});
  });
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
  const [rest, after] = between ? task.slice(at).split(between) : [task.slice(at), ''];
  code.append(rest, ...(between ? ['<<<', fields[0], ', ', fields[1], '>>>'] : []), after);
  form.append(code);
  const value = (name) => {
    const {value} = form.elements[name];
    return value === 'true' ? 1 : Number(value);
  };
  const word = ({value}) => /\d/.test(value) ? Number(value) : value;
  return () => ({...request, yours: order.map(value), between: fields.map(word)});
}
