// The race of the book's first page, in Chromium, beside clcsim's own runs.
//   SOURCE=. BUILD=build CHROMIUM=chromium node race.test.mjs
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';

import {lapsOf, pictureOf} from '../../course/book/race/picture.mjs';
import {commandOf, kFirst, kTiles, strategies} from '../../course/book/race/strategies.mjs';

import {closeSite, openSite, silent, until, value} from './live_site.mjs';

const {SOURCE, BUILD} = process.env;
if (!existsSync(join(BUILD, 'simulator/course/playground/wasm/engine.wasm'))) {
  console.log('skipped: the playground is not built: cmake --build build --target playground');
  process.exit(77);
}
const site = mkdtempSync(join(tmpdir(), 'clc-race-')), page = join(site, 'index.html');
const picture = join(SOURCE, 'simulator/course/book/race/race.svg');

let browser;
before(async () => {
  copyFileSync(picture, join(site, 'race.svg'));
  copyFileSync(join(SOURCE, 'simulator/course/book/static/book.css'), join(site, 'book.css'));
  writeFileSync(page, `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>race</title>
<link rel="stylesheet" href="book.css">
<style>body { margin: 0 auto; padding: 0 16px; max-width: 900px; color-scheme: light dark;
  --color-background-primary: #fff; --color-brand-primary: #0550ae; } img { max-width: 100%; }
@media (prefers-color-scheme: dark) { body { background: #131416; color: #ddd;
  --color-background-primary: #131416; --color-brand-primary: #79b8ff; } }</style></head>
<h1>The course</h1><div class="race awaited"><img src="race.svg" alt="four ways"></div>
<div class="start"><p><strong><a href="#">Start</a></strong></p></div>
<script src="live/live.js" defer></script></html>`);
  browser = await openSite(site);
});
after(() => closeSite(site));

