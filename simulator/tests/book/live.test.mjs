// What lives in a page of the book, in Chromium.
//   BOOK=build/book SOURCE=. BUILD=build CHROMIUM=chromium node live.test.mjs
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {requestOf} from '../../course/book/live/terminal.mjs';

import {closeSite, openBook, silent, until, url, value, withoutEngine as skip} from './live_site.mjs';

const {BOOK, SOURCE, BUILD} = process.env, browser = await openBook();
after(() => closeSite());
const page = '03_clc_basic/index.html', pitfalls = '05_ub_pitfalls/PITFALLS.html';
const [, picture] = /<!-- picture of: (.*?) -->/.exec(readFileSync(join(SOURCE, '03_clc_basic/README.md'), 'utf8'));

const kFigures = '[...document.querySelectorAll("figure.run")]';
const kAlive = `${kFigures}[0].querySelector(".clc-player canvas") !== null`;
// An expression's value, once twenty frames have shown the same: a page scrolls, and a player that has just come fits
// itself into its place in the next frame.
const still = (expression) => value(`new Promise((done) => {
  let was, same = 0;
  const look = () => {
    const now = JSON.stringify(${expression});
    same = now === was ? same + 1 : 0;
    was = now;
    if (same < 20) requestAnimationFrame(look); else done(JSON.parse(now));
  };
  look();
})`);

async function open(options) {
  await browser.load(url(page), options);
  await value(`${kFigures}[0].scrollIntoView()`);
  await until(kAlive);
}

// Of a launch of the first picture's command, by clcsim.
function cyclesOf(launch) {
  const [run] = picture.match(/build\/bin\/03.*/);
  const {stderr} = spawnSync(
      join(BUILD, 'bin/clcsim'),
      ['--gpu', 'mini:2', '--stats', ...run.split(' ').map((word) => word.replace(/^build(?=\/)/, BUILD))],
      {encoding: 'utf8'});
  return Number(new RegExp(`^ +${launch} +multiply.* (\\d+)$`, 'm').exec(stderr)[1]);
}

test('the first programs of 01 to 03, and the tries, play where they stand', async () => {
  for (const [chapter, ...programs] of [
           ['01_fixed_work', ['minimal_01', 24, /^Kernel multiply/]],
           ['02_grid_stride', ['minimal_02', 16, /^Kernel multiply/]], [
             '03_clc_basic', ['tries 1 2', 24, /response-not-complete/], ['tries 2 |', 24, /missing-proxy-fence/],
             ['minimal_03', 24, /^Kernel multiply/]
           ]]) {
    await browser.load(url(`${chapter}/index.html`));
    for (const [program, blocks, says] of programs) {
      const box = `[...document.querySelectorAll('.run-output')].find((each) =>
          each.dataset.command.includes('clcsim build/${program}'))`;
      await value(`${box}.querySelector('.live-bar button').click()`);
      await until(`${box}.querySelector('.clc-player canvas') !== null`);
      const [queue, text] = await value(`[${box}.querySelector('[data-part="queue"]').ariaLabel,
          ${box}.querySelector('[data-part="sentence"]').textContent]`);
      assert.match(text, says);
      assert.match(queue, RegExp(` of ${blocks} wait`), program);
    }
  }
  silent();
});

test('a picture becomes its player, at its begin, and the numbers are clcsim\'s', async (t) => {
  await open();
  t.diagnostic(`alive after ${Math.round(await value('performance.now()'))} ms`);
  await browser.frame();
  assert.match(
      await value('document.querySelector(\'[data-part="sentence"]\').textContent'), /^Kernel multiply is launched/);
  assert.equal(await value('document.querySelector("figure.run img").checkVisibility()'), false);
  const cycles = cyclesOf(/--timeline-launch (\d+)/.exec(picture)[1]);
  const clock = await value('document.querySelector(\'[data-part="clock"]\').textContent.replace(/,/g, "")');
  assert.equal(Number(/of (\d+),? /.exec(clock.replace(',', ' '))?.[1]), cycles, clock);
  silent();
});

