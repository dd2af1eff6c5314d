// The quizzes of the book in Chromium: the reader judges, and points stay.
//   BOOK=build/book BUILD=build CHROMIUM=chromium node quiz.test.mjs
import assert from 'node:assert/strict';
import {after, test} from 'node:test';

import {closeSite, openBook, silent, until, url, value} from './live_site.mjs';

const browser = await openBook();
after(() => closeSite());

let opened = false;
async function open(quiz) {
  await browser.load(url(quiz), {kept: opened});
  opened = true;
  await until('document.querySelector(".live-quiz") !== null');
}
const points = () => value('document.querySelector("h1 + .live-bar [role=status]").textContent');
const judged = () => value('[...document.querySelectorAll(".live-quiz :checked")].map((each) => each.value)');
const judge = (question, i) =>
    value(`(() => { const answer = document.querySelectorAll('.quiz-answer')[${question - 1}];
  answer.open = true; answer.querySelectorAll('[type=radio]')[${i}].click(); })()`);

test('the reader judges, and what is counted stays until the reader begins again', async () => {
  await open('common/FINAL_QUIZ.html');
  assert.equal(await points(), '0 of 16 points');
  assert.equal(await value('document.querySelector(".live-quiz").checkVisibility()'), false, 'below the answer alone');
  await value('document.querySelector("textarea").focus()');
  await browser.send('Input.insertText', {text: 'Blackwell'});
  assert.equal(await points(), '0 of 16 points', 'what is written is not judged');
  await judge(1, 0);
  await judge(2, 1);
  await judge(5, 2);
  assert.equal(await points(), '1.5 of 16 points');
  await open('03_clc_basic/quiz.html');
  assert.equal(await points(), '0 of 12 points');
  await open('common/FINAL_QUIZ.html');
  assert.equal(await points(), '1.5 of 16 points');
  assert.deepEqual(await judged(), ['1', '0.5', '0']);
  assert.equal(await value('document.querySelector("textarea").value'), 'Blackwell');
  assert.match(
      await value('[...document.querySelectorAll("h1 ~ p")].map((each) => each.textContent).join(" ")'),
      /answers are folded below each question/);
  assert.equal(
      await value('new Set([...document.querySelectorAll(".live-quiz legend")].map((each) => each.textContent)).size'),
      16);
  await value('document.querySelector("h1 + .live-bar button").click()');
  await open('common/FINAL_QUIZ.html');
  assert.equal(await points(), '0 of 16 points');
  assert.deepEqual(await judged(), []);
  silent();
});
