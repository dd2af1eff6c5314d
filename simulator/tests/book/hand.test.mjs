// What is linked with a run in a page of the book, in Chromium: the steps of chapter 03's loop.
//   BOOK=build/book SOURCE=. BUILD=build CHROMIUM=chromium node hand.test.mjs
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {loopsOf} from '../../course/book/live/hand.mjs';

import {closeSite, openBook, silent, until, url, value, withoutEngine} from './live_site.mjs';

const {BOOK, SOURCE, BUILD} = process.env, browser = await openBook();
after(() => closeSite());
if (withoutEngine) {
  console.log(`skipped: ${withoutEngine}`);
  process.exit(77);
}
const source = readFileSync(join(SOURCE, '03_clc_basic/clc_basic.cu'), 'utf8').split('\n');
const page = '03_clc_basic/index.html';

// The page, scrolled to where something becomes alive; `player` is then that of the box.
async function open(selector, alive, box) {
  await browser.load(url(page));
  await value('document.querySelector("figure.run").scrollIntoView()');
  await until('typeof clcPlayer === "object" && document.querySelector("figure.alive canvas") !== null');
  await value(`(() => { const {mount} = clcPlayer; globalThis.players = [];
    clcPlayer.mount = (...all) => players[players.push(mount(...all)) - 1]; })()`);
  await value(`document.querySelector('${selector}').scrollIntoView()`);
  await until(alive);
  await value(`globalThis.player = players.find((each) => each.box.closest('${box}')), 1`);
}
const openLoop = () => open('.live-loop', 'document.querySelector(".live-loop [aria-current]") !== null', '.live-loop');

const current = () => value('document.querySelector(".live-loop [aria-current]")?.textContent ?? ""');
const sentence = (box) => value(`document.querySelector('${box} [data-part="sentence"]').textContent`);
const press = (step) => value(`document.querySelector('.live-loop > .live-bar [data-step="${step}"]').click()`);
const lines = () => value('[...document.querySelectorAll(".live-loop li.lit:not(.ptx)")].map((each) => each.value)');
const ptx = () =>
    value('[...document.querySelectorAll(".live-loop li.ptx.lit button")].map((each) => each.textContent)');

// What each step is: what its lines hold, the opcodes of its PTX, and what the run says when the block comes there.
const kSteps = [
  {name: '1 declare', holds: ['uint4 response', 'uint64_t barrier'], ptx: []},
  {
    name: '2 initialise',
    holds: ['mbarrier_init', '__syncthreads'],
    ptx: ['mbarrier.init'],
    says: /initialises the mbarrier/
  },
  {
    name: '3 request',
    holds: ['try_cancel(&response', 'mbarrier_arrive_expect_tx'],
    ptx: [
      'elect.sync', 'fence.proxy.async::generic.acquire', 'clusterlaunchcontrol.try_cancel', 'mbarrier.arrive.expect_tx'
    ],
    says: /requests a waiting block\u2019s work/
  },
  {name: '4 wait', holds: ['mbarrier_try_wait_parity'], ptx: ['mbarrier.try_wait'], says: /has waited for phase 0/},
  {
    name: '5 query',
    holds: ['is_canceled(answer)', 'get_first_ctaid_x'],
    ptx: ['clusterlaunchcontrol.query_cancel.is_canceled', 'clusterlaunchcontrol.query_cancel.get_first_ctaid'],
    says: /queries the response/
  },
  {
    name: '6 give back',
    holds: ['sem_release', '__syncthreads'],
    ptx: ['fence.proxy.async::generic.release', 'bar.sync'],
    says: /has a fence/
  },
];

test('a step shows its lines, its PTX and its events', async () => {
  await openLoop();
  assert.deepEqual(
      await value('[...document.querySelectorAll(".live-loop > .live-bar button")].map((each) => each.textContent)'),
      kSteps.map(({name}) => name));
  for (const [i, step] of kSteps.entries()) {
    await press(i + 1);
    assert.equal(await current(), step.name);
    assert.match(await value('document.querySelector(".live-loop > .live-note").textContent'), /^[A-Z].*\.$/);
    if (!step.says) assert.match(await sentence('.live-loop'), /^Block 0 starts /);
    const lit = await lines(), text = lit.map((line) => source[line - 1]).join('\n');
    for (const held of step.holds) assert.ok(text.includes(held), `${step.name}: ${held} is not lit`);
    const shown = await ptx();
    assert.deepEqual(
        shown.map((each, at) => each.startsWith(step.ptx[at] ?? 'none')), step.ptx.map(() => true),
        `${step.name}: ${shown}`);
    assert.deepEqual(
        await value(
            '[...document.querySelectorAll(".highlight-ptx .lit")]' +
            '.map((each) => each.textContent.trim().replace(/^\\d +/, ""))'),
        shown);
    if (step.says) assert.match(await sentence('.live-loop'), step.says);
    // The events: all that the record has at these lines, and what the hardware does for a request at them.
    const marked = await value('player.lit'), all = await value(`(() => {
      const {panel, run} = player, {events} = panel, lit = new Set(${JSON.stringify(lit)}), found = [];
      for (let i = 0; i < events.length; i++) {
        const launch = panel.launches[0], type = clcPlayer.types[events.type[i]];
        const line = type === 'decided' || type === 'landed' ?
          launch.requests.line[0] : clcPlayer.lineOf(run, panel, i);
        if (line && lit.has(run.lines[line - 1][1]) && run.lines[line - 1][0] === 0) found.push(i);
      }
      return found; })()`);
    assert.deepEqual(marked, all);
    assert.equal(marked.length > 0, Boolean(step.says), step.name);
  }
  silent();
});

