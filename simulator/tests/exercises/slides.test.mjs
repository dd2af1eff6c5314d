// The slides in Chromium: nothing sticks out on a projector; keys, the speaker's window, print.
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

// What leaves the window or its own box, on the slide that is shown.
const outside = `[...document.querySelectorAll('.now *')].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.right > innerWidth + 1 || box.bottom > innerHeight + 1 ||
    (each.matches('pre, li') && each.scrollWidth > each.clientWidth + 1);
}).map((each) => each.outerHTML.slice(0, 80))`;

for (const [width, height] of [[1280, 720], [1024, 768]]) {
  test(`each slide fits into ${width} x ${height}, and the arrow leads to the next`, async () => {
    assert.deepEqual(html.match(/(src|href)="(?!data:)[^"]*/g), null);
    await browser.load(SLIDES, {width, height});
    for (let i = 1; i <= count; i++, await browser.key('ArrowRight')) {
      assert.equal(await at(), `${i} / ${count}`);
      assert.deepEqual(await browser.value(outside), [], `slide ${i}`);
    }
  });
}

test('notes in a window of the speaker’s, and a page for each slide', async () => {
  await browser.load(SLIDES);
  await browser.key('s');
  assert.match(
      await browser.value('speaker.document.body.innerText'),
      /^0 minutes, slide 1 of \d+\s+Cluster Launch Control[^]*Next: The problem/);
  await browser.value('speaker.close()');
  const {data} = await browser.send('Page.printToPDF', {preferCSSPageSize: true});
  assert.equal(Buffer.from(data, 'base64').toString('latin1').match(/\/Type \/Page\b/g).length, count);
  assert.deepEqual(browser.console, []);
});
