// The exercises that are done in the book's pages, in Chromium: the right values pass, each wrong answer of
// the .edits gets its verdict and a hint, and what is done stays.
//   BOOK=build/book SOURCE=. BUILD=build CHROMIUM=chromium node exercises.test.mjs
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {composed, countOf, picksOf} from '../../course/book/live/switches.mjs';

import {closeSite, openBook, silent, until, url, value, withoutEngine as skip} from './live_site.mjs';

const {BOOK, SOURCE, BUILD} = process.env, browser = await openBook();
after(() => closeSite());

const kPtx = join(BUILD, 'simulator/course/book/exercises');
const exercises = readFileSync(join(BUILD, 'exercises/list.txt'), 'utf8').trim().split('\n').map((line) => {
  const [id, file] = line.split(' '), folder = file.replace(/\/[^/]*$/, '');
  return {id, number: id.replace('_', '.'), folder, chapter: folder.replace(/\/.*/, '')};
});
const text = ({folder}, name) => readFileSync(join(SOURCE, folder, name), 'utf8');
const pageOf = (chapter) => url(`${chapter}/exercises/index.html`);

const task = (number) =>
    `[...document.querySelectorAll('h2')].find((each) => each.textContent.startsWith('${number} ')).parentElement`;
const kBusy = '[...document.querySelectorAll(".live-run")].some((each) => each.disabled)';

async function open({number, chapter}, kept) {
  await browser.load(pageOf(chapter), {kept});
  await until(`${task(number)}.querySelector('.live-task') !== null`);
  await value(`${task(number)}.querySelector('details').open = true`);
  await until(`${task(number)}.querySelector('.live-run') !== null`);
}
async function check({number}) {
  await value(`${task(number)}.querySelector('.live-run').click()`);
  await until(`!(${kBusy})`);
  assert.doesNotMatch(await value(`${task(number)}.querySelector('.live-check').textContent`), /can\u2019t run/);
  return value(`${task(number)}.querySelector('.live-output')?.textContent ?? ''`);
}

// The values of a file, by name: some are computed of others.
function valuesOf(file) {
  const values = {};
  for (const [, name, expression] of file.matchAll(/^constexpr [a-z ]+ (k\w+)(?:\s*=\s*|\{)([^;{}]*)\}?;/gm))
    values[name] = Function(...Object.keys(values), `return ${expression}`)(...Object.values(values));
  for (const [name, each] of Object.entries(values))
    if (typeof each === 'number') values[name] = Math.trunc(each);  // as C++ divides
  delete values.kReady;
  const constants = Object.fromEntries([...file.matchAll(/const int (\w+) = (\d+);/g)].map(([, ...each]) => each));
  const between = /<<<(\w+), (\w+)>>>/.exec(file)?.slice(1) ?? [];
  between.forEach((word, i) => values[`between${i}`] = constants[word] ?? word);
  return values;
}

// The variants of an exercise, as apply_edits applies them; here each edit replaces lines of the solution.
const editsOf = ({id}) => `simulator/course/exercises/answers/${id}.edits`;
function answersOf(exercise) {
  const folder = mkdtempSync(join(tmpdir(), 'clc-answers-'));
  execFileSync(
      join(BUILD, 'simulator/tests/edits/apply_edits'),
      [join(SOURCE, exercise.folder, 'solution.cu'), join(SOURCE, editsOf(exercise)), folder]);
  const expected = Object.fromEntries([
    ...readFileSync(join(SOURCE, editsOf(exercise)), 'utf8').matchAll(/^== ([^:]*): (.*)$/gm)
  ].map(([, name, words]) => [name, words]));
  const answers = readdirSync(folder).map(
      (name) => ({name, expected: expected[name.replace('.cu', '')], file: readFileSync(join(folder, name), 'utf8')}));
  rmSync(folder, {recursive: true});
  return answers;
}