test('what happens in the run shows its step, its line and its PTX', async () => {
  await openLoop();
  await value('player.goTo(0)');
  const seen = [];
  for (let i = 0; i < 60 && !/There is no further/.test(await value('player.find("sentence").textContent')); i++) {
    await value('document.querySelector(\'.live-loop [data-part="forward"]\').click()');
    const step = await current(), line = Number(/\(clc_basic.cu:(\d+)\)/.exec(await sentence('.live-loop'))?.[1] ?? 0);
    if (seen.at(-1) !== step) seen.push(step);
    if (!line) continue;
    assert.ok((await lines()).includes(line), `line ${line} is not one of ${step}`);
    assert.deepEqual(
        await value('[...document.querySelectorAll(".live-loop li.event:not(.ptx)")].map((each) => each.value)'),
        [line]);
    for (const each of await value(
             '[...document.querySelectorAll(".live-loop li.ptx.event")].map((each) => Number(each.dataset.line))'))
      assert.equal(each, line);
  }
  const round = kSteps.slice(2).map(({name}) => name);
  assert.deepEqual(seen, [kSteps[1].name, ...round, ...round.slice(0, 3)]);  // block 0 steals once
  silent();
});

test('a click on an event shows its step; while the block works on its tile there is none', async () => {
  await openLoop();
  await press(4);
  const event = await value('player.lit.findLast((i) => player.panel.events.block[i] === 1)');
  const at = (time) => value(`(() => { const {x, y, height} = player.drawn.rows.getBoundingClientRect();
    return [x + player.axis.x(${time}), y + height * 0.75]; })()`);
  await value('document.querySelector(".live-loop .rows").scrollIntoView({block: "center", behavior: "instant"})');
  await browser.frame();
  await browser.click(...await at(`player.panel.events.time[${event}]`));
  await browser.frame();
  const line = source.findIndex((text) => text.includes('mbarrier_try_wait_parity')) + 1;
  assert.match(
      await sentence('.live-loop'),
      new RegExp(`block 1 has waited for phase \\d of the mbarrier, which is over.*:${line}\\)`));
  assert.equal(await current(), '4 wait');
  assert.ok((await ptx())[0].startsWith('mbarrier.try_wait'));
  await value('player.setFocus(0, 0)');
  await value('player.goToTime(player.panel.begin + 5000)');
  assert.equal(await current(), '');
  silent();
});

test('numbers of steps in the text lead to the run, also by the keyboard', async () => {
  await openLoop();
  const places = await value(
      '[...document.querySelectorAll("button[data-step]")]' +
      '.filter((each) => !each.closest(".live-loop")).map((each) => each.textContent)');
  for (const text of ['1. declare', '6. give back', '\u25B6 Step 5 in a run', '3'])
    assert.ok(places.includes(text), text);
  await value(
      '[...document.querySelectorAll("button[data-step]")]' +
      '.find((each) => each.textContent === "\u25B6 Step 5 in a run").focus()');
  await browser.key('Enter');
  await until('document.querySelector(".live-loop [aria-current]").textContent === "5 query"');
  assert.equal(
      await value('document.querySelector(".live-loop").previousElementSibling.textContent'), '\u25B6 Step 5 in a run');
  assert.ok(await value('document.activeElement.getBoundingClientRect().top >= 0'));
  const inSight =
      '(({scrollTop, clientHeight}, {offsetTop}) => offsetTop >= scrollTop && offsetTop < scrollTop + clientHeight)(' +
      'document.querySelector(".live-loop ol.source"), document.querySelector(".live-loop li.event"))';
  assert.ok(await value(inSight), 'the line is out of sight');
  await value(
      '[...document.querySelectorAll(".highlight-ptx button")].find((each) => each.textContent === "5").click()');
  await until('document.querySelector(".live-loop").previousElementSibling.matches(".highlight-ptx")');
  await browser.frame();
  assert.ok(await value(inSight), 'the same line is out of sight elsewhere');
  assert.match(await sentence('.live-loop'), /queries the response .*: it is a failure/);
  // The focus alone lights a step; the moment stays.
  const before = await sentence('.live-loop');
  await value('document.querySelector(\'.live-loop > .live-bar [data-step="6"]\').focus()');
  assert.equal(await current(), '6 give back');
  assert.equal(await sentence('.live-loop'), before);
  await value(
      '[...document.querySelectorAll(".c1 button")].find((each) => each.textContent === "2. initialise").focus()');
  assert.equal(await current(), '2 initialise');
  assert.equal(await sentence('.live-loop'), before);
  silent();
});

test('where the page says something else than the run, nothing is linked', () => {
  const {loops} = JSON.parse(/^const clcBook = (.*);$/m.exec(readFileSync(join(BOOK, 'live/live.js'), 'utf8'))[1]);
  const catalogue = JSON.parse(readFileSync(join(BUILD, 'simulator/course/playground/catalogue.json'), 'utf8'));
  const html = readFileSync(join(BOOK, page), 'utf8'),
        linked = (html) => loopsOf([{html, commands: Object.keys(loops)}], catalogue);
  assert.deepEqual(linked(html), loops);
  assert.deepEqual(linked(html.replaceAll('try_wait', 'test_wait')), {});
});

test('nothing sticks out at three widths, and on paper it is the text', async () => {
  for (const width of [400, 800, 1600]) {
    await openLoop();
    await browser.send('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: 1, mobile: false});
    await browser.frame();
    assert.ok(await value('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
  }
  await browser.send('Emulation.setEmulatedMedia', {media: 'print'});
  assert.equal(await value('getComputedStyle(document.querySelector(".live-loop")).display'), 'none');
  silent();
});
