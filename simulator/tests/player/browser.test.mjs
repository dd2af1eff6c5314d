// The player's page and the tour's in Chromium: widths, themes, contrast, keyboard, fingers; what stands on it where.
//   CLCSIM=... BASIC=... CLUSTER=... PITFALLS=... TOUR=... SOURCE=... RESULTS=... FOLDER=... CHROMIUM=... node --test
//   browser.test.mjs
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {after, before, test} from 'node:test';

import {Chromium} from './chromium.mjs';

const {CLCSIM, BASIC, CLUSTER, PITFALLS, TOUR, SOURCE, RESULTS, FOLDER, CHROMIUM} = process.env;
const six = `${FOLDER}/six.html`, found = `${FOLDER}/found.html`, stuck = `${FOLDER}/stuck.html`,
      tour = `${FOLDER}/tour.html`, long = `${FOLDER}/long.html`, silently = `${FOLDER}/silently.html`,
      apart = `${FOLDER}/apart.html`, launch = `${FOLDER}/launch.html`, pairs = `${FOLDER}/pairs.html`;
let browser;

before(async () => {
  mkdirSync(FOLDER, {recursive: true});
  const options = '--threads 1024 --tile 1024 --prologue 100 --skew 16 --shape 3 --warmup 0 --runs 1'.split(' ');
  const draw = (file, gpu, ...command) =>
      execFileSync(CLCSIM, ['--gpu', gpu, '--timeline', file, '--timeline-launch', '1', ...command, ...options]);
  draw(six, 'mini:2', BASIC, '--kernel', 'basic', '--elements', '6144');
  draw(pairs, 'mini', CLUSTER, '--kernel', 'pairs', '--elements', '12288');
  assert.equal(spawnSync(CLCSIM, ['--timeline', found, PITFALLS, 'decode-first', '--broken']).status, 86);
  assert.equal(spawnSync(CLCSIM, ['--timeline', stuck, PITFALLS, 'no-expect-tx', '--broken']).status, 86);
  execFileSync(CLCSIM, ['--timeline', long, BASIC]);
  assert.equal(spawnSync(CLCSIM, ['--timeline', silently, PITFALLS, 'shared-reuse']).status, 1);
  assert.equal(spawnSync(CLCSIM, ['--timeline', apart, PITFALLS, 'uncounted-reader']).status, 86);
  assert.equal(spawnSync(CLCSIM, ['--timeline', launch, PITFALLS, 'swapped-launch']).status, 1);
  if (TOUR) {
    execFileSync(TOUR, ['draw', dirname(BASIC), `${FOLDER}/pictures`]);
    execFileSync(TOUR, ['page', `${FOLDER}/pictures`, tour, RESULTS, '--', 'GPU', 'none']);
  }
  browser = await Chromium.open(CHROMIUM);
});
after(() => browser?.close());

const part = (name) => `document.querySelector('[data-part="${name}"]')`;
const text = (name) => browser.value(`${part(name)}.textContent`);
const press = (name) => browser.value(`${part(name)}.click()`);
const clock = async () => Number(/^cycle ([\d,]+)/.exec(await text('clock'))[1].replace(/,/g, ''));
const event = async () => Number(/(?:event|step) ([\d,]+) of/.exec(await text('clock'))[1].replace(/,/g, ''));
const silent = () => assert.deepEqual(browser.console, []);

for (const theme of ['light', 'dark']) {
  for (const width of [400, 800, 1600]) {
    test(
        `the player, ${width} pixels, ${theme}: nothing sticks out, all text is readable, the console is silent`,
        async () => {
          for (const file of [six, found]) {
            await browser.load(file, {width, height: 900, theme});
            await press('forward');
            await browser.value(`${part('table-section')}.open = true`);
            for (let i = 0; i < 3; i++) await browser.key('t');
            await browser.frame();
            assert.equal(await browser.value('document.documentElement.scrollWidth'), width);
            const {checked, seen} = await browser.faint();
            assert.ok(checked > 150, `${checked} texts`);
            assert.deepEqual(seen, []);
            await browser.value(`${part('help')}.showModal()`);
            assert.deepEqual((await browser.faint()).seen, []);
            silent();
          }
        });
  }
}