test('a chapter asks once what comes next, and its text lights up what it names', async () => {
  await browser.load(url('01_fixed_work/index.html'));
  await value(`${kFigures}[0].scrollIntoView({block: 'center', behavior: 'instant'})`);
  await until(kAlive);
  const part = (name) => `document.querySelector('figure [data-part="${name}"]')`,
        text = (name) => value(`${part(name)}.textContent`);
  const height = () => still(`${kFigures}[0].offsetHeight`), before = await height();
  assert.match(await text('question'), /^What comes is hidden/);
  for (let i = 0; i < 60 && /^What comes/.test(await text('question')); i++) await value(`${part('forward')}.click()`);
  assert.match(await text('question'), /^Block 8 is next, and all slots are taken\. Which one becomes free for it\?/);
  const rows = await browser.box('figure .rows canvas');
  await browser.click(rows.x + 100, rows.y + rows.height * 4.5 / 8);
  assert.match(await text('question'), /Yes\.$/);
  assert.match(await text('sentence'), /^Block 8 starts/);
  assert.equal(await height(), before, 'nothing moves');
  await value(`${part('forward')}.click()`);
  assert.match(await text('question'), /Yes\.$/, 'no second question');
  const name = 'document.querySelector(".live-named")', {y} = await browser.box('.live-named');
  assert.equal(await value(`${name}.textContent`), 'slot 4');
  await value(`${name}.click()`);
  assert.equal(await text('sentence'), 'Slot 4 does the tiles 4, 8, 15, 21.');
  assert.ok(Math.abs((await browser.box('.live-named')).y - y) < 2, 'the text has moved');
  await value('[...document.querySelectorAll(".live-named")].find((each) => each.textContent === "block 17").click()');
  assert.match(await text('sentence'), /^Block 17 starts in slot 0 at [\d,]+\. Its prologue takes/);
  silent();
});

test('figures far away are not loaded, and come when the reader comes', async () => {
  await browser.load(url('03_clc_basic/more/KERNELS.html'));
  assert.equal(await value('document.querySelectorAll("figure.alive").length'), 0);
  for (let i = 0; i < 3; i++) {
    await value(`${kFigures}[${i}].scrollIntoView()`);
    await until(`${kFigures}[${i}].querySelector(".clc-player canvas") !== null`);
    assert.match(
        await value(`${kFigures}[${i}].querySelector('[data-part="sentence"]').textContent`), / steals |is launched/);
  }
  silent();
});

test('a jump lands where it leads, and figures have their height before they are loaded', async () => {
  for (const width of [360, 1280]) {
    await browser.load(url(page), {width});
    await value('document.documentElement.style.overflowAnchor = "none"');  // not all browsers have it
    const heights = `${kFigures}.map((each) => each.offsetHeight)`, before = await still(heights);
    const place = '.live-loop + section';  // below what is loaded meanwhile
    await value(`document.querySelector('a[href="#' + document.querySelector('${place}').id + '"]').click()`);
    await until('document.querySelector(".live-loop [aria-current]") !== null');
    await still('scrollY');
    const {y} = await browser.box(place);
    await value(`document.querySelector('${place}').scrollIntoView({behavior: "instant"})`);
    assert.ok(Math.abs((await browser.box(place)).y - y) < 2, `${y} at ${width}`);
    await value(`dispatchEvent(new Event('wheel')), ${kFigures}[0].scrollIntoView()`);  // the reader moves on
    await until(kAlive);
    for (const [i, height] of (await still(heights)).entries())
      assert.ok(Math.abs(height - before[i]) < 100, `figure ${i} at ${width}: ${before[i]}, then ${height}`);
  }
  silent();
});

