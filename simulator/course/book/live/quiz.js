// Below each question of a quiz a field for the reader's answer, and in the answer whether the reader had it. Each
// question is worth one point; points and answers stay in the browser's storage.
import {element} from '../../../clcsim/player/page/element.js';

import {keep} from './progress.js';

const kPoints = [[1, 'yes'], [.5, 'in part (half a point)'], [0, 'no']];
const quizzes = keep('clc-book-points', {}, (all) => all !== null && typeof all === 'object');

export function offerQuiz() {
  const answers = [...document.querySelectorAll('details.quiz-answer')];
  if (answers.length === 0) return;
  const page = location.pathname.slice(new URL('..', clcBook.at).pathname.length);
  const read = () => quizzes.read()[page] ?? {}, write = (all) => quizzes.write({...quizzes.read(), [page]: all});
  answers.forEach((answer, i) => {
    const labels = kPoints.map(([points, words]) => {
      const onchange = () => write({...read(), [i]: points});
      const box = element('input', '', {type: 'radio', name: `points-${i}`, value: points, onchange});
      quizzes.listen(() => box.checked = read()[i] === points);
      return element('label', '', {}, box, words);
    });
    const name = `answer ${i}`, oninput = () => write({...read(), [name]: field.value});
    const field = element(
        'textarea', '',
        {rows: 2, 'aria-label': `Your answer to question ${i + 1}`, placeholder: 'Your answer', oninput});
    quizzes.listen(() => field.value = read()[name] ?? '');
    answer.before(field);
    const legend = element('legend', `Did you have that? (question ${i + 1})`);
    answer.append(element('fieldset', '', {class: 'live-quiz'}, legend, ...labels));
  });
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
    const all = Object.values(read()).filter((each) => typeof each === 'number');
    count.textContent = `${all.reduce((sum, each) => sum + each, 0)} of ${answers.length} points`;
    again.disabled = Object.keys(read()).length === 0;
  });
}