const queue = () => browser.value(`${part('queue')}.getAttribute('aria-label')`);
const focus = () => browser.value(`${part('block')}.value`);

test('a step is what matters; every instruction is one choice away', async () => {
  await browser.load(six);
  assert.equal(
      await browser.value('document.querySelector("footer").textContent'),
      execFileSync(CLCSIM, ['--version'], {encoding: 'utf8'}).trim());
  const steps = Number(/step 1 of (\d+)/.exec(await text('clock'))[1]);
  assert.ok(steps < 40, `${steps} steps for six blocks`);
  assert.equal(await queue(), '6 blocks of 6 wait', 'as the sentence says');
  await press('forward');
  assert.match(await text('sentence'), /^Block 0 starts on SM 0\. Now 5 blocks/);
  assert.equal(await queue(), '5 blocks of 6 wait');
  await browser.value(`${part('unit')}.value = 'event', ${part('unit')}.dispatchEvent(new Event('change'))`);
  assert.ok(Number(/event \d+ of (\d+)/.exec(await text('clock'))[1]) > 10 * steps);
  // A list keeps up and down alone.
  await browser.value(`${part('unit')}.value = 'steal', ${part('unit')}.focus()`);
  await browser.key('ArrowRight');
  assert.equal(await browser.value(`${part('unit')}.value`), 'steal');
  assert.match(await text('sentence'), /steals block 2/);
  silent();
});

test('a step back is the same moment as before, and a link brings back the very same view', async () => {
  await browser.load(six);
  for (let i = 0; i < 12; i++) await press('forward');
  const at = await event(), said = await text('sentence');
  await press('forward');
  assert.equal(await event(), at + 1);
  assert.notEqual(await text('sentence'), said);
  await press('back');
  assert.deepEqual([await event(), await text('sentence')], [at, said]);
  const shown = async () =>
      [await event(), await clock(), await text('sentence'), await focus(), await text('focus'),
       await browser.value(`${part('let-go')}.hidden`),
       await browser.value(`document.querySelector('ol.source li.event')?.value ?? 0`)];
  await browser.key('w');
  await browser.key('l');
  await browser.key('ArrowDown');
  const before = await shown(), hash = await browser.value('location.hash');
  assert.equal(before[5], false, 'the block is chosen');
  await browser.load(`file://${resolve(six)}${hash}`);
  assert.deepEqual(await shown(), before);
  assert.equal(await browser.value('location.hash'), hash);
  silent();
});

test('the focus follows the event; what is chosen stays until one lets go', async () => {
  await browser.load(six);
  const seen = new Set();
  for (let i = 0; i < 20; i++) {
    await press('forward');
    const said = /^(?:Warp \d+ of b|B)lock (\d+)/.exec(await text('sentence'))?.[1];
    if (said === undefined) continue;
    assert.equal(await focus(), `0:${said}`, await text('sentence'));
    seen.add(said);
  }
  assert.deepEqual([...seen].sort(), ['0', '1']);
  await browser.value(`${part('block')}.value = '0:4', ${part('block')}.dispatchEvent(new Event('change'))`);
  for (let i = 0; i < 3; i++) await press('forward');
  assert.equal(await focus(), '0:4');
  await browser.value('document.activeElement.blur()');
  await browser.key('Escape');
  assert.match(await focus(), /^0:[01]$/);
  assert.equal(await browser.value(`${part('let-go')}.hidden`), true);
  silent();
});