test('where a run can\'t be loaded, the picture stays, and a sentence says so', async () => {
  await browser.send('Network.enable');
  await browser.send('Network.setBlockedURLs', {urls: ['*/live/runs/*']});
  await browser.load(url(page));
  await value(`${kFigures}[0].scrollIntoView()`);
  await until('document.querySelector("figure .live-sorry") !== null');
  await browser.send('Network.setBlockedURLs', {urls: []});
  assert.match(
      await value('document.querySelector("figure .live-sorry").textContent'),
      /^The run can\u2019t be shown here: runs\/\w+\.js could not be loaded\.$/);
  assert.equal(await value('document.querySelector("figure.run img").checkVisibility()'), true);
  browser.console = [];  // Chromium tells of the file
});

test('without JavaScript and on paper the figure is the picture', async () => {
  await open();
  await browser.send('Emulation.setEmulatedMedia', {media: 'print'});
  assert.deepEqual(
      await value('["img", ".live"].map((each) => document.querySelector(`figure.run ${each}`).checkVisibility())'),
      [true, false]);
  await browser.send('Emulation.setEmulatedMedia', {media: ''});
  await browser.send('Emulation.setScriptExecutionDisabled', {value: true});
  await browser.go(url(page));  // no frame is waited for: that is JavaScript
  await browser.send('Emulation.setScriptExecutionDisabled', {value: false});
  assert.equal(await value('document.querySelector(".live")'), null);
  assert.equal(await value('document.querySelector("figure.run img").checkVisibility()'), true);
  silent();
});

test('nothing sticks out at three widths, and a player follows the page\'s theme', async () => {
  for (const width of [390, 820, 1440]) {
    await open({width});
    assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
  }
  const dark = 'document.querySelector(".clc-player").classList.contains("dark")';
  for (const theme of ['dark', 'light']) {
    await value(`document.body.dataset.theme = '${theme}'`);
    await until(`${dark} === ${theme === 'dark'}`);
  }
  silent();
});

// Lines of a page: all that is printed, or with `| key lines` and dots a part of it, in its order.
function shows(text, printed, part) {
  // A report and the program's own output are two streams, and a button has no exit status.
  const sorted = (lines) => lines.replace(/\(exit status \d+\)\n/, '').split('\n').sort().join('\n');
  if (!part) return sorted(text) === sorted(printed);
  const lines = printed.split('\n').map((line) => line.replace(/^=+ ?/, '').trim());
  let at = -1;
  return text.trim().split('\n').filter((line) => line !== '\u2026').every((line) => {
    at = lines.indexOf(line.trim(), at + 1);
    return at >= 0;
  });
}

const catalogue = !skip && JSON.parse(readFileSync(join(BUILD, 'simulator/course/playground/catalogue.json'), 'utf8'));
const kDone = '![...document.querySelectorAll(".live-run")].some((each) => each.disabled)';

test('each button prints what the page shows', {skip}, async () => {
  let offered = 0;
  for (const page of readdirSync(BOOK, {recursive: true}).filter((name) => name.endsWith('.html'))) {
    if (!readFileSync(join(BOOK, page), 'utf8').includes('class="run-output"')) continue;
    await browser.load(url(page));
    assert.equal(
        await value('document.querySelector("script[src$=\'engine.js\']")'), null, 'the engine is loaded too early');
    const boxes = await value(`[...document.querySelectorAll(".run-output")].map((box) =>
        ({command: box.dataset.command, text: box.querySelector('pre').textContent,
          has: box.querySelector(".live-run") !== null}))`);
    for (const [i, {command, text, has}] of boxes.entries()) {
      assert.equal(has, Boolean(requestOf(command, catalogue)), command);
      if (!has) continue;
      offered++;
      const box = `document.querySelectorAll(".run-output")[${i}]`;
      await value(`${box}.querySelector(".live-run").click()`);
      await until(kDone);
      const printed = await value(`${box}.querySelector(".live-output").textContent`);
      assert.ok(
          shows(text, printed, / \| key lines$/.test(command) || text.includes('\u2026')), `${command}:\n${printed}`);
      const luck = /^verdict: PASS$/m.test(printed) && / clcsim: error /.test(printed);
      assert.equal(await value(`${box}.querySelector(".live-card.luck .live-chip") !== null`), luck, command);
    }
  }
  assert.ok(offered > 20);
  silent();
});