/// What clcsim itself says of a strategy's run: {time, prologues, waits}; after: of the urgent kernel, if it is
/// launched.
function native(strategy, problem, after) {
  const drawn = join(site, 'run.svg'), launch = after === undefined ? 2 : 4,
        [program, ...rest] = commandOf(strategy, problem, after)
                                 .replace('--timeline', `--stats --timeline-launch ${launch} --timeline`)
                                 .split(' ')
                                 .map((word) => word.replace(/^build\//, `${BUILD}/`).replace('run.html', drawn)),
        {stderr} = spawnSync(program, rest, {encoding: 'utf8'});
  const row = stderr.split('\n').find((line) => RegExp(`^ +${launch} +multiply`).test(line)).trim().split(/ +/);
  // Without a word: the kernel had ended when the urgent one came.
  const waits = /waited ([\d,]+) cycles for its first block/.exec(readFileSync(drawn, 'utf8'));
  return {time: Number(row.at(-1)), prologues: Number(row.at(-6)), waits: Number(waits?.[1].replace(/,/g, '') ?? 0)};
}

const nativeAll = (problem, afters = []) => strategies.map((each, i) => native(each, problem, afters[i]));

/// The same, as the page shows it.
async function shown() {
  const rows = await value(`[...document.querySelectorAll('.race-numbers tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) =>
      /slot was idle|\u2013/.test(cell.textContent) ? 0 : Number(cell.textContent.replace(/,/g, ''))))`);
  return strategies.map((_, i) => ({time: rows[0][i], prologues: rows[1][i], waits: rows[2][i]}));
}

/// Waits for the engine's runs. One that the browser could not make leaves its reason on the page.
async function ran() {
  await until(`${kThere} && ${kIdle}`);
  assert.equal(await value('document.querySelector(".live-sorry")?.textContent'), undefined);
}

const kThere = 'document.querySelector(".race-live") !== null',
      kIdle = 'document.querySelector(".race-live[aria-busy]") === null';
const set = (selector, to) => value(`(() => { const field = document.querySelector('${selector}');
  field.value = ${to}; field.dispatchEvent(new Event('input', {bubbles: true})); })()`);
const clock = () => value('Number(document.querySelector(".race-clock").value)');
const toTheEnd = () => set('.race-clock', 1e9);
const kAll = `[...document.querySelectorAll('.race-add')].forEach((each) => each.click())`;
const said = 'document.querySelector(".race-sentence").textContent';
const launch = 'document.querySelector(".race-urgent").click()';

async function open(options) {
  await browser.load(page, options);
  await until(kThere);
}

test('the numbers are clcsim\'s, the best of each is marked, and the sentence says them', async () => {
  await open();
  const expected = nativeAll(kFirst);
  assert.deepEqual(await shown(), expected);
  const shownOnes = await value(`[...document.querySelectorAll('.race-track')].map((each) => each.checkVisibility())`);
  assert.deepEqual(shownOnes, [true, false, false, true]);
  const best = await value(`[...document.querySelectorAll('.race-numbers tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.classList.contains('best') && cell.checkVisibility()))`);
  assert.deepEqual(best, [[false, false, false, true], [false, false, false, true], Array(4).fill(false)]);
  assert.equal(
      await value(said),
      `CLC is done first, with ${expected[3].prologues} prologues, not ${expected[0].prologues}. ` +
          'Now launch an urgent kernel while they run: who makes room for it?');
  silent();
});

test('all four do the same tiles, of which the same are long, and the picture is theirs', () => {
  const laps = lapsOf(BUILD, 0), long = laps.map(({bars}) => {
    const work = bars.map(({from, to, prologue, tile}) => ({tile, cycles: to - from - prologue}));
    const most = Math.max(...work.map(({cycles}) => cycles));
    assert.deepEqual(work.map(({tile}) => tile).sort((a, b) => a - b), [...Array(kTiles).keys()]);
    return work.filter(({cycles}) => cycles > most / 2).map(({tile}) => tile).sort((a, b) => a - b);
  });
  assert.equal(long[0].length, 7);
  for (const each of long) assert.deepEqual(each, long[0]);
  // Where the urgent kernel waits, five requests fail; the sixth cross is the legend's.
  const drawn = pictureOf(laps), at = [...drawn.matchAll(/x="([\d.]+)" y="42">the urgent/g)][3][1];
  const crosses = [...drawn.matchAll(/translate\(([\d.]+),[\d.]+\)"><path class="halo"/g)].slice(0, -1);
  assert.equal(crosses.length, 5);
  for (const [, x] of crosses) assert.ok(Number(x) < Number(at) - 8, x);
  const same = readFileSync(picture, 'utf8') === drawn;
  assert.ok(same, 'race.svg is another run: node simulator/course/book/race/picture.mjs build draws it anew');
});

test('it opens on its start, plays once, and pauses; for who wants no motion it is still, at its end', async () => {
  await open();
  const end = await clock();
  const is = (name) => `document.querySelector(".race-play").textContent === '${name}'`;
  assert.ok(await value(is('Replay')));
  await wait(2000);
  assert.equal(await clock(), end);
  await browser.send('Emulation.setEmulatedMedia', {features: []});
  await browser.go(`file://${page}`);
  await until(kThere);
  assert.equal(await clock(), 0);
  await value(`document.querySelector('.race-tracks').scrollIntoView()`);
  await until(is('Pause'));
  await until('Number(document.querySelector(".race-clock").value) > 300');
  const future = 'getComputedStyle(document.querySelector(".race-legend > :last-child")).visibility';
  assert.equal(await value(future), 'hidden');  // who wins is not to be seen
  assert.equal(await value('getComputedStyle(document.querySelector(".race-live")).visibility'), 'visible');
  await value('document.querySelector(".race-play").click()');
  const paused = await clock();
  assert.ok(paused > 0 && paused < end, `${paused}`);
  assert.equal(await value(future), 'visible');
  await wait(400);
  assert.equal(await clock(), paused);
  await toTheEnd();
  assert.deepEqual(await shown(), nativeAll(kFirst));
  silent();
});

test('each slider moves all four', async () => {
  await open();
  await value(kAll);
  const problem = {...kFirst};
  for (const [name, to] of [['setup', 300], ['uneven', 0], ['setup', 0], ['uneven', 100]]) {
    problem[name] = to;
    await set(`.race-slider input[name="${name}"]`, to);
    await ran();
    await toTheEnd();
    assert.deepEqual(await shown(), nativeAll(problem), `${name} ${to}`);
  }
  silent();
});

test('where the engine can\'t be loaded, a sentence says so until it can', async () => {
  const engine = join(site, 'live/engine.js'), away = `${engine}.away`;
  await open();
  renameSync(engine, away);
  await set('.race-slider input', 500);
  await until('document.querySelector(".race .live-sorry") !== null');
  renameSync(away, engine);
  assert.deepEqual(await shown(), nativeAll(kFirst));
  assert.equal(await value('document.querySelector(".race-slider input").value'), `${kFirst.setup}`, 'of what stands');
  browser.console = [];  // Chromium tells of the file
  await set('.race-slider input', 400);
  await until(`${kIdle} && document.querySelector(".live-sorry") === null`);
  await toTheEnd();
  assert.deepEqual(await shown(), nativeAll({...kFirst, setup: 400}));
  silent();
});

test('all of it is in sight at 1366 by 768, with what waits, and strategies can be added', async () => {
  await open({width: 1366, height: 768});
  const drawn = `[...document.querySelectorAll('.race-track')].filter((each) => each.checkVisibility())`;
  const top = await browser.box('.race-tracks'), {y, height} = await browser.box('.race-hands');
  assert.ok(y + height - top.y < 560, `${y + height - top.y}`);
  assert.ok((await browser.box('.race-sentence')).y < top.y, 'the verdict stands above');
  await set('.race-clock', 0);
  const queue = `(() => { const {width} = document.querySelector('canvas'),
      {data} = document.querySelector('canvas').getContext('2d').getImageData(0, 22, 90, 110);
    return new Set(data).size; })()`;
  assert.ok(await value(queue) > 3, 'what waits is drawn');
  const before = await value(`document.querySelector('.race-tracks').offsetHeight`);
  await value(`document.querySelector('.race-add').click()`);
  assert.equal(await value(`${drawn}.length`), 3);
  assert.equal(await value(`document.querySelector('.race-add').ariaPressed`), 'true');
  await value(`document.querySelector('.race-add').click()`);
  assert.equal(await value(`document.querySelector('.race-tracks').offsetHeight`), before);
  silent();
});

test(
    'a steal by hand: blocks are dragged, pressed, or brought by keys; six setups, two, and an urgent block',
    async () => {
      await open();
      const says = `document.querySelector('.steal-says').textContent`,
            chip = `document.querySelector('.steal-chip:enabled')`;
      const setups = () => value(`document.querySelector('.steal-count').textContent`);
      const press = (name) => value(`[...document.querySelectorAll('.steal-bar button')].find(
      ({textContent}) => textContent === '${name}').click()`);
      const drag = async (slot) => {
        const from = await browser.box('.steal-chip:enabled'), to = await browser.box(`[data-slot="${slot}"]`);
        for (const [type, x, y] of [
                 ['Pressed', from.x + 9, from.y + 9], ['Moved', to.x + 60, to.y + 9],
                 ['Released', to.x + 60, to.y + 9]])
          await browser.send(
              'Input.dispatchMouseEvent', {type: `mouse${type}`, x, y, button: 'left', buttons: 1, clickCount: 1});
      };
      assert.match(await value(says), /Slot 1 is free: drag block 2 into it\.$/);
      await drag(0);
      assert.match(await value(says), /^Slot 0 still works on tile 0\./);
      await drag(1);
      assert.match(await value(says), /^Block 2 started, with a setup of its own\..*drag block 3/);
      await value(`${chip}.focus()`);
      for (const block of [3, 4, 5]) {
        await browser.key('Enter');
        await until(`${says}.startsWith('Block ${block} started')`);
      }
      assert.equal(await setups(), '6 setups');
      await press('Now let them steal');
      for (let i = 0; i < 4; i++) await value(`${chip}.click()`);
      assert.equal(await setups(), '2 setups');
      assert.match(await value(says), /^Block \d stole block 5: no setup\. Six tiles are done, after 2 setups\.$/);
      assert.equal(await value(`document.querySelectorAll('.steal-chip.taken').length`), 4);
      await press('Now an urgent block');
      await press('Keep stealing');
      assert.match(await value(says), /the urgent block still waits\.$/);
      await press('Stop stealing');
      assert.match(await value(says), /^A block ended, so the urgent block has its slot\./);
      assert.equal(await value(`document.querySelectorAll('.steal-piece.urgent').length`), 1);
      await press('Again');
      assert.equal(await setups(), '2 setups');
      silent();
    });

test('a bar and a chip say what they are, to the pointer and to keys', async () => {
  await open();
  const clc = `document.querySelectorAll('.race-track canvas')[3]`;
  const [{urgent, bars}] = lapsOf(BUILD).slice(3);
  assert.equal(urgent, null);
  const {tile, block, taken} = bars.filter(({stolen}) => stolen).sort((a, b) => a.from - b.from)[0];
  await value(`${clc}.focus()`);
  for (const [i] of bars.entries()) {
    await browser.key('ArrowRight');
    if (i === 8) break;  // behind those that start first
  }
  assert.match(
      await value(said),
      new RegExp(`^Block ${block} stole block ${tile} at ${taken.toLocaleString('en')}, .*no prologue`));
  await set('.race-clock', 0);
  await value(`${clc}.scrollIntoView()`);
  const {x, y} = await value(`(({x, y}) => ({x, y}))(${clc}.getBoundingClientRect())`);
  await browser.click(x + 65, y + 22 + 7);
  assert.equal(
      await value(said), 'Block 8 has not started: it waits for a slot, or for a running block that steals it.');
  silent();
});

test('the button launches the urgent kernel, at its first press too, and a link brings this moment back', async () => {
  await open();
  const first = lapsOf(BUILD, 0).map(({urgent}) => urgent.at), now = 12000;
  await set('.race-clock', 2000);
  await value(launch);
  await ran();
  await set('.race-clock', 3000);
  assert.match(await value(said), /the urgent kernel comes at cycle 5,200\.$/);
  await toTheEnd();
  assert.deepEqual(await shown(), nativeAll(kFirst, [0, 0, 0, 0]));
  assert.match(
      await value(said),
      /^CLC is done first, with 13 prologues, not 36\. Its price: 5 prologues more than slots, and the/);
  await set('.race-clock', now);
  assert.deepEqual(
      await value(`${launch}; [${
          said}, ...[...document.querySelectorAll('.race-numbers td')].map((each) => each.textContent)]`),
      ['Urgent kernel launched at cycle 12,000: running \u2026', '', ...Array(12).fill('\u2013')]);
  await ran();
  await value(kAll);
  await toTheEnd();
  const afters = first.map((at) => Math.round((now - at) / 200)), expected = nativeAll(kFirst, afters);
  assert.deepEqual(await shown(), expected);
  assert.deepEqual(
      await value(`[...document.querySelectorAll('[data-number="waits"] td')].map(({className}) => className)`),
      ['', 'idle', '', 'best']);  // a slot of the grid stride was idle
  assert.match(await value(said), /a slot of the grid stride was idle: launch it earlier\.$/);
  await set('.race-clock', 14000);
  const then = await shown();
  await value('document.querySelector(".race-link").click()');
  const link = await value('location.href');
  assert.match(link, /#race=900,60,12000,14000$/);
  // The first engine does not start, as on a machine that is short of memory: the page makes another.
  const {identifier} = await browser.send('Page.addScriptToEvaluateOnNewDocument', {
    source:
        `((Worker) => window.Worker = function() { window.Worker = Worker; throw new RangeError('memory'); })(Worker)`
  });
  await browser.load(link);
  await ran();
  await browser.send('Page.removeScriptToEvaluateOnNewDocument', {identifier});
  await until('Number(document.querySelector(".race-clock").value) === 14000');
  assert.deepEqual(await shown(), then);
  await toTheEnd();
  assert.deepEqual(await shown(), expected);
  assert.equal(await value('document.querySelector(".race-urgent").textContent'), 'Launch again');
  assert.match(await value(`${launch}; ${said}`), /launched at cycle 5,200/);  // nothing is left for it to wait for
  await ran();
  await toTheEnd();
  assert.deepEqual(await shown(), nativeAll(kFirst, [0, 0, 0, 0]));
  silent();
});

test('keys alone, three widths, both themes; on paper and without scripts the picture', async () => {
  for (const width of [390, 820, 1440]) {
    for (const theme of ['light', 'dark']) {
      await open({width, theme});
      assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
      assert.ok(await value('innerWidth > 700 || document.querySelector(".race-tracks").offsetHeight < 360'));
      assert.deepEqual((await browser.faint()).seen, [], `${width} ${theme}`);
      const {all, nameless} = await browser.names(['button', 'slider', 'image']);
      assert.ok(all.length >= 7);
      assert.deepEqual(nameless, []);
    }
  }
  await set('.race-clock', 0);
  await value('document.querySelector(".race-clock").focus()');
  await browser.key('ArrowRight');
  assert.equal(await clock(), 100);
  await browser.key('Tab');
  const image = 'getComputedStyle(document.querySelector(".race img")).display';
  await browser.send('Emulation.setEmulatedMedia', {media: 'print'});
  assert.deepEqual(
      await value(
          `[${image}, getComputedStyle(document.querySelector('.race-live')).display].map((each) => each === 'none')`),
      [false, true]);
  await browser.send('Emulation.setEmulatedMedia', {media: ''});
  assert.ok(await value('document.querySelector(".race-live .start").offsetHeight > 0'));
  await browser.send('Emulation.setScriptExecutionDisabled', {value: true});
  await browser.go(`file://${page}`);
  assert.notEqual(await value(image), 'none');
  assert.ok(await value('document.querySelector(".start").offsetHeight > 0'));
  await browser.send('Emulation.setScriptExecutionDisabled', {value: false});
  silent();
});
