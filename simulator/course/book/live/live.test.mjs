// What lives in a page of the book, in Chromium: a page like the book's, from the marks of the course's READMEs.
//   SOURCE=. BUILD=build CHROMIUM=chromium node live.test.mjs
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';

import {Chromium} from '../../../tests/player/chromium.mjs';

const {SOURCE, BUILD, CHROMIUM} = process.env;
const site = mkdtempSync(join(tmpdir(), 'clc-live-'));
const chapter = join(site, '03_clc_basic'), page = join(chapter, 'index.html');
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const readme = (name) => readFileSync(join(SOURCE, name, 'README.md'), 'utf8');

const pictures = [...readme('03_clc_basic').matchAll(/<!-- picture of: (.*?) -->\n!\[.*?\]\((.*?)\)/g)];
const figures = pictures.map(
    ([, command, file]) => `<figure class="run" data-command="${escaped(command)}"><img src="${
        file}" alt="a run"><figcaption>a run</figcaption></figure>`);

let browser;
before(async () => {
  mkdirSync(chapter);
  for (const [, , file] of pictures) copyFileSync(join(SOURCE, '03_clc_basic', file), join(chapter, file));
  writeFileSync(page, `<!doctype html><html lang="en"><meta charset="utf-8"><title>03</title>
<style>body { margin: 0 auto; max-width: 800px; } img { max-width: 100%; } .dark { background: #111; color: #eee; }
.far { height: 5000px; }</style>
<h1>03</h1>${figures[0]}<div class="far"></div>${figures.slice(1).join('')}
<script src="../live/live.js" defer></script></html>`);
  execFileSync('node', [join(SOURCE, 'simulator/course/book/live/make.mjs'), site, BUILD], {stdio: 'inherit'});
  browser = await Chromium.open(CHROMIUM);
});
after(async () => {
  await browser?.close();
  rmSync(site, {recursive: true, force: true});
});

const value = (expression) => browser.value(expression);
async function until(expression, seconds = 20) {
  for (let i = 0; i < seconds * 40; i++) {
    if (await value(expression)) return;
    await wait(25);
  }
  assert.fail(`never: ${expression}`);
}
const kAlive = 'document.querySelector("figure.alive .clc-player canvas") !== null';
const silent = () => assert.deepEqual(browser.console.splice(0), []);

test('a picture becomes its player within a second, at the first steal, and the numbers are clcsim\'s', async () => {
  let soonest = Infinity;  // of a few: the machine may be busy
  for (let i = 0; i < 10 && soonest > 1000; i++) {
    await browser.load(page);
    await until(kAlive);
    soonest = Math.min(soonest, await value('performance.now()'));
  }
  assert.ok(soonest <= 1000, `${soonest} ms`);
  await browser.frame();
  assert.match(
      await value('document.querySelector(\'[data-part="sentence"]\').textContent'), /^Block 0 steals block 2 /);
  assert.equal(await value('getComputedStyle(document.querySelector("figure img")).display'), 'none');
  const [run] = pictures[0][1].match(/build\/bin\/03.*/);
  const {stderr} = spawnSync(
      join(BUILD, 'bin/clcsim'), ['--gpu', 'mini:2', '--stats', ...run.replace(/^build/, BUILD).split(' ')],
      {encoding: 'utf8'});
  const cycles = Number(/^ +1 +multiply.* (\d+)$/m.exec(stderr)[1]);
  const clock = await value('document.querySelector(\'[data-part="clock"]\').textContent.replace(/,/g, "")');
  assert.equal(Number(/of (\d+),? /.exec(clock.replace(',', ' '))?.[1]), cycles, clock);
  silent();
});

test('figures far away are not loaded, and come when the reader comes', async () => {
  await browser.load(page);
  await until(kAlive);
  assert.equal(await value('document.querySelectorAll("figure.alive").length'), 1);
  await value('document.querySelector("figure:last-of-type").scrollIntoView()');
  await until(`document.querySelectorAll("figure.alive .clc-player").length === ${figures.length}`);
  assert.match(await value('[...document.querySelectorAll(\'[data-part="sentence"]\')].at(-1).textContent'), /steals/);
  silent();
});

test('a page with its runs stays below 1 MB', () => {
  const files =
      ['live.js', 'live.css', 'player.js', ...readdirSync(join(site, 'live/runs')).map((name) => `runs/${name}`)];
  const bytes = files.reduce((sum, name) => sum + statSync(join(site, 'live', name)).size, statSync(page).size);
  assert.ok(bytes < 1e6, `${bytes} bytes`);
});

test('without JavaScript and on paper the figure is the picture', async () => {
  await browser.load(page);
  await until(kAlive);
  await browser.send('Emulation.setEmulatedMedia', {media: 'print'});
  assert.deepEqual(
      await value(
          '["img", ".live"].map((each) => getComputedStyle(document.querySelector(`figure ${each}`)).display === "none")'),
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
