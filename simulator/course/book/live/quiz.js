// Below each question of a quiz: a field for the reader's answer. A number is compared with the one that stage.py has
// found in the page of answers; any other answer the reader compares with the one that unfolds. Each question is worth
// one point. Answers and points stay in the browser's storage.
import {element} from '../../../clcsim/player/page/element.js';

import {keep} from './progress.js';

const kPoints = [[1, 'yes'], [.5, 'in part (half a point)'], [0, 'no']];
const quizzes = keep('clc-book-quizzes', {}, (all) => all !== null && typeof all === 'object');

/// Whether a text names this number and no other: "4", "4 prologues", "1,024".
const names = (text, number) => {
  const all = text.replace(/,(?=\d{3})/g, '').match(/[-.\d]*\d/g) ?? [];
  return all.length === 1 && Number(all[0]) === number;
};

/// The form around an answer of the page; `get` and `set` are its state: {text, points}, both undefined at first.
function askAround(answer, number, {get, set}) {
  const expected = answer.dataset.number && Number(answer.dataset.number);
  const field = expected === undefined ? element('textarea', '', {rows: '2'}) :
                                         element('input', '', {type: 'text', inputmode: 'numeric', required: ''});
  field.autocomplete = 'off';
  const settle = (points) => set({text: field.value, points});
  field.addEventListener('change', () => {
    if (field.value !== get().text) settle(expected === undefined ? get().points : undefined);
  });
  const said = element('span', '', {role: 'status'});
  const boxes = kPoints.map(
      ([points]) =>
          element('input', '', {type: 'radio', name: 'points', value: points, onchange: () => settle(points)}));
  const labels = kPoints.map(([, words], i) => element('label', '', {}, boxes[i], words));
  const judged = element('fieldset', '', {}, element('legend', `Did you have that? (question ${number})`), ...labels);
  const form = element('form', '', {class: 'live-quiz'});
  answer.before(form);
  form.append(
      element('label', '', {}, `Your answer to question ${number}`, field),
      element('div', '', {class: 'live-bar'}, element('button', 'Check', {type: 'submit'}), said), answer, judged);

  const show = () => {
    const {text = '', points} = get();
    if (field !== document.activeElement) field.value = text;
    judged.hidden = expected !== undefined || !(answer.open || points !== undefined);
    boxes.forEach((box, i) => box.checked = kPoints[i][0] === points);
    if (expected !== undefined) said.textContent = ['Not so. Try again, or unfold the answer.', 'Right.'][points] ?? '';
  };
  answer.addEventListener('toggle', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    settle(expected === undefined ? get().points : Number(names(field.value, expected)));
    if (expected === undefined || get().points === 1) answer.open = true;
  });
  quizzes.listen(show);
}

const written = (points) => `${points}`.replace(/^0(?=.)/, '').replace('.5', '\u00BD');

export function offerQuiz() {
  const answers = [...document.querySelectorAll('details.quiz-answer')];
  if (answers.length === 0) return;
  const page = location.pathname.slice(new URL('..', clcBook.at).pathname.length);
  const read = () => quizzes.read()[page] ?? {}, write = (all) => quizzes.write({...quizzes.read(), [page]: all});
  for (const answer of answers) {
    const number = parseInt(answer.querySelector('strong').textContent);
    askAround(answer, number, {get: () => read()[number] ?? {}, set: (state) => write({...read(), [number]: state})});
  }
  const count = element('span', '', {role: 'status'});
  const again = element('button', 'Begin again', {
    type: 'button',
    onclick: () => {
      for (const answer of answers) answer.open = false;
      write({});
    }
  });
  document.querySelector('h1').after(element('div', '', {class: 'live-bar'}, count, again));
  quizzes.listen(() => {
    const points = Object.values(read()).reduce((sum, each) => sum + (each.points ?? 0), 0);
    count.textContent = `${written(points)} of ${answers.length} points`;
    again.disabled = Object.keys(read()).length === 0;
  });
}
