// The page itself in Chromium: what it shows against what the native engine says of the same request, and what a reader
// does with it.
//   PAGE=playground.html ENGINE=clcsim_playground CATALOGUE=catalogue.json node browser.test.mjs
// Without the page or without Chromium it says so, and ends with 77.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';

import {readRecord} from '../../clcsim/player/page/record.js';
import {Chromium} from '../player/chromium.mjs';

const {PAGE, ENGINE, CATALOGUE, CHROMIUM} = process.env;
for (const [file, missing] of [
         [PAGE, 'the page: cmake --build build --target playground'],
         [ENGINE, 'the native engine: cmake --build build --target playground_engine'], [CHROMIUM, 'Chromium']]) {
  if (file && existsSync(file)) continue;
  console.log(`skipped: there is not ${missing}`);
  process.exit(77);
}

let browser;
before(async () => {
  browser = await Chromium.open(CHROMIUM);
});
after(() => browser?.close());

const text = (id) => browser.value(`document.getElementById('${id}').textContent`);
const press = (id) => browser.value(`document.getElementById('${id}').click()`);
const set = (id, value) =>
    browser.value(`(() => { const f = document.getElementById('knob-${id}') ?? document.getElementById('${id}');
  if (f.type === 'checkbox') f.checked = ${JSON.stringify(value)}; else f.value = ${JSON.stringify(String(value))};
  f.dispatchEvent(new Event('change', {bubbles: true})); })()`);

// On a loaded machine a second's work takes ten: what never comes is rare, so that is waited for long.
async function until(expression) {
  for (const end = Date.now() + 120e3; Date.now() < end; await wait(25))
    if (await browser.value(expression)) return;
  assert.fail(`never: ${expression}`);
}

// Without what was kept of the pages before, unless that is wanted.
// The page runs once when it opens; `runs`: that is waited for.
async function open(hash = '', {kept = false, runs = true, pane = 'editor', ...options} = {}) {
  await browser.load(`file://${PAGE}${hash}`, {kept, ...options});
  await until('document.getElementById("protocol-count").textContent !== ""');
  if (pane !== 'source') await press(`tab-${pane}`);
  if (!runs) return;
  await until(
      'document.getElementById("verdict").classList.length > 1 || document.getElementById("complaint").textContent');
  await ended();
}

const ended = () => until('document.getElementById("stop").disabled');

async function run(id = 'run') {
  await press(id);
  await ended();
}

// The page writes down what it keeps, and its address, a moment after a change.
const written = () => until('!("waits" in document.getElementById("kept").dataset)');

async function address() {
  await written();
  return browser.value('location.hash');
}

const numbers = () => browser.value(`Object.fromEntries([...document.querySelectorAll('#numbers > div')].map((each) =>
  [each.children[0].textContent, [...each.children].slice(1).map((cell) => cell.textContent)]))`);
const findings = () =>
    browser.value('[...document.querySelectorAll(\'button.finding\')].map((each) => each.textContent)');
const verdict = () => browser.value('document.querySelector(\'.verdict\').textContent');

// The n-th instruction of a kind: Remove or Put back.
async function toggle(kind, n = 0) {
  assert.ok(
      await browser.value(`(() => { const b = [...document.querySelectorAll('#protocol li.${
          kind} button:not(.link)')][${n}]; b?.click(); return Boolean(b); })()`),
      `no ${kind}`);
}

async function edit(change) {
  await browser.value(`(() => { const f = document.querySelector('textarea'); f.value = (${
      change})(f.value); f.dispatchEvent(new Event('input', {bubbles: true})); })()`);
}

const native = (request) => JSON.parse(
    execFileSync(ENGINE, [CATALOGUE], {input: JSON.stringify(request) + '\n', maxBuffer: 1 << 28, encoding: 'utf8'}));
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

// What the page runs when it opens.
const kFirst = {
  program: '03_clc_basic',
  kernel: 'basic',
  options: {elements: 36864, tile: 1024, threads: 512, prologue: 1000, skew: 16, shape: 1},
  gpu: 'like mini\nname own-8x1\nsms 8\nblocks_per_sm 1\nthreads_per_sm 512\nmemory_bytes_per_cycle 128\n',
  seed: 0
};

