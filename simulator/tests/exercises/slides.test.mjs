// The slides in Chromium: nothing sticks out, at the sizes of projectors; keyboard, click, notes, the speaker's window,
// print.
//   SLIDES=slides.html CHROMIUM=... node --test slides.test.mjs
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {Chromium} from '../player/chromium.mjs';

const {SLIDES, CHROMIUM} = process.env;
const html = readFileSync(SLIDES, 'utf8');
const count = html.match(/^<section>/gm).length;
let browser;
before(async () => {
  browser = await Chromium.open(CHROMIUM);
});
after(() => browser?.close());

const at = () => browser.value('document.querySelector(\'footer\').textContent');
const shown = (tag) => browser.value(`document.querySelector('.now ${tag}').checkVisibility()`);

// What leaves the window or its own box, on the slide that is shown.
const outside = `[...document.querySelectorAll('.now *')].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.right > innerWidth + 1 || box.bottom > innerHeight + 1 ||
    (each.matches('pre, li') && each.scrollWidth > each.clientWidth + 1);
}).map((each) => each.outerHTML.slice(0, 80))`;

test('nothing comes from elsewhere, and no picture is missing', async () => {
  assert.deepEqual(html.match(/(src|href)="(?!data:)[^"]*/g), null);
  await browser.load(SLIDES);
  assert.equal(await browser.value('[...document.images].filter((each) => !each.naturalWidth).length'), 0);
  assert.equal(
      await browser.value('document.images.length'),
      readFileSync(new URL('../../../common/teaching/slides.md', import.meta.url), 'utf8').match(/^!\[/gm).length);
});

for (const [width, height] of [[1280, 720], [1024, 768], [1920, 1080]]) {
  test(`each slide fits into ${width} x ${height}`, async () => {
    await browser.load(SLIDES, {width, height});
    for (let i = 1; i <= count; i++, await browser.key('ArrowRight')) {
      assert.equal(await at(), `${i} / ${count}`);
      assert.deepEqual(await browser.value(outside), [], `slide ${i}`);
    }
  });
}

test('keys and clicks', async () => {
  await browser.load(SLIDES);
  for (const [key, slide] of [
           ['ArrowRight', 2], ['PageDown', 3], [' ', 4], ['ArrowLeft', 3], ['PageUp', 2], ['End', count],
           ['ArrowRight', count], ['Home', 1], ['ArrowLeft', 1]]) {
    await browser.key(key);
    assert.equal(await at(), `${slide} / ${count}`, key);
  }
  await browser.click(900, 400);
  assert.equal(await at(), `2 / ${count}`);
  await browser.click(100, 400);
  assert.equal(await at(), `1 / ${count}`);
  await browser.value('location.hash = \'#5\'');
  await browser.frame();
  assert.equal(await at(), `5 / ${count}`);
});

test('text that was marked, to be copied, stays where it is', async () => {
  await browser.load(`file://${SLIDES}#6`);
  await browser.value(
      'getSelection().selectAllChildren(document.querySelector(".now pre"));' +
      'document.querySelector(".now pre").click()');
  assert.equal(await at(), `6 / ${count}`);
});

test('notes: below the slide, and in a window of the speaker’s', async () => {
  await browser.load(SLIDES);
  assert.equal(await shown('aside'), false);
  await browser.key('n');
  assert.equal(await shown('aside'), true);
  await browser.key('s');
  const speaker = () => browser.value('speaker.document.body.innerText');
  assert.match(
      await speaker(), /^0 minutes, slide 1 of \d+\s+Cluster Launch Control[^]*Minute 0\.[^]*Next: The problem/);
  await browser.value('speaker.onkeydown(new KeyboardEvent(\'keydown\', {key: \'ArrowRight\'}))');
  assert.match(await speaker(), /slide 2 of/);
  await browser.value('speaker.close()');
});

test('a page for each slide, notes on it', async () => {
  await browser.load(SLIDES);
  const {data} = await browser.send('Page.printToPDF', {preferCSSPageSize: true});
  assert.equal(Buffer.from(data, 'base64').toString('latin1').match(/\/Type \/Page\b/g).length, count);
  assert.deepEqual(browser.console, []);
});
