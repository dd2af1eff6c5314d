// What lives in a page of the book, in Chromium: a page like the book's, from the marks of the course's READMEs.
//   SOURCE=. BUILD=build CHROMIUM=chromium node live.test.mjs
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import * as fs from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {requestOf} from '../../course/book/live/terminal.mjs';

import {closeSite, openSite, silent, until, value} from './live_site.mjs';

const {SOURCE, BUILD} = process.env;
const site = fs.mkdtempSync(join(tmpdir(), 'clc-live-'));
const chapter = join(site, '03_clc_basic'), page = join(chapter, 'index.html'),
      commands = join(chapter, 'commands.html');
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const inBuild = (word) => word.replace(/^build(?=\/)/, BUILD);
const readme = (name, page = 'README.md') => fs.readFileSync(join(SOURCE, name, page), 'utf8');

const kernels = fs.readFileSync(join(SOURCE, '03_clc_basic/more/KERNELS.md'), 'utf8');
const pictures =
    [...(readme('03_clc_basic') + kernels).matchAll(/<!-- picture of: (.*?) -->\n!\[.*?\]\(.*?pictures\/(.*?)\)/g)];
const figures = pictures.map(
    ([, command, file]) => `<figure class="run" data-command="${escaped(command)}"><img src="${
        file}" alt="a run"><figcaption>a run</figcaption></figure>`);

// What the chapters' commands print, and the pitfalls' diffs in their sections.
const chapters = fs.readdirSync(SOURCE).filter((name) => /^0\d_/.test(name));
const outputs = [...chapters.map((name) => readme(name)), readme('05_ub_pitfalls', 'PITFALLS.md')].flatMap(
    (page) => [...page.matchAll(/<!-- output of: (.*?) -->\n```text\n(.*?)```/gs)].map(
        ([, command, text]) => ({command, text})));
const boxes = outputs.map(
    ({command, text}) =>
        `<div class="run-output" data-command="${escaped(command)}"><pre>${escaped(text)}</pre></div>`);