test('the page has run once when it is open: chapter 03, with the native numbers', async () => {
  await open();
  assert.equal(await text('version'), `clcsim ${JSON.parse(readFileSync(CATALOGUE)).version}`);
  const reply = native(kFirst);
  assert.deepEqual(await numbers(), {
    blocks: ['36'],
    started: [grouped(reply.started)],
    stolen: [grouped(reply.stolen)],
    'failed requests': [grouped(reply.refused)],
    cycles: [grouped(reply.cycles)],
    instructions: [grouped(reply.instructions)],
    findings: ['0']
  });
  assert.equal(reply.stolen, 28);
  assert.equal(await verdict(), `Right ${reply.verdict}`);
  assert.equal(
      await browser.value('document.querySelectorAll(\'#player .clc-player canvas\').length > 2'), true,
      'the player is there');
});

const stale = () => browser.value('document.getElementById(\'results\').classList.contains(\'stale\')');

test('results of what is no longer chosen are grey, and a link runs what it carries', async () => {
  await open();
  assert.equal(await stale(), false);
  await set('prologue', 16);
  assert.equal(await stale(), true);
  await set('prologue', 1000);
  assert.equal(await stale(), false);
  await toggle('fence');
  assert.equal(await stale(), true);
  await run();
  assert.equal(await stale(), false);
  await open('#program=03_clc_basic&kernel=basic&elements=6144&gpu=own&sms=2&slots=1');
  assert.deepEqual((await numbers()).blocks, ['6']);
});

test('while the page opens and runs, nothing jumps', async () => {
  const source = `window.shifted = 0; new PerformanceObserver((list) => {
    for (const {value, hadRecentInput} of list.getEntries()) if (!hadRecentInput) shifted += value; })
    .observe({type: 'layout-shift', buffered: true});`;
  const {identifier} = await browser.send('Page.addScriptToEvaluateOnNewDocument', {source});
  for (const width of [1440, 820, 390]) {
    await open('', {width});
    await browser.frame();
    const shifted = await browser.value('shifted');
    assert.ok(shifted < 0.1, `${shifted} at ${width}`);
  }
  await browser.send('Page.removeScriptToEvaluateOnNewDocument', {identifier});
});

test('the source opens at the function that steals, or at the kernel', async () => {
  for (const [hash, first] of [['', /steal_tiles/], ['#program=01_fixed_work&kernel=fixed', /__global__/]]) {
    await open(hash, {pane: 'source', runs: false});
    assert.match(
        await browser.value(`(({children, scrollTop}) => [...children].filter((each) => each.offsetTop >= scrollTop)
            .slice(0, 12).map((each) => each.textContent).join(' '))(document.querySelector('ol.source'))`),
        first);
  }
});

test('the first picture: equal prologues look equal', async () => {
  const first = native({...kFirst, record: true});
  const rows = readRecord(first.record).panels[0].launches[0].rows;
  const own = [...rows.prologue].filter((each) => each > 0);
  assert.equal(own.length, 8);
  assert.ok(Math.max(...own) < 1.02 * Math.min(...own), `${own}`);
});