test('play stays three seconds at each steal, and goes on in the run\'s own time', async () => {
  await browser.load(six);
  // The clock of the page is this test's: pictures of a sixtieth of its seconds.
  const played = await browser.value(`(() => {
    let now = 0, next = null;
    performance.now = () => now;
    window.requestAnimationFrame = (f) => { next = f; return 1; };
    window.cancelAnimationFrame = () => {};
    ${part('play')}.click();
    const cycle = () => Number(/^cycle ([\\d,]+)/.exec(${part('clock')}.textContent)[1].replace(/,/g, ''));
    const at = [], stays = {};
    for (let i = 0; i < 60 * 31; i++) {
      now += 1000 / 60;
      const call = next;
      next = null;
      call?.(now);
      const before = at.at(-1), said = ${part('sentence')}.textContent;
      at.push(cycle());
      if (before === at.at(-1) && call) stays[said] = (stays[said] ?? 0) + 1 / 60;
    }
    return {at, stays, label: ${part('play')}.textContent};
  })()`);
  const end = played.at[played.at.length - 1], done = played.at.indexOf(end) / 60;
  assert.ok(done > 23 && done < 25, `${done} s: twelve, and three for each of four steals`);
  assert.match(played.label, /Play/);
  const steals = Object.entries(played.stays).filter(([said]) => /^Block \d steals block \d/.test(said));
  assert.equal(steals.length, 4);
  for (const [said, seconds] of steals) assert.ok(seconds > 2.9 && seconds < 3.1, `${seconds} s: ${said}`);
  const half = played.at[60 * 12] / end;
  assert.ok(half > 0.15 && half < 0.85, `${half} of the run after half of the time`);
  for (let i = 1; i < played.at.length; i++) assert.ok(played.at[i] >= played.at[i - 1], 'time goes on');
});

test('words and numbers are found: Enter goes to the next step that says them', async () => {
  const find = async (words, options) => {
    await browser.key('/');
    await browser.value(`${part('find')}.value = '${words}'`);
    await browser.key('Enter', options);
    return text('sentence');
  };
  await browser.load(six);
  assert.match(await find('steals block 3'), /^Block 1 steals block 3/);
  assert.match(await find('FAILS'), /fails/);
  const first = await event();
  assert.match(await find('fails'), /fails/);
  await find('fails', {shift: true});
  assert.equal(await event(), first);
  await find('no such thing');
  assert.equal(await text('sentence'), 'There is no further one.');
  await browser.load(long);
  for (let said = await find('block 23'); said !== 'There is no further one.'; said = await find('block 23'))
    assert.match(said, /block 23\b/, 'not 123, nor 230');
  silent();
});

test('a page of a default run has at most 500 kB', () => {
  assert.ok(statSync(long).size <= 500000, `${statSync(long).size} bytes`);
});

test('a broken form without a finding: the page shows its lines; lines apart are no stretch', async () => {
  await browser.load(silently);
  assert.match(
      await text('story'),
      /^No finding, but a kernel with a mistake.*moved.*lines \d+\u2013\d+ should run, not lines.*__syncthreads/s);
  assert.ok(await browser.value('document.querySelectorAll("ol.source li.missing").length') > 0);
  await browser.load(apart);
  assert.match(await text('story'), /rightlines \d+, \d+: ptx::mbarrier_init\(&empty, kTile\);\nptx::mbarrier_arrive/);
  await browser.load(six);
  assert.equal(await browser.value(`${part('story')}.hidden`), true);
  silent();
});

test('a broken launch without a finding: the page says that the kernel is not to blame', async () => {
  await browser.load(launch);
  assert.match(
      await text('story'), /^No finding, but a launch with a mistake.*not in the kernel.*how the host launches it/s);
});

test('a stolen block is chosen in the rows like any other', async () => {
  await browser.load(six);
  const rows = await browser.box('.rows canvas');
  await browser.click(rows.x + 62 + 0.5 * (rows.width - 74), rows.y + rows.height * 0.75);
  assert.match(await focus(), /^0:[345]$/);
  assert.match(await text('focus'), /is stolen by block 1 at cycle .*does its work from cycle/);
  silent();
});

test('a click on a bar says on top why its block waits there', async () => {
  await browser.load(pairs);
  const rows = await browser.box('.rows canvas'),
        places = JSON.parse(await browser.value(`document.getElementById('record').textContent`));
  assert.equal(places.launches[0].grid[0], 12);
  await browser.click(rows.x + 62 + 0.5 * (rows.width - 74), rows.y + rows.height * 0.375);
  assert.match(
      await text('sentence'),
      /^The cluster of block 1 stole .* At [\d,]+ the block waits at the cluster barrier, until [\d,]+\.$/);
  assert.match(
      await browser.value(`${part('focus')}.querySelector('.why').textContent`),
      /cluster barrier: .* They go on at cycle/);
  silent();
});