test('below commands to try stand their buttons', {skip}, async () => {
  await browser.load(url('03_clc_basic/index.html'));
  const bars = '[...document.querySelectorAll(".live-tries > .live-bar")]';
  const names = await value(`${bars}.map((each) => /[a-z]+(-[a-z]+)+/.exec(each.textContent)[0])`);
  assert.ok(names.length >= 10);
  await value(`${bars}.forEach((each) => each.querySelector(".live-run").click())`);
  await until(kDone);
  const said = await value(
      '[...document.querySelectorAll(".live-tries ~ .live-screen .live-output")].map((each) => each.textContent)');
  for (const [i, name] of names.entries())
    assert.match(said[i], new RegExp(`error \\[[^]*\n${name}, broken, on clcsim`));
  silent();
});

test('a knob changes the run, and the run can be watched', {skip}, async () => {
  await browser.load(url(pitfalls));
  const box =
      `document.querySelector('[data-command="build/bin/clcsim build/bin/05_ub_pitfalls one-slot | key lines"]')`;
  await value(
      `(() => { ${box}.querySelector('[name="seed"]').value = 7; ${box}.querySelector('.live-run').click(); })()`);
  await until(kDone);
  assert.match(await value(`${box}.querySelector('.live-output').textContent`), /\[deadlock\]/);
  await value(`${box}.querySelector('.live-screen > button').click()`);
  await until(`${box}.querySelector('.clc-player canvas') !== null`);
  assert.match(await value(`${box}.querySelector('[data-part="story"]').textContent`), /deadlock|never/i);
  silent();
});

test(
    'Enter runs, a change greys the result, a long run tells how long and stops, and Watch opens what was timed',
    {skip}, async () => {
      await browser.load(url('01_fixed_work/index.html'));
      const box = 'document.querySelector(".run-output:has(form)")', card = `${box}.querySelector(".live-card")`;
      const type = async (name, text) => {
        await value(`${box}.querySelector('[name="${name}"]').select()`);
        for (const key of text) await browser.key(key);
      };
      await type('seed', '9');
      await browser.key('Enter');
      await until(kDone);
      const cycles =
          Number(/^cycles: (\d+)$/m.exec(await value(`${box}.querySelector(".live-output").textContent`))[1]);
      assert.match(await value(`${card}.textContent`), /^PASScycles\d+above: /);
      await value(`${box}.querySelector(".live-screen > button").click()`);
      await until(`${box}.querySelector("[data-part=clock]")?.textContent`);
      const clock = (await value(`${box}.querySelector("[data-part=clock]").textContent`)).replace(/,/g, '');
      assert.ok(
          Math.abs(Number(/of (\d+)/.exec(clock)[1]) / cycles - 1) < 0.05, `${clock}, and the card says ${cycles}`);
      assert.equal(await value(`${card}.classList.contains("stale")`), false);
      await type('prologue', '2000');
      assert.match(await value(`${card}.className + ${card}.textContent`), /stale.*This is of the values before/);
      await browser.key('Enter');
      await until(`/^some \\d+ s more$/.test(${box}.querySelector("form span").textContent)`);
      assert.ok(await value(`${box}.querySelector("progress").value > 0`));
      await value(`${box}.querySelector(".live-stop").click()`);
      await until(kDone);
      assert.equal(await value(`${card}.textContent`), 'Stopped: it has no result.');
      await type('prologue', '16');
      await browser.key('Enter');  // the engine starts anew
      await until(kDone);
      assert.match(await value(`${card}.textContent`), /^PASS/);
      silent();
    });