test('the page keeps edits of each kernel, tasks and theme, undoes everything, and forgets', async () => {
  await open('', {width: 1600});
  const differs = '1 line differs from the course\u2019s.',
        theme = () => browser.value('document.documentElement.className');
  await toggle('fence');
  assert.equal(await text('edits'), differs);
  await set('program', '04_clc_cluster');
  assert.equal(await text('edits'), '');
  await toggle('expect');
  await toggle('fence');
  await set('program', '03_clc_basic');
  assert.equal(await text('edits'), differs, 'another kernel and back');
  await press('reset');
  assert.equal(await text('edits'), '');
  await press('undo');
  await edit('(text) => text + \'\\n// more\'');
  assert.equal(await text('edits'), '2 lines differ from the course\u2019s.');
  await browser.value('document.querySelector(\'textarea\').focus()');
  const key = (letter, modifiers) =>
      browser.send('Input.dispatchKeyEvent', {type: 'rawKeyDown', key: letter, modifiers, windowsVirtualKeyCode: 90});
  await key('z', 2);
  assert.equal(await text('edits'), differs);
  await key('z', 2);
  assert.equal(await text('edits'), '', 'the keys undo Remove, too');
  await key('Z', 10);
  assert.equal(await text('edits'), differs);
  await browser.value('document.querySelector(".theme-toggle").click()');
  assert.equal(await theme(), 'dark');
  assert.equal(await browser.value('localStorage.getItem("theme")'), 'dark', 'the book\u2019s key');
  await written();
  await open('', {kept: true, width: 1600});
  assert.equal(await text('edits'), differs, 'after a reload');
  await set('program', '04_clc_cluster');
  assert.equal(await text('edits'), '2 lines differ from the course\u2019s.');
  await open('#program=03_clc_basic&kernel=basic', {kept: true});
  assert.equal(await text('edits'), '', 'a link without edits');
  await press('undo');
  assert.equal(await text('edits'), differs, 'has not thrown away the reader\u2019s own');
  await browser.value('confirm = () => false');
  await press('forget');
  assert.equal(await text('edits'), differs, 'the reader has not meant it');
  await browser.value('confirm = () => true');
  await press('forget');
  assert.equal(await text('edits'), '');
  await written();
  await open('', {kept: true});
  assert.equal(await text('edits'), '');
  const {identifier} = await browser.send('Page.addScriptToEvaluateOnNewDocument', {
    source: 'Object.defineProperty(window, "localStorage", {get() { throw new DOMException("no", "SecurityError"); }})'
  });
  await open();
  assert.match(await text('kept'), /refuses to keep/);
  await toggle('fence');
  assert.equal(await text('edits'), differs);
  assert.match(await address(), /&ptx=/);
  await browser.send('Page.removeScriptToEvaluateOnNewDocument', {identifier});
});

test('without the fence: a finding, which leads to its line; Reset repairs it', async () => {
  await open();
  await toggle('fence');
  await run();
  assert.match((await findings())[0], /^\[missing-proxy-fence\]/);
  assert.match(await verdict(), /^Right by luck/);
  assert.equal(
      await browser.value('document.querySelectorAll(\'.findings .note\').length'), 2, 'the player tells the rest');
  assert.match(await browser.value('document.querySelector(\'#player [data-part=story]\').innerText'), /fix[^]*rule/);
  await browser.value('document.querySelector(\'button.finding\').click()');
  assert.match(await browser.value('document.querySelector(\'.paint .line.found\').textContent'), /try_cancel/);
  assert.equal(
      await browser.value('document.querySelector(\'#source li.found\').value'),
      await browser.value(`Number(/:(\\d+),/.exec(document.querySelector('.findings .note').textContent)[1])`));
  assert.equal(await text('edits'), '1 line differs from the course\u2019s.');
  const hash = await address();
  assert.match(hash, /&ptx=/);
  await run('reset');
  assert.equal(await text('edits'), '');
  await run();
  assert.deepEqual(await findings(), []);
  await open(hash);
  assert.equal(await text('edits'), '1 line differs from the course\u2019s.', 'the link holds the edit');
  await run();
  assert.match((await findings())[0], /^\[missing-proxy-fence\]/);
});

test('a broken form without a finding says so, and an edited kernel is not called broken', async () => {
  const story = () => browser.value(`(({hidden, textContent}) => hidden ? '' : textContent)(
      document.querySelector('#player [data-part="story"]'))`);
  await open('#program=05_ub_pitfalls&kernel=look-back:broken');
  await run();
  assert.match(await story(), /^No finding, but a kernel with a mistake/);
  await edit('(text) => text + \'\\n// edited\'');
  await run();
  assert.equal(await story(), '');
});