test('the legend has what occurs in the run, and leads to it', async () => {
  await browser.load(six);
  const names = `[...${part('legend')}.querySelectorAll('button')].map((each) => each.textContent.trim())`;
  assert.deepEqual(
      await browser.value(names),
      ['own tile', 'prologue', 'stolen tile', 'request', 'failed request', 'still to come']);
  const click = (at) => browser.value(`${part('legend')}.querySelectorAll('button')[${at}].click()`);
  await click(2);
  assert.match(await text('sentence'), /^Hatched: /);
  assert.ok(await event() > 1, 'it leads there');
  await browser.load(found);
  assert.ok((await browser.value(names)).includes('finding'));
  await browser.load(pairs);
  assert.ok((await browser.value(names)).includes('the block waits'));
  silent();
});

test('the accessibility tree: whatever one can use or look at has a name, and the sentence is live', async () => {
  for (const file of [six, stuck]) {
    await browser.load(file);
    const {all, nameless} = await browser.names(
        ['button', 'combobox', 'searchbox', 'checkbox', 'img', 'image', 'region', 'dialog', 'toolbar', 'table']);
    assert.deepEqual(nameless, []);
    assert.ok(all.length > 30, `${all.length} nodes`);
    assert.equal(await browser.value(`${part('sentence')}.getAttribute('aria-live')`), 'polite');
  }
  silent();
});

test('nothing below moves while one steps', async () => {
  const places = `['runs', 'legend', 'queue-section']
       .map((each) => document.querySelector('[data-part="' + each + '"]').getBoundingClientRect().top + scrollY)`;
  for (const width of [390, 800, 1400]) {
    await browser.load(six, {width});
    const seen = [new Set(), new Set(), new Set()];
    // What a block has is known once it has run: from there on all has its place.
    for (let i = 0; i < 2; i++) {
      await browser.key('Home');
      for (let step = 0; step < 31; step++) {
        await browser.key('ArrowRight');
        await browser.frame();
        (await browser.value(places)).forEach((top, at) => (at < 2 || i === 1) && seen[at].add(top));
      }
    }
    assert.deepEqual(seen.map(({size}) => size), [1, 1, 1], `${width}`);
  }
  silent();
});

test('the number of a tile goes out of the cursor\'s way', async () => {
  await browser.load(six);
  await browser.value(`(() => {
    const rows = document.querySelector('.rows canvas'), ctx = rows.getContext('2d'), {fillText} = ctx;
    ctx.fillText = (text, x, y) => {
      if (text === '0') window.middle = x;
      fillText.call(ctx, text, x, y);
    };
  })()`);
  await browser.key('End');
  await browser.frame();
  const middle = await browser.value('window.middle'), {x, y} = await browser.box('.rows');
  assert.ok(middle > 0);
  for (const [beside, way] of [[-9, 1], [9, -1], [40, 0]]) {
    await browser.click(x + middle + beside, y + 60);
    await browser.frame();
    assert.equal(Math.sign(Math.round(await browser.value('window.middle') - middle)), way);
  }
  silent();
});

test('page keys scroll the page, and step once the player has the focus', async () => {
  await browser.load(six, {height: 500});
  await browser.value('document.body.append(Object.assign(document.createElement("div"), {style: "height: 3000px"}))');
  await browser.key('PageDown');
  for (let i = 0; i < 100 && await browser.value('scrollY === 0'); i++) await browser.frame();
  assert.ok(await browser.value('scrollY') > 0);
  assert.equal(await event(), 1);
  await press('forward');
  await browser.value(`${part('forward')}.focus()`);
  await browser.key('PageDown');
  assert.equal(await event(), 3);
  await browser.key('PageUp');
  assert.equal(await event(), 2);
  silent();
});

