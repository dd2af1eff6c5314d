// In each answer of a quiz: whether the reader had it. Each question is worth one point, and the points stay in the
// browser's storage.
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
    const all = Object.values(read());
    count.textContent = `${all.reduce((sum, each) => sum + each, 0)} of ${answers.length} points`;
    again.disabled = all.length === 0;
  });
}
