// The quizzes of the book in Chromium, on pages made of what stage.py writes: numbers are compared, other answers are
// judged by the reader, and points stay.
//   SOURCE=. BUILD=build CHROMIUM=chromium node quiz.test.mjs
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';

import {closeSite, openSite, silent, until, value} from './live_site.mjs';

const {SOURCE} = process.env;
const folder = mkdtempSync(join(tmpdir(), 'clc-quiz-')), site = join(folder, 'site');
const quizzes = ['03_clc_basic/quiz', '06_for_each_canceled_block/quiz', 'common/FINAL_QUIZ'];
const pageOf = (quiz) => join(site, `${quiz}.html`);

// As Sphinx has it, as far as the scripts look: the heading, bold numbers, and the details as they are.
const html = (text) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>quiz</title>
<style>body { margin: 0 auto; max-width: 800px; } pre { overflow: auto; }</style><section>${
    text.replace(/^# (.*)$/m, '<h1>$1</h1>')
        .replace(/^\*\*(\d+\.)\*\*/gm, '<p><strong>$1</strong>')
        .replace(/^```sh\n(.*?)```/gms, '<pre>$1</pre>')}</section>
<script src="../live/live.js" defer></script></html>`;

let browser;
before(async () => {
  execFileSync('python3', [
    join(SOURCE, 'simulator/course/book/stage.py'), join(folder, 'staged'), '03_clc_basic', '06_for_each_canceled_block'
  ]);
  for (const quiz of quizzes) {
    mkdirSync(dirname(pageOf(quiz)), {recursive: true});
    writeFileSync(pageOf(quiz), html(readFileSync(join(folder, `staged/pages/${quiz}.md`), 'utf8')));
  }
  browser = await openSite(site);
});
after(() => closeSite(folder));

async function open(quiz, options) {
  await browser.load(pageOf(quiz), options);
  await until('document.querySelector(".live-quiz") !== null');
}
const form = (number) => `document.querySelectorAll('.live-quiz')[${number - 1}]`;
const unfolded = (number) => value(`${form(number)}.querySelector('details').open`);
const isAsked = (number) => value(`!${form(number)}.querySelector('fieldset').hidden`);
const written = (number) => value(`${form(number)}.querySelector('input, textarea').value`);
const said = (number) => value(`${form(number)}.querySelector('[role=status]').textContent`);
const points = () => value('document.querySelector("h1 + .live-bar [role=status]").textContent');
async function write(number, text) {
  await value(
      `(() => { const field = ${form(number)}.querySelector('input, textarea'); field.focus(); field.select(); })()`);
  await browser.send('Input.insertText', {text});
}
const check = (number) => value(`${form(number)}.querySelector('button').click()`);
async function judge(number, i) {
  await until(`!${form(number)}.querySelector('fieldset').hidden`);
  await value(`${form(number)}.querySelectorAll('[type=radio]')[${i}].click()`);
}

test('a number is compared, and a wrong one unfolds nothing', async () => {
  await open(quizzes[1]);
  assert.equal(await points(), '0 of 12 points');
  const numbers = await value(
      '[...document.querySelectorAll(".live-quiz")].flatMap((each, i) => each.querySelector("textarea") ? [] : i + 1)');
  assert.deepEqual(numbers, [3, 6]);
  await check(3);
  assert.equal(await said(3), '', 'an empty field is no answer');
  for (const wrong of ['16', 'four', '4 or 16', '-4', '0.4']) {
    await write(3, wrong);
    await check(3);
    assert.match(await said(3), /^Not so/, wrong);
    assert.equal(await unfolded(3), false, wrong);
  }
  await write(6, '293');
  await browser.key('Tab');
  assert.equal(await said(6), '', 'it is not checked yet');
  assert.match(await said(3), /^Not so/, 'another question has changed this one');
  assert.equal(await points(), '0 of 12 points');
  await write(3, '4 prologues');
  await browser.key('Enter');
  assert.equal(await said(3), 'Right.');
  assert.equal(await unfolded(3), true);
  assert.equal(await isAsked(3), false);
  assert.equal(await points(), '1 of 12 points');
  await write(3, '5');
  await browser.key('Tab');  // another answer has no point before it is checked
  assert.equal(await points(), '0 of 12 points');
  silent();
});

test('the reader judges the others, and what is counted stays until the reader begins again', async () => {
  await open(quizzes[2]);
  assert.equal(await isAsked(1), false);
  await write(1, 'Blackwell');
  await check(1);
  assert.equal(await unfolded(1), true);
  assert.equal(await points(), '0 of 16 points');
  await judge(1, 0);
  await value(`${form(2)}.querySelector('summary').click()`);  // unfolded without an answer
  await judge(2, 1);
  assert.equal(await points(), '1\u00BD of 16 points');
  await check(5);
  await judge(5, 2);
  await open(quizzes[0]);
  assert.equal(await points(), '0 of 12 points');
  await open(quizzes[2]);
  assert.equal(await points(), '1\u00BD of 16 points');
  assert.equal(await written(1), 'Blackwell');
  assert.deepEqual(
      await value(
          '[...document.querySelectorAll(".live-quiz")]' +
          '.flatMap((each) => each.querySelector(":checked")?.value ?? [])'),
      ['1', '0.5', '0']);
  assert.equal(await unfolded(1), false);
  await value('document.querySelector("h1 + .live-bar button").click()');
  assert.equal(await points(), '0 of 16 points');
  assert.equal(await written(1), '');
  assert.equal(await isAsked(1), false);
  await open(quizzes[2]);
  assert.equal(await points(), '0 of 16 points');
  silent();
});

test('every field has a name, and nothing sticks out', async () => {
  for (const quiz of quizzes) {
    for (const width of [400, 800, 1600]) {
      await open(quiz, {width});
      const {named, asked, wide} = await value(`({
        named: [...document.querySelectorAll('.live-quiz :is(input, textarea)')]
          .every((each) => each.labels.length === 1),
        asked: new Set([...document.querySelectorAll('.live-quiz > label, legend')]
          .map((each) => each.textContent)).size,
        wide: document.documentElement.scrollWidth - innerWidth})`);
      assert.ok(named);
      assert.equal(asked, 2 * await value('document.querySelectorAll(".live-quiz").length'), 'two have the same name');
      assert.ok(wide <= 0, `${quiz}, ${width}`);
    }
  }
  silent();
});