test('who guesses is told when the next question comes, and can have it at once', async () => {
  await browser.load(six);
  await press('guess');
  const [, steps] = /^The next question comes in (\d+) steps\./.exec(await text('question'));
  await press('forward');
  assert.match(await text('question'), new RegExp(`in ${steps - 1} steps?\\.`));
  const height = async () => (await browser.box('[data-part="question"]')).height, before = await height();
  await browser.value(`${part('question')}.querySelector('button').click()`);
  assert.match(await text('question'), /who gets it\?|request succeed\?/);
  await browser.key('1');
  assert.match(await text('question'), /Yes\.|No: see what happens/);
  assert.equal(await height(), before);
  await press('back');
  assert.match(await text('question'), /^The next question comes in/);
  await press('guess');
  assert.equal(await browser.value(`${part('question')}.hidden`), true);
  silent();
});

test('the keyboard alone does everything', async () => {
  await browser.load(six);
  await browser.key('ArrowRight');
  assert.equal(await event(), 2);
  await browser.value(`${part('sentence')}.focus()`);
  await browser.key('PageDown');
  await browser.key('ArrowLeft');
  assert.equal(await event(), 2);
  await browser.key('t');
  assert.match(await text('sentence'), /steals block 2/);
  await browser.key('b');
  await browser.key('ArrowRight', {shift: true});
  const block = await focus();
  await browser.key('ArrowDown');
  assert.notEqual(await focus(), block);
  await browser.key('Escape');
  await browser.key('l');
  assert.match(await text('sentence'), /^Block \d+ runs \w+\.\w+:\d+\. Before that: /);
  await browser.key('w');
  await browser.key('d');
  assert.match(await browser.value('location.hash'), /from=\d+&to=\d+/);
  await browser.key('z');
  assert.doesNotMatch(await browser.value('location.hash'), /from=/);
  await browser.key('End');
  assert.match(await text('sentence'), /is done/);
  await browser.key('Home');
  assert.equal(await event(), 1);
  await browser.key('/');
  for (const key of 'failure') await browser.key(key);
  await browser.key('Enter');
  assert.match(await text('sentence'), /failure/);
  await browser.key('Escape');
  await browser.key('Home');
  await browser.key('g');
  for (let i = 0; i < 200 && (await text('question')).startsWith('The next'); i++) await browser.key('ArrowRight');
  const asked = await text('sentence');
  await browser.key('1');
  assert.match(await text('question'), /Yes\.|No: see what happens/);
  assert.notEqual(await text('sentence'), asked);
  await browser.key('?');
  assert.equal(await browser.value(`${part('help')}.scrollTop`), 0, 'the help begins at its beginning');
  // Tab reaches every control that can be seen, in the order of the page.
  await browser.load(six);
  const wanted = await browser.value(
      `[...document.querySelectorAll('main button, main select, main input, main summary, main [tabindex="0"]')]
       .filter((e) => e.checkVisibility() && e.getClientRects().length).length`);
  const reached = await browser.value(`(() => { window.reached = new Set();
        document.addEventListener('focusin', (e) => window.reached.add(e.target)); return 0; })()`);
  assert.equal(reached, 0);
  for (let i = 0; i < wanted + 3; i++) await browser.key('Tab');
  assert.ok(
      await browser.value('window.reached.size') >= wanted,
      `${await browser.value('window.reached.size')} of ${wanted}`);
  silent();
});