test('options stay whole, and code has a button that copies it', async () => {
  await browser.load(url('01_fixed_work/index.html'), {width: 390});
  const broken = `[...document.querySelectorAll('.option')].filter((each) =>
      new Set([...each.getClientRects()].map(({top}) => top)).size > 1)`;
  assert.ok(await value('document.querySelectorAll(".option").length') > 4);
  assert.deepEqual(await value(`${broken}.map((each) => each.textContent)`), []);
  // The clipboard is this test's: a page that isn't in front has none.
  const block = 'document.querySelector(".highlight-sh")',
        code = await value(`${block}.querySelector("pre").textContent`);
  const copied = (how) => value(`(async () => {
    const button = ${block}.querySelector('.live-copy');
    navigator.clipboard.writeText = async (text) => { window.copied = text; ${how} };
    button.click();
    await new Promise(requestAnimationFrame);
    return button.textContent;
  })()`);
  assert.equal(await copied(''), 'Copied');
  assert.equal(await value('copied'), code);
  // Where the clipboard is closed to the page, the code is selected.
  assert.equal(await copied('throw new Error("not in front");'), 'Press Ctrl+C');
  assert.equal(await value('getSelection().toString().trim()'), code.trim());
  assert.equal(await value('document.querySelector(".run-output .live-copy")'), null, 'what is printed is not typed');
  silent();
});

test('a pitfall\'s forms stand side by side, and run', {skip}, async () => {
  await browser.load(url(pitfalls));
  assert.ok(await value('document.querySelectorAll(".live-pair").length') > 30);
  const pair = 'document.querySelector("#no-wait .live-pair")';
  await value(`(() => { ${pair}.open = true; ${pair}.querySelector(".live-run").click(); })()`);
  await until(kDone);
  const [broken, repaired] =
      await value(`[...${pair}.querySelectorAll(".live-output")].map((each) => each.textContent)`);
  assert.match(broken, /\[response-not-complete\][^]*verdict: WRONG/);
  assert.match(repaired, /^no-wait, repaired, [^]*verdict: PASS\n$/);
  for (const width of [400, 800, 1600]) {
    await browser.send('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: 1, mobile: false});
    assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
  }
  // One player at a time, below the buttons and as wide as both columns, in sight.
  for (const [at, finding] of [[0, 'response-not-complete'], [1, '']]) {
    await value(`${pair}.querySelectorAll(".live-bar + .live-bar button")[${at}].click()`);
    const player = `${pair}.querySelector(":scope > .live-bar + .live-bar + .live > .clc-player")`;
    await until(`${player}?.querySelector("canvas") != null`);
    await until(`/${finding || '^$'}/.test(${player}.querySelector('[data-part="story"]').textContent)`);
    assert.equal(await value(`${pair}.querySelectorAll(".clc-player").length`), 1);
    const [wide, both] = await value(
        `[${player}.parentElement, ${pair}.querySelector(".live-columns")].map((each) => each.offsetWidth)`);
    assert.equal(wide, both);
    await until(`(({top}) => top >= 0 && top < 600)(${player}.getBoundingClientRect())`);
  }
  silent();
});

test('each of chapter 05\u2019s six mistakes is seen in two runs, the broken and the repaired one', async () => {
  await browser.load(url('05_ub_pitfalls/index.html'));
  for (let i = 0; i < 6; i++) {
    const pair = `document.querySelectorAll('.live-pair')[${i}]`, player = `${pair}.querySelector('.clc-player')`;
    await value(`${pair}.scrollIntoView()`);
    await until(`${player}?.querySelector('canvas') != null`);
    const findings = `/finding/.test(${player}.querySelector('[data-part="legend"]').textContent)`;
    await until(findings);
    await value(`${pair}.querySelectorAll('.live-bar button')[1].click()`);
    await until(`!(${findings})`);
  }
  silent();
});

const rooms = existsSync(join(BOOK, 'playground.html')) ? skip : 'the playground is not in the book';
test('the playground runs what its link carries, and shows the run\'s first launch', {skip: rooms}, async () => {
  await open();
  const room = await value('document.querySelector("figure .under a").href');
  await browser.load(room);
  await until('document.querySelector("#player [data-part=clock]")?.textContent');
  const clock = await value('document.querySelector("#player [data-part=clock]").textContent');
  assert.equal(Number(/of (\d+)/.exec(clock.replace(/,/g, ''))[1]), cyclesOf(1));
  silent();
});