const pitfalls =
    [...readme('05_ub_pitfalls', 'PITFALLS.md').matchAll(/\n###+ ([\w-]+)\n(?:(?!\n##).)*?```diff\n(.*?)```/gs)];
const sections = pitfalls.map(
    ([, name, diff]) =>
        `<section id="${name}"><div class="highlight-diff"><pre>${escaped(diff)}</pre></div></section>`);
const tries = [...readme('03_clc_basic').matchAll(/```sh\n((?:.* --broken\n)+)```/g)].map(([, text]) => text);
const blocks = tries.map((text) => `<div class="highlight-sh notranslate"><pre>${escaped(text)}</pre></div>`);
const kBuilt = fs.existsSync(join(BUILD, 'simulator/course/playground/wasm/engine.wasm'));

let browser;
before(async () => {
  fs.mkdirSync(chapter);
  for (const [, , file] of pictures) fs.copyFileSync(join(SOURCE, '03_clc_basic/pictures', file), join(chapter, file));
  fs.writeFileSync(page, `<!doctype html><html lang="en"><meta charset="utf-8"><title>03</title>
<style>body { margin: 0 auto; max-width: 800px; } img { max-width: 100%; } .dark { background: #111; color: #eee; }
.far { height: 5000px; }</style>
<h1>03</h1><a href="#end">to the end</a>${figures[0]}<div class="far"></div>${figures.slice(1).join('')}
<h2 id="end">End</h2><div class="far"></div>
<script src="../live/live.js" defer></script></html>`);
  fs.writeFileSync(
      commands,
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>05</title>
<style>body { margin: 0 auto; max-width: 800px; } pre { overflow: auto; }</style>
<h1>05</h1>${boxes.join('')}${sections.join('')}${
          blocks.join('')}<script src="../live/live.js" defer></script></html>`);
  if (fs.existsSync(join(BUILD, 'playground.html')))
    fs.copyFileSync(join(BUILD, 'playground.html'), join(site, 'playground.html'));
  browser = await openSite(site);
});
after(() => closeSite(site));

const kLastAlive = 'document.querySelector("figure.alive:last-of-type .clc-player canvas") !== null';
const kAlive = 'document.querySelector("figure.alive .clc-player canvas") !== null';

// Of a launch of the first picture's command, by clcsim.
function cyclesOf(launch) {
  const [run] = pictures[0][1].match(/build\/bin\/03.*/);
  const {stderr} = spawnSync(
      join(BUILD, 'bin/clcsim'), ['--gpu', 'mini:2', '--stats', ...run.split(' ').map(inBuild)], {encoding: 'utf8'});
  return Number(new RegExp(`^ +${launch} +multiply.* (\\d+)$`, 'm').exec(stderr)[1]);
}

test('a picture becomes its player, at the first steal, and the numbers are clcsim\'s', async (t) => {
  await browser.load(page);
  await until(kAlive);
  t.diagnostic(`alive after ${Math.round(await value('performance.now()'))} ms`);
  await browser.frame();
  assert.match(
      await value('document.querySelector(\'[data-part="sentence"]\').textContent'), /^Block 0 steals block 2 /);
  assert.equal(await value('getComputedStyle(document.querySelector("figure img")).display'), 'none');
  const cycles = cyclesOf(/--timeline-launch (\d+)/.exec(pictures[0][1])[1]);
  const clock = await value('document.querySelector(\'[data-part="clock"]\').textContent.replace(/,/g, "")');
  assert.equal(Number(/of (\d+),? /.exec(clock.replace(',', ' '))?.[1]), cycles, clock);
  silent();
});

test('the reader may guess first', async () => {
  await browser.load(page);
  await until(kAlive);
  const field = 'document.querySelector(\'figure [data-part="guess"]\')';
  assert.notEqual(await value(`${field}.offsetParent`), null);
  await value(`${field}.click()`);
  const question = 'document.querySelector("figure [data-part=question]")';
  assert.match(await value(`${question}.textContent`), /^The next question comes in \d+ steps?/);
  await value(`${question}.querySelector("button").click()`);
  assert.ok(await value('document.querySelectorAll("figure [data-part=question] button").length') > 1);
  silent();
});

test('figures far away are not loaded, and come when the reader comes', async () => {
  await browser.load(page);
  await until(kAlive);
  assert.equal(await value('document.querySelectorAll("figure.alive").length'), 1);
  await value('document.querySelector("figure:last-of-type").scrollIntoView()');
  await until(kLastAlive);
  const drained = 'document.querySelector(\'img[src="drained.svg"]\').closest("figure")';
  await value(`${drained}.scrollIntoView()`);
  await until(`${drained}.querySelector(".clc-player") !== null`);
  assert.match(await value(`${drained}.querySelector('[data-part="sentence"]').textContent`), / steals /);
  silent();
});

test('a jump lands where it leads, and figures have their height before they are loaded', async () => {
  for (const width of [360, 1280]) {
    await browser.load(page, {width});
    await until(kAlive);
    await value('document.documentElement.style.overflowAnchor = "none"');  // not all browsers have it
    const heights = '[...document.querySelectorAll("figure")].map((each) => each.offsetHeight)';
    const before = await value(heights);
    await value('document.querySelector("a[href=\'#end\']").click()');
    await until(kLastAlive);
    await browser.frame();
    assert.ok(Math.abs((await browser.box('#end')).y) < 2, `${(await browser.box('#end')).y} at ${width}`);
    for (const [i, height] of (await value(heights)).entries())
      assert.ok(Math.abs(height - before[i]) < 100, `figure ${i} at ${width}: ${before[i]}, then ${height}`);
  }
  silent();
});

test('where a run can\'t be loaded, the picture stays, and a sentence says so', async () => {
  fs.renameSync(join(site, 'live/runs'), join(site, 'live/elsewhere'));
  await browser.load(page);
  await until('document.querySelector("figure .live-sorry") !== null');
  fs.renameSync(join(site, 'live/elsewhere'), join(site, 'live/runs'));
  assert.match(
      await value('document.querySelector("figure .live-sorry").textContent'),
      /^The run can\u2019t be shown here: runs\/\w+\.js could not be loaded\.$/);
  assert.notEqual(await value('getComputedStyle(document.querySelector("figure img")).display'), 'none');
  browser.console = [];  // Chromium tells of the file
});

test('a page with its runs stays below 1 MB', () => {
  const files =
      ['live.js', 'live.css', 'player.js', ...fs.readdirSync(join(site, 'live/runs')).map((name) => `runs/${name}`)];
  const bytes = files.reduce((sum, name) => sum + fs.statSync(join(site, 'live', name)).size, fs.statSync(page).size);
  assert.ok(bytes < 1e6, `${bytes} bytes`);
});

test('without JavaScript and on paper the figure is the picture', async () => {
  await browser.load(page);
  await until(kAlive);
  await browser.send('Emulation.setEmulatedMedia', {media: 'print'});
  assert.deepEqual(
      await value(
          '["img", ".live"]' +
          '.map((each) => getComputedStyle(document.querySelector(`figure ${each}`)).display === "none")'),
      [false, true]);
  await browser.send('Emulation.setEmulatedMedia', {media: ''});
  await browser.send('Emulation.setScriptExecutionDisabled', {value: true});
  await browser.go(`file://${page}`);  // no frame is waited for: that is JavaScript
  await browser.send('Emulation.setScriptExecutionDisabled', {value: false});
  assert.equal(await value('document.querySelector(".live")'), null);
  assert.notEqual(await value('getComputedStyle(document.querySelector("figure img")).display'), 'none');
  silent();
});

test('nothing sticks out at three widths, and a player follows the page\'s theme', async () => {
  for (const width of [400, 800, 1600]) {
    await browser.load(page, {width});
    await until(kAlive);
    assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
  }
  const dark = 'document.querySelector(".clc-player").classList.contains("dark")';
  assert.equal(await value(dark), false);
  await value('document.body.classList.add("dark")');
  await until(dark, 2);
  await value('document.body.classList.remove("dark")');
  await until(`!${dark}`, 2);
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

const catalogue =
    kBuilt && JSON.parse(fs.readFileSync(join(BUILD, 'simulator/course/playground/catalogue.json'), 'utf8'));
const skip = kBuilt ? false : 'the playground is not built: cmake --build build --target playground';
const kDone = '![...document.querySelectorAll(".live-run")].some((each) => each.disabled)';

test('each button prints what the page shows', {skip}, async () => {
  await browser.load(commands);
  assert.equal(
      await value('document.querySelector("script[src$=\'engine.js\']")'), null, 'the engine is loaded too early');
  const offered = await value(
      '[...document.querySelectorAll(".run-output")].map((box) => box.querySelector(".live-run") !== null)');
  const without = outputs.filter((_, i) => !offered[i]).map(({command}) => command);
  assert.deepEqual(without.filter((command) => requestOf(command, catalogue)), []);
  assert.ok(outputs.length - without.length > 20);
  for (const [i, {command, text}] of outputs.entries()) {
    if (!offered[i]) continue;
    const box = `document.querySelectorAll(".run-output")[${i}]`;
    await value(`${box}.querySelector(".live-run").click()`);
    await until(kDone, 120);
    const printed = await value(`${box}.querySelector(".live-output").textContent`);
    assert.ok(
        shows(text, printed, / \| key lines$/.test(command) || text.includes('\u2026')), `${command}:\n${printed}`);
    const luck = /^verdict: PASS$/m.test(printed) && / clcsim: error /.test(printed);
    assert.equal(await value(`${box}.querySelector(".live-card.luck .live-chip") !== null`), luck, command);
  }
  assert.equal(await value('document.querySelectorAll("script[src$=\'engine.js\']").length'), 1);
  silent();
});

test('below commands to try stand their buttons', {skip}, async () => {
  await browser.load(commands);
  const names = tries.flatMap((text) => [...text.matchAll(/(\S+) --broken$/gm)].map(([, name]) => name));
  assert.ok(names.length >= 10);
  const bars = '[...document.querySelectorAll(".highlight-sh ~ .live-bar")]';
  assert.deepEqual(
      await value(`${bars}.map((each) => each.querySelector(".live-run").textContent)`),
      names.map((name) => `\u25B6 Run ${name} here`));
  await value(`${bars}.forEach((each) => each.querySelector(".live-run").click())`);
  await until(kDone, 120);
  const said = await value(`${bars}.map((each) => each.nextElementSibling.querySelector(".live-output").textContent)`);
  for (const [i, name] of names.entries())
    assert.match(said[i], new RegExp(`error \\[[^]*\n${name}, broken, on clcsim`));
  silent();
});

test('a knob changes the run, and the run can be watched', {skip}, async () => {
  await browser.load(commands);
  const box =
      `document.querySelector('[data-command="build/bin/clcsim build/bin/05_ub_pitfalls one-slot | key lines"]')`;
  await value(
      `(() => { ${box}.querySelector('[name="seed"]').value = 7; ${box}.querySelector('.live-run').click(); })()`);
  await until(kDone, 120);
  assert.match(await value(`${box}.querySelector('.live-output').textContent`), /\[deadlock\]/);
  await value(`${box}.querySelector('.live-screen > button').click()`);
  await until(`${box}.querySelector('.clc-player canvas') !== null`);
  assert.match(await value(`${box}.querySelector('[data-part="story"]').textContent`), /deadlock|never/i);
  silent();
});

test('a pitfall\'s forms stand side by side, run, and differ in the marked lines', {skip}, async () => {
  await browser.load(commands);
  assert.equal(
      await value('document.querySelectorAll(".live-pair").length'),
      pitfalls.filter(([, name]) => requestOf(`clcsim 05_ub_pitfalls ${name}`, catalogue)).length);
  const pair = 'document.querySelector("#no-wait .live-pair")';
  assert.deepEqual(
      await value(`[...${pair}.querySelectorAll("mark")].map((each) => each.textContent.trim())`),
      ['__syncthreads();', 'while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {', '}']);
  await value(`(() => { ${pair}.open = true; ${pair}.querySelector(".live-run").click(); })()`);
  await until(kDone, 120);
  const [broken, repaired] =
      await value(`[...${pair}.querySelectorAll(".live-output")].map((each) => each.textContent)`);
  assert.match(broken, /\[response-not-complete\][^]*verdict: WRONG/);
  assert.match(repaired, /^no-wait, repaired, [^]*verdict: PASS\n$/);
  for (const width of [400, 800, 1600]) {
    await browser.send('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: 1, mobile: false});
    assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
    assert.deepEqual(
        await value(`[...${pair}.querySelectorAll("pre")].filter((each) =>
          each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight).map((each) => each.className)`),
        [], 'no box hides a part of a line, or its end');
  }
  // One player at a time, below the buttons and as wide as both columns, in sight.
  for (const [at, finding] of [[0, 'response-not-complete'], [1, '']]) {
    await value(`${pair}.querySelectorAll(".live-bar + .live-bar button")[${at}].click()`);
    const player = `${pair}.querySelector(":scope > .live-bar + .live-bar + .live > .clc-player")`;
    await until(`${player}?.querySelector("canvas") != null`);
    await until(`/${finding || '^$'}/.test(${player}.querySelector('[data-part="story"]').textContent)`);
    assert.equal(await value(`${pair}.querySelectorAll(".clc-player").length`), 1);
    const [wide, both, top] = await value(`[${player}.parentElement, ${
        pair}.querySelector(".live-columns")].map((each) => each.getBoundingClientRect().width)
        .concat(${player}.getBoundingClientRect().top)`);
    assert.equal(wide, both);
    assert.ok(top >= 0 && top < 600, `at ${top} of 900`);
  }
  silent();
});

const rooms = fs.existsSync(join(BUILD, 'playground.html')) ? skip : 'the playground is not built';
test('the playground runs what its link carries, and shows the run\'s first launch', {skip: rooms}, async () => {
  await browser.load(page);
  await until(kAlive);
  const room = await value('document.querySelector("figure .live-room a").href');
  await browser.load(room);
  await until('document.querySelector("#player [data-part=clock]")?.textContent', 60);
  const clock = await value('document.querySelector("#player [data-part=clock]").textContent');
  assert.equal(Number(/of (\d+)/.exec(clock.replace(/,/g, ''))[1]), cyclesOf(1));
  silent();
});