test('an error stands at its line, and the page goes on', async () => {
  await open();
  await edit('(text) => text.replace(/bar.sync/, \'bogus.sync\')');
  await run();
  assert.match(await verdict(), /^Refused .*bogus\.sync is not modelled/);
  assert.match(await browser.value('document.querySelector(\'.paint .line.found\').textContent'), /bogus\.sync/);
  for (const mistake of ['bogus 0', 'add.s32 %rr, %q, 1;', 'bra $L__nowhere;']) {
    await press('reset');
    await edit(`(text) => text.replace(/bar.sync[^;]*;/, '${mistake}'.replaceAll('$', '$$$$'))`);
    // The reader's cursor stands in the line, and the editor as far to the right as it goes.
    await browser.value(
        `(() => { const field = document.querySelector('textarea'), at = field.value.indexOf('${mistake}');
      field.setSelectionRange(at, at); field.dispatchEvent(new Event('select'));
      document.querySelector('.editor').scrollLeft = 1e6; })()`);
    await run();
    assert.equal(await browser.value('document.querySelector(\'.editor\').scrollLeft'), 0);
    assert.equal(await text('explain'), '', 'one sentence for one mistake');
    assert.match(await verdict(), /^Refused, at line/);
    assert.equal(await browser.value('document.querySelector(\'.paint .line.wrong\').textContent.trim()'), mistake);
    assert.match(await text('code-error'), /^Line \d+, column \d+: /);
    const [line, caret] = (await browser.value('document.querySelector(\'#code-error pre\').textContent')).split('\n');
    assert.ok(line.includes(mistake));
    assert.match(caret, /^ *\^+$/);
  }
  await press('reset');
  await edit('(text) => text.replace(\'fence.proxy\', \'fenc.proxy\')');
  await run();
  assert.match(await text('code-error'), /knows no instruction fenc\.proxy/);
  await edit('() => \'\'');
  await run();
  assert.match(await verdict(), /^Refused, at line 1 The text has no kernel/);
  await press('undo');
  await press('reset');
  await run();
  assert.match(await verdict(), /^Right /);
});

test('what is typed is explained at once, and the editor scrolls back to where lines begin', async () => {
  await open('', {width: 800});
  await browser.value(`(() => { const field = document.querySelector('textarea');
    const at = field.value.indexOf('\\n', field.value.indexOf('clusterlaunchcontrol.try_cancel'));
    field.focus(); field.setSelectionRange(at, at); })()`);
  const scrolled = () => browser.value('document.querySelector(".editor").scrollLeft');
  await browser.send('Input.insertText', {text: ` // ${'far '.repeat(20)}`});
  assert.ok(await scrolled() > 0);
  await browser.key('Enter');
  assert.equal(await scrolled(), 0);
  await browser.send('Input.insertText', {text: 'bar.sync 0;'});
  assert.match(await text('explain'), /^Line \d+ bar\.sync /);
  await run();
  await edit('(text) => text.replace("bar.sync", "bogus")');
  await run();
  assert.match(await text('code-error'), /bogus/);
  await edit('(text) => text.replace("bogus", "bar.sync")');
  assert.equal(await text('code-error'), '', 'the mistake is of a text before');
});

test('a task that changes the text shows where', async () => {
  await open();
  await browser.value('document.querySelector(\'[data-step=write]\').click()');
  await press('step-start');
  const [, line] = /line (\d+) is the first that differs/.exec(await text('status'));
  assert.equal(
      await browser.value(
          '[...document.querySelectorAll(".paint .line")].findIndex((each) => each.classList.contains("current")) + 1'),
      Number(line));
  const {y} = await browser.box('.paint .line.current');
  assert.ok(y > 0 && y < 900, `at ${y} of 900`);
});

test('the line under the cursor is explained', async () => {
  await open('#program=05_ub_pitfalls&kernel=no-wait:broken');
  await browser.value(`[...document.querySelectorAll('#protocol button.link')].find(
      (each) => each.parentElement.classList.contains('request')).click()`);
  assert.match(await text('explain'), /asks the GPU to cancel a block.*PTX ISA 9\.0, 9\.7\.13\.17/);
});