test('fingers: a tap chooses, one pans, two zoom, and a drag on the strip scrubs', async () => {
  await browser.load(six, {width: 800, height: 900, touch: true});
  const rows = await browser.box('.rows canvas');
  const at = (share, row = 0.75) => [rows.x + 62 + share * (rows.width - 74), rows.y + rows.height * row];
  await browser.touch([[at(0.4)]]);
  await browser.frame();
  assert.equal(await focus(), '0:3');
  const tapped = await clock(), end = Number(/of ([\d,]+), step/.exec(await text('clock'))[1].replace(/,/g, ''));
  assert.ok(Math.abs(tapped / end - 0.4) < 0.02, `${tapped} of ${end}`);
  // Two fingers move apart: less time is shown, around the place between them.
  await browser.touch([[at(0.45), at(0.55)], [at(0.4), at(0.6)], [at(0.35), at(0.65)], [at(0.3), at(0.7)]]);
  await browser.frame();
  const begin = JSON.parse(await browser.value(`document.getElementById('record').textContent`)).panels[0].begin;
  const range = async () =>
      /from=(\d+)&to=(\d+)/.exec(await browser.value('location.hash'))?.slice(1).map((time) => time - begin);
  const [from, to] = await range();
  assert.ok(to - from < end * 0.5, `${from} ${to} of ${end}`);
  assert.ok(Math.abs((from + to) / 2 - end / 2) < end * 0.03, `${from} ${to} of ${end}`);
  // One finger drags the time along.
  await browser.touch([[at(0.5)], [at(0.45)], [at(0.35)], [at(0.3)]]);
  await browser.frame();
  const panned = await range();
  assert.ok(panned[0] > from, `${panned} after ${from}`);
  assert.equal(panned[1] - panned[0], to - from);
  assert.equal(await clock(), tapped);
  const strip = await browser.box('.strip');
  const on = (share) => [strip.x + 62 + share * (strip.width - 74), strip.y + 10];
  await browser.touch([[on(0.2)], [on(0.5)], [on(0.8)]]);
  await browser.frame();
  assert.ok(Math.abs(await clock() / end - 0.8) < 0.02);
  silent();
});

test('a run with a finding opens at it: cause, fix and rule on top, its line and the broken lines marked', async () => {
  await browser.load(stuck, {width: 1600, height: 900});
  assert.match(await text('sentence'), /^Finding: \[deadlock\]/);
  const story = await browser.box('[data-part="story"]');
  assert.ok(story.y < 120 && story.y + story.height < 500, JSON.stringify(story));
  const facts = await text('story');
  assert.match(facts, /cause.*no expect-tx.*missing.*mbarrier_arrive_expect_tx.*fix.*expect 16 bytes.*rule/s);
  assert.match(facts, /How it came to this:.*requests.*steals block.*response.*The finding, at mbarriers\.cuh:\d+\./s);
  const marked = (kind) =>
      browser.value(`[...document.querySelectorAll('ol.source li.${kind}')].map((each) => each.value)`);
  const lines = readFileSync(`${SOURCE}/05_ub_pitfalls/pitfalls/mbarriers.cuh`, 'utf8').split('\n');
  const from = lines.indexOf('// [no-expect-tx]'),
        at = (what) => lines.findIndex((line, i) => i > from && line.includes(what)) + 1;
  assert.deepEqual(await marked('missing'), [at('arrive_expect_tx'), at('arrive_expect_tx') + 1]);
  assert.deepEqual(await marked('guilty'), [at('mbarrier_init'), at('try_wait')]);
  assert.deepEqual(await marked('event'), [at('try_wait')]);
  // An event of the story leads there; the line of the finding leads back.
  await browser.value(`${part('story')}.querySelector('ol button').click()`);
  assert.doesNotMatch(await text('sentence'), /^Finding/);
  await browser.value(`${part('story')}.querySelector('dd button').click()`);
  assert.match(await text('sentence'), /^Finding/);
  assert.match(await text('focus'), /What its warps do.*16 bytes have come that this phase does not expect/s);
  silent();
});