const inPages = exercises.filter(({id}) => !skip && existsSync(join(kPtx, `${id}.ptx`)));
const isChosen = ({id}) => existsSync(join(kPtx, `${id}.json`));
// Whether it is what the .edits expects: a pattern of the shell.
const isExpected = (said, expected) => {
  const pattern = expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
                      .replace(/@\\\((.*?)\\\)/g, (_, each) => `(?:${each.replaceAll('\\|', '|')})`)
                      .replace(/\\\*/g, '.*');
  return new RegExp(`^exercise \\S+ \\S+task\\.cu: ${pattern}$`, 'm').test(said);
};
const predictions = inPages.filter((each) => !isChosen(each));
for (const exercise of predictions) {
  const fill = (values) => value(`(() => {
    const form = ${task(exercise.number)}.querySelector('form');
    for (const [name, each] of Object.entries(${
      JSON.stringify(values)})) (form.elements[name] ?? {}).value = String(each);
  })()`);
  test(`${exercise.number}: the right values pass, each wrong answer gets its verdict and a hint`, async () => {
    await open(exercise);
    assert.equal(
        await value('document.querySelector("script[src$=\'engine.js\']")'), null, 'the engine is loaded too early');
    assert.match(await check(exercise), /^$/, 'an empty field is no answer');
    const answers = answersOf(exercise).filter(({file}) => !file.includes('dim3 grid'));  // a field takes a number
    for (const {name, expected, file} of answers) {
      await fill(valuesOf(file));
      const said = await check(exercise);
      assert.ok(isExpected(said, expected), `${name}: ${expected}, not\n${said}`);
      if (!/PASS/.test(expected)) assert.match(said, /\n  hint \d of /, name);
    }
    await value(`${task(exercise.number)}.querySelector('.live-done input').click()`);  // not done, for the next test
    silent();
  });
}

// What the compiler sees of a file.
const code = (file) => file.replace(/\s*\/\/.*/g, '')
                           .split('\n')
                           .filter((line) => line.trim() && !/^constexpr bool kReady/.test(line))
                           .join('\n');