test('the numbers of the run before stand beside', async () => {
  await open('#program=02_grid_stride&kernel=stride');
  assert.equal((await numbers()).cycles.length, 1);
  await set('program', '03_clc_basic');
  await run();
  const {cycles} = await numbers();
  assert.match(cycles[1], /^was \d+,\d+, \u2212\d/);
});

test('a long run shows progress, leaves the page alive, and can be stopped', async () => {
  await open('#program=03_clc_basic&kernel=basic&elements=16000000&tile=4&prologue=100000', {runs: false});
  await until('/^Running: cycle [^0]/.test(document.getElementById("status").textContent)');
  assert.equal(await browser.value('document.getElementById(\'stop\').disabled'), false);
  await browser.frame();
  await press('stop');
  await ended();
  assert.equal(await text('status'), 'Stopped.');
  await set('elements', 36864);
  await set('tile', 1024);
  await set('prologue', 10);
  await run();
  assert.match(await verdict(), /^Right /);
});

test('knobs: a wrong value is told, and nothing runs; a GPU of one\u2019s own', async () => {
  await open();
  await set('tile', '1026');
  assert.equal(await text('complaint'), 'tile needs a multiple of 4.');
  const before = await numbers();
  await press('run');
  assert.deepEqual(await numbers(), before);
  await set('tile', '1024');
  await set('gpu', 'own');
  await set('sms', 1);
  await set('slots', 9);
  assert.match(await text('complaint'), /8 places for blocks of 512/);
  await set('slots', 1);
  assert.equal(await text('complaint'), '');
  await run();
  assert.equal((await numbers()).started[0], '1');
  await set('gpu', 'h200');
  await run();
  assert.equal(await verdict(), 'Did not run This kernel needs compute capability 10.0, and h200 has 9.0.');
  await set('program', '01_fixed_work');
  await run();
  assert.match(await verdict(), /^Right /);
});

// For each task what its hints lead to.
const fields = async (values) => {
  for (const [id, value] of Object.entries(values)) await set(id, value);
};
const solutions = {
  'each-tile-pays': async () => {
    await fields({elements: 20480});
    await run();
  },
  'one-steal': async () => {
    await fields({elements: 9216});
    await run();
  },
  urgent: async () => {
    await fields({urgent: true});
    await run();
  },
  luck: async () => {
    await toggle('fence');
    await run();
  },
  seeds: async () => {
    await browser.value('[...document.querySelectorAll(\'#protocol li.barrier button:not(.link)\')].at(-1).click()');
    await run();
    await run('explore');
    assert.match(await text('status'), /^Seed \d+ (gives a wrong result|never ends)/);  // beside the button: in sight
  },
  write: async () => {
    await edit(String.raw`(text) => text.replace(
        /(mov.u32\s+(%r\d+), \w+8response;\s+mov.u32\s+(%r\d+), \w+7barrier;)(\s+mov.b32\s+(%r\d+), 16;)/,
        '$1\n\tclusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [$2], [$3];$4' +
        '\n\tmbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [$3], $5;')`);
    await run();
  },
  stuck: async () => {
    await toggle('expect');
    await run();
  },
};

test('each task can be done as its hints say, and not before', async () => {
  await open();
  const ids = await browser.value('[...document.querySelectorAll(\'[data-step]\')].map((each) => each.dataset.step)');
  assert.deepEqual(ids, Object.keys(solutions));
  for (const id of ids) {
    await open(`#step=${id}`);
    await set('gpu', 'mini');
    await run();  // counts for no task: Set it up begins it
    await press('step-start');
    await run();
    assert.match(await text('step-judged'), /^Not yet: /, id);
    assert.match(await text('status'), /^The task is not done yet: /, id);
    await solutions[id]();
    assert.match(await text('step-judged'), /^Done\. /, `${id}: ${await verdict()}`);
    assert.match(await text('status'), /(^|^Seed.*)The task is done: /, id);
  }
  assert.equal(await text('step-count'), '1 of 7 done');
  await press('step-begin');
  assert.match(await address(), /program=01_fixed_work.*&step=each-tile-pays/, 'the first that is not done');
  await written();
  await open('', {kept: true, runs: false});
  assert.equal(await text('step-count'), '1 of 7 done', 'after a reload');
});