test('inside another page, as notebooks show runs: each opens at its finding, and they keep apart', async () => {
  const srcdoc = readFileSync(found, 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  writeFileSync(`${FOLDER}/notebook.html`, `<!doctype html>${`<iframe srcdoc="${srcdoc}"></iframe>`.repeat(2)}`);
  await browser.load(`${FOLDER}/notebook.html`);
  const inside = (frame, name, more = 'textContent') =>
      browser.value(`frames[${frame}].document.querySelector('[data-part="${name}"]').${more}`);
  assert.match(await inside(0, 'sentence'), /^Finding/);
  const rest = await inside(1, 'clock');
  await inside(0, 'forward', 'click()');
  assert.notEqual(await inside(0, 'clock'), rest);
  assert.equal(await inside(1, 'clock'), rest);
  silent();
});

test('several in one page keep apart, and leave nothing behind', async () => {
  await browser.load(six);
  await browser.value(`(() => {
    const record = JSON.parse(document.getElementById('record').textContent);
    const script = document.createElement('script');  // the player's part of the page's module
    script.textContent = document.querySelector('script[type="module"]').textContent.split('// The page of one run')[0];
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<div id="one"></div><div id="two" style="width:500px"></div>');
    window.one = clcPlayer.mount(document.getElementById('one'), record,
      {level: 3, compact: true, theme: 'dark'});
    window.two = clcPlayer.mount(document.getElementById('two'), record, {compact: true, cycles: 50000});
  })()`);
  const say = (which) => browser.value(`${which}.find('clock').textContent`);
  await browser.value(`one.find('forward').focus()`);
  const rest = await say('two'), page = await clock();
  await browser.value(`one.step(1, 'steal')`);
  assert.notEqual(await say('one'), rest);
  assert.equal(await say('two'), rest);
  assert.equal(await clock(), page);
  assert.equal(await browser.value('one.box.querySelectorAll("[id]").length'), 0);
  assert.equal(await browser.value('two.axis.bounds[1] - two.axis.bounds[0]'), 50000);
  await browser.value('one.destroy(), two.destroy(), 0');
  assert.equal(await browser.value('document.querySelectorAll(".clc-player").length'), 1);
  silent();
});

if (TOUR) {
  for (const theme of ['light', 'dark']) {
    for (const width of [400, 800, 1600]) {
      test(`the tour's page, ${width} pixels, ${theme}: contrast`, async () => {
        await browser.load(tour, {width, height: 900, theme});
        await browser.value(`for (const each of document.querySelectorAll('details')) each.open = true`);
        const {checked, seen} = await browser.faint();
        assert.ok(checked > 400, `${checked} texts`);
        assert.deepEqual(seen, []);
        assert.equal(await browser.value('document.documentElement.scrollWidth'), width);
        silent();
      });
    }
  }

  test('the tour\'s page: pictures and tables have names in the accessibility tree', async () => {
    await browser.load(tour);
    await browser.value(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
    const {nodes} = await browser.send('Accessibility.getFullAXTree'), names = {};
    for (const {ignored, role, name} of nodes) {
      if (!ignored && ['image', 'table', 'region'].includes(role?.value))
        (names[role.value] ??= []).push(name?.value ?? '');
    }
    assert.deepEqual([names.table.length >= 6, names.image.length], [true, 1]);
    for (const [role, all] of Object.entries(names)) {
      assert.ok(all.every((name) => name.trim()), `${role}: ${all.join('; ')}`);
      assert.equal(new Set(all).size, all.length, `${role}, none twice: ${all.join('; ')}`);
    }
    assert.equal(await browser.value('document.querySelectorAll("th:not([scope])").length'), 0);
  });

  test('the tour\'s page: its runs are those that it speaks of, and its links lead somewhere', async () => {
    await browser.load(tour);
    assert.ok(await browser.value('document.images[0].naturalWidth') > 900);
    const words = await browser.value('document.body.innerText');
    const tiles = Number(/(\d+) tiles, some of them long/.exec(words)[1]),
          room = Number(/places for (\d+) blocks/.exec(words)[1]);
    const links = await browser.value(`[...document.querySelectorAll('a')].map((each) => each.getAttribute('href'))`),
          runs = links.filter((link) => /^pictures\/\w+\.html$/.test(link));
    assert.ok(runs.length > 4);
    for (const link of runs) {
      const page = readFileSync(resolve(FOLDER, link), 'utf8'),
            run = JSON.parse(/id="record">(.*?)<\/script>/s.exec(page)[1]);
      assert.equal(run.panels[0].slots, room);
      const [work] = run.launches, blocks = work.grid.reduce((a, b) => a * b);
      assert.ok(
          blocks === tiles || (blocks === room && work.requests.length === 0),
          `${blocks} blocks`);  // one for each tile, or a wave
    }
    for (const link of links) {
      if (link.startsWith('#'))
        assert.ok(await browser.value(`!!document.getElementById('${link.slice(1)}')`), link);
      else if (link.startsWith('../../'))
        readFileSync(resolve(SOURCE, link.slice(6)));
      else
        readFileSync(resolve(FOLDER, link));
    }
    assert.ok(links.length > 14);
    silent();
  });
}