for (const exercise of inPages.filter(isChosen)) {
  test(`${exercise.number}: each answer that can be chosen gets its verdict`, async () => {
    const {parts} = JSON.parse(readFileSync(join(kPtx, `${exercise.id}.json`), 'utf8'));
    const numbers =
        new Map(Array.from({length: countOf(parts)}, (_, i) => [code(composed(parts, picksOf(parts, i))), i]));
    await open(exercise);
    const tried = new Set();
    for (const {
           name,
           expected,
           file
         } of [...answersOf(exercise), {name: 'solution', expected: 'PASS*', file: text(exercise, 'solution.cu')}]) {
      const number = numbers.get(code(file));
      if (number === undefined) continue;
      tried.add(expected);
      for (const [i, pick] of picksOf(parts, number).entries())
        await value(`${task(exercise.number)}.querySelectorAll('[name="p${i + 1}"]')[${pick}].click()`);
      const said = await check(exercise);
      assert.ok(isExpected(said, expected.replace('open, ', '')), `${name}: ${expected}, not\n${said}`);
      const [, first] = / tile (\d+), elements/.exec(said) ?? [];
      if (first) {  // y is shown, tile by tile
        const cells = await value(`[...${task(exercise.number)}.querySelectorAll('.live-cells [data-is]')].map(
            (each) => each.dataset.is).join('')`);
        assert.match(cells.slice(0, first % 64), /^#*$/, name);
        assert.match(
            cells.slice(first % 64),
            /twice/.test(expected)        ? /^2/ :
                /not done/.test(expected) ? /^\./ :
                                            /^[.2?]/,
            name);
      }
      if (!/PASS/.test(expected)) assert.match(said, /\n  hint \d of /, name);
    }
    assert.ok(tried.has('PASS*') && tried.size > 1, [...tried].join());
    assert.equal(await value(`${task(exercise.number)}.querySelector('.live-done input').checked`), true);
    silent();
  });
}

test(
    'the verdict is a card: a line of a finding leads to the line in the page, its pitfall to the pitfall', {skip},
    async () => {
      const exercise = inPages.find(({id}) => id === '03_2'), place = task(exercise.number);
      await open(exercise);
      const [, line, code] = /task\.cu:(\d+) in .*\n=+ +\1 \| +(.*)/.exec(await check(exercise));
      assert.match(
          await value(`${place}.querySelector('.live-card.bad .live-finding strong').textContent`), /^[\w-]+$/);
      assert.match(await value(`${place}.querySelector('.live-card .live-hint').textContent`), /^Hint 1 of \d/);
      assert.match(await value(`${place}.querySelector('.live-check .live-chip').textContent`), /\w/);
      await value(
          `[...${place}.querySelectorAll('.live-finding button')].find((each) => each.textContent === 'task.cu:${
              line}').click()`);
      assert.equal(await value('document.activeElement.textContent.trim()'), code);
      const numbered = `[...${place}.querySelectorAll('.live-kernel code')].filter(
      (each) => getComputedStyle(each, '::before').content !== 'none')`;
      assert.equal(await value(`${numbered}.indexOf(document.activeElement) + 1`), Number(line));
      assert.match(
          await value(`${place}.querySelector('.live-finding a').href`), /\/05_ub_pitfalls\/PITFALLS\.html#[\w-]+$/);
      await value(`${place}.querySelector('[name="p1"]:not(:checked)').click()`);
      assert.equal(await value(`${place}.querySelector('.live-card').classList.contains('stale')`), true);
      assert.equal(
          await value(`${place}.querySelector('.live-check .live-chip')`), null, 'another choice has no verdict');
      silent();
    });

test('a place shows what differs: no line that all have, and the other words marked', {skip}, async () => {
  const exercise = inPages.find(({id}) => id === '03_2'), place = task(exercise.number);
  const {parts, first} = JSON.parse(readFileSync(join(kPtx, '03_2.json'), 'utf8'));
  await open(exercise);
  const shown = await value(`[...${
      place}.querySelectorAll('.live-kernel > code, .live-chosen > code')].map((each) => each.textContent).join('')`);
  assert.equal(
      shown.replace(/\n+/g, '\n'), composed(parts, first).replace(/\n+/g, '\n'), 'the file once, as it is chosen');
  const options = await value(`[...${place}.querySelectorAll('.live-choice label')].map((each) =>
      [each.querySelector('input').checked, each.querySelectorAll('mark').length, each.textContent])`);
  for (const [checked, marks, text] of options) assert.equal(checked ? marks : 0, 0, text);
  assert.ok(options.some(([, marks]) => marks > 0));
  assert.ok(await value(`${place}.querySelectorAll('.live-kernel .word').length`) > 5, 'it is coloured');
  silent();
});

test(
    'the reader writes in the code: what is one of the choices is chosen, and the rest doesn\u2019t run', {skip},
    async () => {
      for (const [id, fill] of [['01_1', true], ['03_2', false]]) {
        const exercise = inPages.find((each) => each.id === id), place = task(exercise.number);
        const {parts, first} = JSON.parse(readFileSync(join(kPtx, `${id}.json`), 'utf8')),
                      all = parts.find(Array.isArray);
        await open(exercise);
        assert.equal(await value(`${place}.querySelector('.live-choice').open`), false, 'the choices are folded');
        const stands = await value(`${place}.querySelector('.live-chosen').textContent`),
              code = (text) => text.split(/\s+/).join(' ').trim();
        assert.equal(code(stands), fill ? '' : code(all[first[0]]), id);
        await value(`${place}.querySelector('.live-chosen').focus()`);
        await browser.send('Input.insertText', {text: 'int i = 0;'});
        assert.match(await value(`${place}.querySelector('.live-write').textContent`), /choose what comes nearest/);
        assert.equal(await value(`${place}.querySelector('[name="p1"]:checked')`), null);
        await check(exercise);
        assert.equal(
            await value(`${place}.querySelector('.live-check [role=status]').textContent`),
            'Choose first what has to stand there.');
        assert.equal(await value(`${place}.querySelector('.live-choice').open`), true);
        await value(`(() => { const field = ${
            place}.querySelector('.live-chosen'); field.focus(); getSelection().selectAllChildren(field); })()`);
        await browser.send('Input.insertText', {text: `${all.at(-1).replace(/ +/g, '  ')}// mine`});
        assert.match(await value(`${place}.querySelector('.live-write').textContent`), /one of the choices/);
        assert.equal(Number(await value(`${place}.querySelector('[name="p1"]:checked').value`)), all.length - 1);
        await value('document.activeElement.blur()');
        assert.ok(await value(`${place}.querySelectorAll('.live-chosen > code').length`) > 0, 'it is coloured again');
      }
      silent();
    });

test('a run from which answers are read is drawn before they are checked', {skip}, async () => {
  const exercise = predictions.find((each) => text(each, 'task.cu').includes('--timeline'));
  await open(exercise);
  await value(`${task(exercise.number)}.querySelector('.live-screen > button').click()`);
  await until(`${task(exercise.number)}.querySelector('.clc-player canvas') !== null`);
  silent();
});

test('the run of a choice can be watched', {skip}, async () => {
  const exercise = inPages.find(({id}) => id === '03_2'), place = task(exercise.number);
  await open(exercise);
  assert.doesNotMatch(await check(exercise), /: PASS/);
  await value(`${place}.querySelector('.live-screen > button').click()`);
  await until(`${place}.querySelector('.clc-player canvas') !== null`);
  silent();
});

test('what is done stays, and the contents count it', {skip}, async () => {
  const exercise = predictions[0], done = `${task(exercise.number)}.querySelector('.live-done input').checked`;
  await open(exercise, false);
  assert.equal(await value(done), false);
  await value(
      `(() => { for (const [name, each] of Object.entries(${JSON.stringify(valuesOf(text(exercise, 'solution.cu')))}))
    (${task(exercise.number)}.querySelector('form').elements[name] ?? {}).value = String(each); })()`);
  assert.match(await check(exercise), /: PASS/);
  assert.equal(await value(done), true);
  const all = exercises.filter(({chapter, number}) => chapter === exercise.chapter && /\d$/.test(number)).length;
  for (const page of [exercise, exercises.at(-1)]) {  // also seen from another page
    await browser.load(pageOf(page.chapter), {kept: true});
    await until('document.querySelector(".live-count")?.textContent !== ""');
    assert.equal(
        await value('document.querySelector(".sidebar-tree").textContent.match(/\\d+\\/\\d+/)[0]'), `1/${all}`);
  }
  await open(exercise, true);
  assert.equal(await value(done), true);
  silent();
});

test('the other exercises lead to their command', async () => {
  for (const {number, id, chapter} of exercises) {
    if (!/\d$/.test(number) || inPages.some((each) => each.id === id)) continue;
    await browser.load(pageOf(chapter));
    await until(`${task(number)}.querySelector('.live-task') !== null`);
    assert.equal(
        await value(`${task(number)}.querySelector('.live-task > p code').textContent`),
        `cmake --build build --target exercise_${id}`);
  }
  silent();
});

test('where the engine is, the exercises of the pages are there', {skip}, () => {
  assert.ok(predictions.length > 3 && inPages.length > 15, inPages.map(({id}) => id).join());
  for (const chapter of ['01', '02', '03', '04', '05', '06'])
    assert.ok(inPages.some(({id}) => id === `${chapter}_1`), `the first of chapter ${chapter}`);
});

// How much of the page has moved since it was painted.
const kMoved = `new Promise((resolve) => {
  let sum = 0;
  const add = (list) => list.getEntries().forEach((each) => sum += each.value);
  new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true});
  setTimeout(() => resolve(sum), 200);
})`;

test('no page holds an answer in clear, nothing moves when it has been painted, and nothing sticks out', async () => {
  for (const {id} of inPages) {
    const pack = readFileSync(join(BOOK, 'live/exercises', `${id}.js`), 'utf8');
    assert.ok(!pack.includes('[any]') && !pack.includes('== ') && pack.length < 150_000);
  }
  for (const chapter of new Set(inPages.map((each) => each.chapter))) {
    for (const width of [390, 820, 1440]) {
      await browser.load(pageOf(chapter), {width});
      assert.ok(await value(kMoved) < 0.05, `${chapter}, ${width}`);
      for (const {number} of inPages.filter((each) => each.chapter === chapter)) {
        await value(`${task(number)}.querySelector('details').open = true`);
        await until(`${task(number)}.querySelector('.live-run') !== null`);
      }
      assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${chapter}, ${width}`);
      const cut =
          '[...document.querySelectorAll(\'.live-kernel code\')].filter((each) => each.scrollWidth > each.clientWidth)';
      assert.equal(
          await value(`${cut}.length`), 0, `${chapter}, ${width}: a line that is too long goes on below itself`);
    }
  }
  silent();
});