test(
    'on a phone a button leads to the code, and a run back to the result; the skip link keeps the kernel', async () => {
      await open('#program=02_grid_stride&kernel=stride', {width: 390, height: 844});
      const top = async (id) => (await browser.box(`#${id}`)).y;
      assert.equal(await text('across'), 'Code');
      await press('across');
      await browser.frame();
      assert.ok(Math.abs(await top('code')) < 2);
      await run();
      assert.ok(Math.abs(await top('results')) < 2);
      await browser.value('document.querySelector(".skip").click()');
      await until('location.hash.includes("kernel=stride")');  // the address is told later
      const wide = await browser.value(
          '[...document.querySelectorAll("ol.source code")].some((e) => e.scrollWidth > e.clientWidth)');
      assert.equal(wide, false, 'no line is cut');
    });

test('the keyboard is enough, and every control has a name', async () => {
  await open();
  await browser.value(
      'document.getElementById(\'drawer\').open = true; document.getElementById(\'knob-elements\').focus()');
  await browser.send(
      'Input.dispatchKeyEvent', {type: 'rawKeyDown', key: 'Enter', modifiers: 2, windowsVirtualKeyCode: 13});
  await ended();
  assert.match(await verdict(), /^Right /);
  await set('elements', 4096);
  assert.equal(await browser.value('document.getElementById("results").className'), 'stale');
  await browser.value('document.getElementById("knob-elements").focus()');
  await browser.key('Enter');
  await ended();
  assert.equal(await browser.value('document.getElementById("results").className'), '');
  await browser.value('document.querySelector(\'textarea\').focus()');
  await browser.key('Tab');
  assert.notEqual(await browser.value('document.activeElement.tagName'), 'TEXTAREA', 'Tab leaves the editor');
  const {nameless} =
      await browser.names(['button', 'combobox', 'textbox', 'checkbox', 'radio', 'spinbutton', 'link', 'progressbar']);
  assert.deepEqual(nameless, []);
});

test('at 200 % what gets the focus stands in the window, and not behind the bar at its foot', async () => {
  await open('', {width: 640, height: 450});
  const behind = [];
  let last;
  for (let i = 0; i < 130; i++) {
    await browser.key('Tab');
    last = await browser.value(`(() => {
      const e = document.activeElement, bar = document.getElementById('runs');
      const {top, bottom} = e.getBoundingClientRect();
      const end = bar.contains(e) ? innerHeight : bar.getBoundingClientRect().top;
      return {name: e.id || e.textContent.slice(0, 20), body: e === document.body,
        seen: Math.min(bottom, end) - Math.max(top, 0) > Math.min(20, bottom - top) - 1};
    })()`);
    if (last.body) break;
    if (!last.seen) behind.push(last.name);
  }
  assert.ok(last.body, 'the last one was reached');
  assert.deepEqual(behind, []);
});

test('400, 800 and 1600 pixels, both themes: nothing sticks out, and all can be read', async () => {
  for (const theme of ['light', 'dark']) {
    for (const width of [400, 800, 1600]) {
      await open('#step=luck', {width, theme});
      await toggle('fence');
      await run();
      await browser.value('document.querySelector(\'button.finding\').click()');
      assert.equal(await browser.value('document.documentElement.scrollWidth <= innerWidth'), true, `${width} pixels`);
      const [rows, story, knobs] = [
        await browser.box('#player [data-part=runs]'), await browser.box('#player [data-part=story]'),
        await browser.box('#choose')
      ];
      assert.ok(rows.y < story.y, 'the rows come first');
      assert.ok(width < 900 ? rows.y < knobs.y : rows.x >= knobs.x + knobs.width, 'beside the knobs, or above them');
      const {checked, seen} = await browser.faint();
      assert.ok(checked > 150, `${checked} texts`);
      assert.deepEqual(seen, [], `${theme}, ${width}`);
    }
  }
});

test('nothing was printed to the console', () => {
  assert.deepEqual(browser.console, []);
});
