// The page's modules on their own, and a real run's record: what the page shows against what --stats and
// --check-json say of the same run.
//   CLCSIM=... BASIC=... STRIDE=... CLUSTER=... PITFALLS=... FOLDER=... node --test page.test.mjs
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, statSync} from 'node:fs';
import {test} from 'node:test';

import {readAddress} from '../../clcsim/player/page/address.js';
import {Axis, tickStep} from '../../clcsim/player/page/axis.js';
import {barWords} from '../../clcsim/player/page/bars.js';
import {storyOfBlock} from '../../clcsim/player/page/focus.js';
import {questionFor} from '../../clcsim/player/page/guess.js';
import {Lanes} from '../../clcsim/player/page/lanes.js';
import {countUpTo, grouped, ranges, unpack} from '../../clcsim/player/page/numbers.js';
import {brokenLines, nextExecution} from '../../clcsim/player/page/source.js';
import {accessesBefore, eventsBefore, guiltyLines} from '../../clcsim/player/page/story.js';
import {waitsOf} from '../../clcsim/player/page/waits.js';
import {whatWarpsDo} from '../../clcsim/player/page/why.js';
import {headlined, lineName, programName, sentence} from '../../clcsim/player/page/words.js';

const {blockOf, eventAt, isSteal, mbarriersOf, responsesOf, waitingBlocks, warpsOf} =
    await import('../../clcsim/player/page/moments.js');
const {blockName, clusterBlocks, kinds, openPanel, readRecord, reasons, types, workerOf} =
    await import('../../clcsim/player/page/record.js');

const {CLCSIM, BASIC, STRIDE, CLUSTER, PITFALLS, PRODUCT, FOLDER} = process.env;
mkdirSync(FOLDER, {recursive: true});

function recordOf(file) {
  const page = readFileSync(file, 'utf8');
  return readRecord(JSON.parse(/<script type="application\/json" id="record">(.*?)<\/script>/s.exec(page)[1]));
}

const six = [
  '--kernel', 'basic', '--threads', '1024', '--tile', '1024', '--elements', '6144', '--prologue', '100', '--skew', '16',
  '--shape', '3', '--warmup', '0', '--runs', '1'
];
function runOfSix(seed) {
  const output = spawnSync(
      CLCSIM,
      [
        '--gpu', 'mini:2', '--seed', `${seed}`, '--stats', '--timeline', `${FOLDER}/six.html`, '--timeline-launch', '1',
        BASIC, ...six
      ],
      {encoding: 'utf8'});
  const run = recordOf(`${FOLDER}/six.html`);
  return {run, panel: openPanel(run, 0), stats: output.stderr};
}
const sixRun = runOfSix(0);

test('numbers', () => {
  assert.deepEqual(unpack('', 3), [[], [], []]);
  // 1, -16, 0 and then 1, -15, 1000
  assert.deepEqual(unpack('DChBGCw+B', 3), [[1, 1], [-16, -15], [0, 1000]]);
  assert.equal(grouped(1234567), '1,234,567');
  assert.equal(countUpTo([1, 3, 3, 7], 3), 3);
  assert.equal(ranges([0, 1, 2, 5]), '0\u20132, 5');
});

test('the axis keeps a moment in place while it zooms, and stays within the run', () => {
  const axis = new Axis(100, 1100);
  axis.width = 500;
  const x = axis.x(400);
  axis.zoom(0.5, 400);
  assert.equal(axis.x(400), x);
  axis.pan(-10);
  assert.equal(axis.from, 100);
  axis.zoom(100, 500);
  assert.deepEqual([axis.from, axis.to], [100, 1100]);
  assert.equal(tickStep(1000, 6), 200);
});

test('of an address that makes no sense nothing is taken', () => {
  assert.deepEqual(readAddress('#panel=2&event=x&block=a&from=9&to=3', [{repeats: -1}, {repeats: 0}]), {});
});

// Blocks that started and that were stolen, and requests that failed.
function countsOf({blocks, stolenBy, requests}) {
  return [blocks.length, stolenBy.size, requests.granted.filter((each, i) => !each && requests.decided[i]).length];
}

test('a run: counts, steals, their order and their times are those of --stats', () => {
  const {panel, stats} = sixRun, [launch] = panel.launches, {events} = panel;
  const row = /^ +1 +multiply +6 +1024 +6 +(\d+) +(\d+) +(\d+).* (\d+)$/m.exec(stats).slice(1).map(Number);
  assert.deepEqual(row.slice(0, 3), countsOf(launch));
  assert.equal(row[3], launch.finished - launch.started);
  const steals = [];
  for (let i = 0; i < events.length; i++)
    if (isSteal(panel, i)) steals.push(launch.requests.stolen[events.ref[i]]);
  assert.deepEqual(steals, [2, 3, 4, 5]);
  assert.equal(steals.length, row[1]);
  assert.deepEqual([0, 1, 2].map((event) => waitingBlocks(launch, event)), [6, 5, 4], 'as the sentences count them');
  assert.equal(waitingBlocks(launch, events.length - 1), 0);
});

for (const seed of [0, 3, 5])
  test(`a block, seed ${seed}: phases, bytes, responses and lines are what the program does`, () => {
    const {run, panel} = runOfSix(seed), [launch] = panel.launches, known = blockOf(panel, 0, 1);
    const asked = launch.requests.block.filter((block) => block === 1).length;
    const mbarrier = [...known.mbarriers.values()][0];
    let phase = 0, expected = 0, landed = 0;
    mbarrier.forEach(({ref}) => {
      const o = launch.operations, kind = kinds[o.kind[ref]];
      if (kind === 'init') assert.deepEqual([o.b[ref], o.c[ref], o.d[ref]], [0, 1, 0]);
      if (kind === 'arrive') expected += o.f[ref];
      if (kind === 'landed') landed += o.e[ref];
      assert.ok(o.b[ref] >= phase, 'phases only grow');
      phase = o.b[ref];
      assert.equal(o.d[ref], expected - landed, 'bytes due are those expected and not landed');
    });
    assert.ok(seed !== 0 || asked === 4);
    assert.deepEqual([phase, landed], [asked, asked * 16]);
    // After each landing the buffer says what the request got; before it the request is in flight.
    for (const asked of known.slots.values()) {
      for (const {event, request, landed: at} of asked) {
        assert.equal(responsesOf(known, launch, event)[0].state, 'flying');
        const after = responsesOf(known, launch, at)[0];
        assert.equal(after.state, launch.requests.granted[request] ? 'success' : 'failure');
        assert.equal(mbarriersOf(known, launch, at)[0].bytes, 0);
      }
    }
    // Each request stands on the line that says so.
    for (let i = 0; i < launch.requests.length; i++) {
      const [file, number] = run.lines[launch.requests.line[i] - 1];
      const {first, text} = run.files[file];
      assert.match(text[number - first], /clusterlaunchcontrol_try_cancel/);
    }
    // Before anything has happened there is nothing in them. All warps are somewhere in the middle of the run, and gone
    // at its end.
    assert.deepEqual(responsesOf(known, launch, -1).map((each) => each.state), ['empty']);
    assert.deepEqual(mbarriersOf(known, launch, -1).map((each) => each.state), ['before']);
    assert.ok(warpsOf(known, launch, -1).every((warp) => warp.state === 'before'));
    const middle = launch.blocks.started[1] + 3000;
    assert.equal(warpsOf(known, launch, middle).length, 32);
    assert.ok(warpsOf(known, launch, launch.finished).every((warp) => warp.state === 'exits'));
  });

test('a warp ends once, with its last lanes', () => {
  spawnSync(CLCSIM, ['--timeline', `${FOLDER}/exits.html`, PITFALLS, 'early-return', '--broken']);
  const [{steps}] = openPanel(recordOf(`${FOLDER}/exits.html`), 0).launches, ended = [];
  for (let i = 0; i < steps.length; i++)
    if (kinds[steps.kind[i]] === 'exits') ended.push(`${steps.block[i]} ${steps.warp[i]}`);
  assert.ok(ended.length > 4 && new Set(ended).size === ended.length, `${ended.length} ends`);
});

test('the strip above the rows adds up to what the rows have', () => {
  const {run, panel} = sixRun, {use} = panel, sums = {prologue: 0, own: 0, stolen: 0, urgent: 0}, mine = {...sums};
  for (let i = 0; i < use.length; i++) {
    const [from, to] = use.part(i);
    assert.equal(from, i === 0 ? panel.begin : use.part(i - 1)[1]);
    const busy = use.prologue[i] + use.own[i] + use.stolen[i] + use.urgent[i];
    assert.ok(busy <= (to - from) * panel.slots * run.sms, `part ${i} has ${busy} slot-cycles in ${to - from} cycles`);
    for (const kind of Object.keys(sums)) sums[kind] += use[kind][i];
  }
  for (const {spans} of panel.lanes) {
    for (const {row, begin, end} of spans) {
      const {rows} = panel.launches[0];
      mine.prologue += rows.prologue[row];
      mine[rows.tile[row] === rows.block[row] ? 'own' : 'stolen'] += end - begin - rows.prologue[row];
    }
  }
  assert.deepEqual(sums, mine);
});

test('an answer that nobody waits for stays in flight', () => {
  const {status} = spawnSync(CLCSIM, ['--timeline', `${FOLDER}/flight.html`, PITFALLS, 'leave-in-flight', '--broken']);
  assert.equal(status, 86);
  const panel = openPanel(recordOf(`${FOLDER}/flight.html`), 0), [launch] = panel.launches, {operations} = launch;
  const landed = new Set(Array.from({length: operations.length}, (_, i) => i)
                             .filter((i) => kinds[operations.kind[i]] === 'landed')
                             .map((i) => operations.f[i] - 1));
  let flying = 0;
  for (let i = 0; i < launch.requests.length; i++) {
    const known = blockOf(panel, 0, launch.requests.block[i]);
    if (landed.has(i) || launch.requests.response[i] === undefined) continue;
    const last = [...known.slots.get(launch.requests.response[i])].pop();
    if (last.request !== i) continue;
    flying++;
    assert.equal(
        responsesOf(known, launch, panel.events.length - 1).find((each) => each.request === i).state, 'flying');
  }
  assert.ok(flying > 0);
});

test('a click on a line leads to its next execution, and back to the first after the last', () => {
  const {panel} = sixRun, [launch] = panel.launches, line = launch.requests.line[0];
  const issued = [];
  for (let i = 0; i < launch.requests.length; i++)
    if (launch.requests.block[i] === 1) issued.push(launch.requests.issued[i]);
  let time = 0;
  for (const each of issued) {
    time = nextExecution(panel, {launch: 0, block: 1}, line, time);
    assert.ok(Math.abs(time - each) < 20, `${time} and ${each}`);
    time = each + 20;
  }
  assert.ok(nextExecution(panel, {launch: 0, block: 1}, line, time) < time);
});

test('each event is a sentence without gaps, and going back needs nothing', () => {
  const {run, panel} = sixRun;
  for (let i = 0; i < panel.events.length; i++) {
    const text = sentence(run, panel, i), [headline] = headlined(run, panel, i);
    assert.ok(headline.split(' ').length <= 10, headline);
    assert.match(text, /^[A-Z].*[.]$/, text);
    assert.doesNotMatch(text, /undefined|NaN|null|-1/);
    assert.equal(panel.events.time[eventAt(panel, panel.events.time[i])], panel.events.time[i]);
  }
});

test('what a reader of chapter 03 asks is said: why this tile, since when, why so late, why nobody', () => {
  const {run, panel} = sixRun,
              all = Array.from({length: panel.events.length}, (_, i) => sentence(run, panel, i)).join('\n');
  assert.match(all, /Block 1 steals block 3 \(request 1 of block 1\): /);
  assert.match(
      all,
      /Block 0 has finished tile 0 and begins tile 2, .* block 2: .* \(request 1 of block 0\) .* since cycle [\d,]+\./);
  assert.match(all, /response to request 1 of block 1 arrives, \d+ cycles after .*: success, block 3/);
  assert.match(all, /has waited for phase 2 of the mbarrier/);
  const lanes = new Lanes(run, panel), axis = new Axis(panel.begin, panel.end);
  Object.assign(axis, {left: 62, width: 1000});
  const idle = lanes.explain(1050, lanes.rowHeight * 1.5, {axis, scroll: 0, hidden: Infinity});
  assert.match(
      idle,
      /^Nobody is on SM 1 here\. Since cycle [\d,]+ no block waits to start\. A stolen block stays with its thief/);
  const [launch] = panel.launches, row = launch.rowOfTile.get(2),
        span = {launch: 0, row, begin: launch.rows.begin[row], end: launch.rows.end[row]};
  const waited = grouped(span.begin - launch.requests.decided[launch.rows.request[row] - 1]);
  assert.match(
      barWords(run, panel, span, span.begin + 1).join(''),
      new RegExp(`^Block 0 stole block 2 at [\\d,]+\\. Tile 2 waits ${
          waited} cycles behind tile 0 while SM 1 idled, and needs no prologue\\. It is done at `));
  const foot = lanes.rowHeight - 2, dotted = span.begin - 1000, view = {axis, scroll: 0, hidden: Infinity};
  assert.equal(lanes.awaitedAt(axis.x(dotted), foot, view).row, row, 'the dotted line of tile 2');
  assert.equal(lanes.awaitedAt(axis.x(dotted), 5, view), undefined, 'the bar above it');
  assert.doesNotMatch(barWords(run, panel, span, span.begin + 1, span.begin + 1).join(''), /done at/, 'that is hidden');
});

test('the rows say of a block at a cluster barrier that it waits, and not that it does a tile', () => {
  const file = `${FOLDER}/pairs.html`;
  execFileSync(CLCSIM, [
    '--timeline', file, '--timeline-launch', '1', CLUSTER, '--kernel', 'pairs', ...six.slice(2), '--elements', '12288'
  ]);
  const run = recordOf(file), panel = openPanel(run, 0), [launch] = panel.launches, lanes = new Lanes(run, panel);
  const axis = new Axis(panel.begin, panel.end), waits = waitsOf(panel, 0, 1);
  Object.assign(axis, {left: 0, width: 1000});
  const said = (time) =>
      lanes.explain(axis.x(time), lanes.rowHeight * (launch.laneOf.get(1) + 0.5), {axis, scroll: 0, hidden: Infinity});
  const longest = waits.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
  const [arrives, passes] = ['cluster_arrive', 'cluster_done'].map((kind) => {
    const {operations: o} = launch;
    return o.time.filter((_, i) => o.block[i] === 1 && kinds[o.kind[i]] === kind);
  });
  assert.equal(longest.reason, 'cluster_barrier');
  assert.ok(arrives.some((time) => Math.abs(time - longest.from) < 100), 'it begins where its warps arrive');
  assert.ok(passes.some((time) => Math.abs(time - longest.to) < 100), 'and ends where the barrier opens');
  assert.match(
      said((longest.from + longest.to) / 2),
      new RegExp(` the block waits at the cluster barrier, until ${grouped(longest.to - panel.begin)}\\.$`));
  const pale = [], pen = new Proxy({}, {
                     set: (state, name, value) => ((state[name] = value), true),
                     get: (state, name) =>
                         state[name] ?? ((x, y, wide) => name === 'fillRect' && pale.push([state.fillStyle, x, wide]))
                   });
  lanes.drawWaits(
      pen, {launch: 0, row: launch.rows.block.indexOf(1), begin: panel.begin, end: panel.end}, 0, 9, {axis},
      {page: 'page'});
  assert.ok(
      pale.some(([ink, x, wide]) => ink === 'page' && x === axis.x(longest.from) && x + wide === axis.x(longest.to)),
      'drawn pale');
  assert.match(
      said(longest.to + 100),
      /^The cluster of block 1 stole the cluster of blocks \d+ and \d+ at .* cycles behind tile 1/);
});

// What a picture's marks are in the player: a stroke, a filled box or a text of the rows, the axis or the strip.
test('each mark of the picture has one in the player, at the same cycle', () => {
  globalThis.Path2D ??= class {
    rect() {}
  };
  const colours = new Proxy({}, {get: (_, name) => name});
  const options = [
    '--threads', '32', '--tile', '32', '--elements', '1152', '--prologue', '900', '--skew', '60', '--shape', '1',
    '--warmup', '0', '--runs', '1', '--urgent', '1'
  ];
  const seen = new Set();
  for (const [program, kernel] of [[STRIDE, 'stride'], [BASIC, 'basic']]) {
    const draw = (name) => execFileSync(CLCSIM, [
      '--gpu', 'mini:1', '--timeline', `${FOLDER}/${name}`, '--timeline-launch', '4', program, '--kernel', kernel,
      ...options
    ]);
    ['marks.html', 'marks.svg'].forEach(draw);
    const [svg] = /<g transform[^]*?<\/g>/.exec(readFileSync(`${FOLDER}/marks.svg`, 'utf8'));  // without its legend
    const run = recordOf(`${FOLDER}/marks.html`);
    const panel = openPanel(run, run.panels.findIndex(({launches}) => launches.length > 1)),
          lanes = new Lanes(run, panel);
    const axis = new Axis(panel.begin, panel.end), drawn = [];
    Object.assign(axis, {left: 0, width: 10000});
    const pen = new Proxy({path: [], dashes: []}, {
      set: (state, name, value) => ((state[name] = value), true),
      get: (state, name) => state[name] ?? ((...a) => {
                              const {fillStyle: fill, strokeStyle: stroke, path, dashes} = state;
                              if (name === 'beginPath') state.path = [];
                              if (name === 'setLineDash') [state.dashes] = a;
                              if (['moveTo', 'lineTo', 'arc'].includes(name)) path.push([name, ...a]);
                              if (name === 'stroke') drawn.push({what: 'stroke', stroke, path, dashes});
                              if (name === 'fillRect') drawn.push({what: 'box', fill, x: a[0], wide: a[2]});
                              if (name === 'fillText') drawn.push({what: 'text', text: a[0], x: a[1]});
                            })
    });
    const view = {
      axis,
      index: panel.events.length - 1,
      time: panel.end,
      scroll: 0,
      width: 10000,
      height: lanes.height,
      focus: null,
      lit: [],
      hidden: Infinity
    };
    lanes.drawGround(pen, view, colours);
    lanes.drawMarks(pen, view, colours);
    lanes.drawAxis(pen, view, colours);
    const [, left, wide] = /tl-idle" d="M([\d.]+) [\d.]+h([\d.]+)v/.exec(svg).map(Number);
    const place = (x) => (Number(x) - left) / wide * 10000, near = (a, b) => Math.abs(a - b) < 30;  // 3 in 1,000
    const strokes = (ink) => drawn.filter(({what, stroke}) => what === 'stroke' && stroke === ink);
    const points = (ink) => strokes(ink).flatMap(({path}) => path.map(([, x]) => x));
    const boxes = (fill) => drawn.filter((each) => each.what === 'box' && each.fill === fill);
    const texts = drawn.filter(({what}) => what === 'text'),
          number = (x, all) => all.some((each) => near(each, place(x)));
    const starts = (d) => [...d.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x));
    const each = {
      meeting: (d) => starts(d).every((x) => number(x, points('ink'))),
      arrival: (d) => starts(d).every(
          (x) => strokes('urgent').some(({path, dashes}) => dashes.length > 0 && near(path[0][1], place(x)))),
      waits: (d) => /M([\d.]+) .*?h([\d.]+)/.exec(d).slice(1).map(Number).every(
          (_, i, [x, h]) => number(x + i * h, points('urgent'))),
      request: (d) => starts(d).every((x) => number(x, points('text'))),
      // A cross begins four pixels before its cycle, and a ring six.
      refused: (d) => starts(d).every((x) => number(x + 4, points('text')) || number(x + 6, points('text'))),
      prologue: (d) => starts(d).every((x) => number(x, boxes('setup').map(({x: at}) => at))),
      hatch: (d) =>
          starts(d).every((x) => strokes('ink').some(({path}) => path.some(([, at]) => Math.abs(at - place(x)) < 60))),
      urgent: (d) => starts(d).every((x) => number(x, boxes('urgent').map(({x: at}) => at))),
      idle: () => boxes('idle').length > 0,
      launch: (d) => starts(d).every((x) => number(x, [...boxes('tile'), ...boxes('stolen')].map(({x: at}) => at))),
      grid: () => true,
      axis: () => texts.some(({text}) => text === '5,000')
    };
    for (const [, style, d] of svg.matchAll(/<path class="tl-([a-z]+)" d="([^"]*)"/g)) {
      if (['halo', 'edge', 'flag'].includes(style)) continue;  // around another mark, or on it
      assert.ok(each[style], `the player has no mark for tl-${style}`);
      assert.ok(each[style](d), `${kernel}: tl-${style} is missing, or elsewhere`);
      seen.add(style);
    }
    for (const [, text] of svg.matchAll(/<text class="tl-number[^>]*>(\d+)</g))
      assert.ok(texts.some((one) => one.text === text), `number ${text}`);
    assert.ok(
        texts.some(({text}) => /^urgent kernel waits [\d,]+ cycles$/.test(text)), 'how long the urgent kernel waited');
    assert.match(
        svg,
        new RegExp(`clc::urgent, of higher priority, waited ${
            texts.find(({text}) => /waits/.test(text)).text.match(/[\d,]+/)[0]} cycles`));
  }
  for (const style of ['meeting', 'arrival', 'waits', 'request', 'refused', 'prologue', 'hatch'])
    assert.ok(seen.has(style), style);
});

test('a riddle has one right answer at least and a wrong one, none twice', () => {
  const {panel} = sixRun;
  const asked = new Set();
  for (let i = 1; i < panel.events.length; i++) {
    const riddle = questionFor(sixRun.run, panel, i);
    if (!riddle) continue;
    asked.add(types[panel.events.type[i]]);
    assert.equal(riddle.answers.filter((answer) => answer.right).length, 1);
    assert.equal(new Set(riddle.answers.map((answer) => answer.text)).size, riddle.answers.length);
    assert.ok(riddle.answers.length > 1);
  }
  assert.deepEqual([...asked], ['decided'], 'how many bytes an mbarrier expects is always the same: no riddle');
});

test('findings are those of --check-json, at their line and in their block', () => {
  for (const pitfall of ['decode-first', 'no-fence', 'no-expect-tx']) {
    const {status} = spawnSync(
        CLCSIM,
        ['--check-json', `${FOLDER}/found.json`, '--timeline', `${FOLDER}/found.html`, PITFALLS, pitfall, '--broken']);
    assert.equal(status, 86);
    const {findings} = JSON.parse(readFileSync(`${FOLDER}/found.json`, 'utf8')), run = recordOf(`${FOLDER}/found.html`);
    assert.equal(run.findings.length, findings.length);
    findings.forEach((finding, i) => {
      const mine = run.findings[i];
      assert.deepEqual([mine.name, mine.what, mine.count], [finding.name, finding.what, finding.count]);
      assert.equal(mine.again.length, finding.count - 1, 'each is marked');
      assert.equal(lineName(run, mine.line), `${finding.file.replace(/.*\//, '')}:${finding.line}`);
      const index = run.panels.findIndex((panel) => panel.launches.some((launch) => launch.serial === mine.launch));
      const panel = openPanel(run, index);
      assert.ok([...panel.events.type].some((type) => types[type] === 'finding'));
      assert.ok(mine.time >= panel.begin && mine.time <= panel.end + 1, `${panel.begin} ${mine.time} ${panel.end}`);
      assert.equal(blockName(panel.launches[0], mine.block), String(finding.block[0]));
    });
  }
});

test('what matters: launch, starts, requests, steals, responses, tiles, failures, ends; each once', () => {
  const {events} = sixRun.panel, counts = {};
  for (let i = 0; i < events.length; i++) {
    if (!events.matters[i]) continue;
    const name = types[events.type[i]];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  assert.deepEqual(
      counts, {submitted: 1, starts: 2, tile: 6, request: 6, decided: 6, landed: 6, operation: 2, ends: 2, over: 1});
});

const wholeNumber = (digits) => Number(digits.replace(/,/g, ''));
const textOf = (parts) => parts.map((part) => part.text ?? part).join('');

test('why a warp waits: which phase, what is due, who brings it, since when, where that one is', () => {
  const {run, panel} = sixRun, [launch] = panel.launches, {steps} = launch, found = {};
  for (let i = 0; i < steps.length; i++) {
    if (kinds[steps.kind[i]] !== 'waits') continue;
    const time = steps.time[i] + 10, moment = {launch: 0, block: steps.block[i], time, event: eventAt(panel, time)};
    const [parts] = whatWarpsDo(run, panel, moment, steps.warp[i] - 1);
    assert.ok(parts, 'each warp that waits has a reason');
    const text = textOf(parts);
    assert.doesNotMatch(text, /undefined|NaN|0x|  /, text);
    assert.ok(text.length < 300, `a sentence, no list: ${text}`);
    const [, comes, on] = /and comes at cycle ([\d,]+)\. .* goes on at cycle ([\d,]+)/.exec(text) ?? [];
    if (comes) assert.ok(wholeNumber(comes) <= wholeNumber(on), text);
    assert.match(text, /^Warp \d+ waits at \w+\.\w+:\d+ since cycle [\d,]+, .*It goes on at cycle [\d,]+\.$/);
    found[reasons[steps.a[i]]] ??= text;
    // Who waits for a phase waits for the one that is open, and what is due is what the mbarrier counts.
    if (reasons[steps.a[i]] !== 'mbarrier') continue;
    const [barrier] = mbarriersOf(blockOf(panel, 0, moment.block), launch, moment.event);
    assert.match(text, new RegExp(`for phase ${barrier.phase} of the mbarrier: `));
    if (barrier.bytes > 0) {
      assert.match(
          text,
          /16 bytes come with the response to request \d+, which warp 0 sent at cycle [\d,]+, and arrive at cycle/);
    }
  }
  assert.match(found.mbarrier, /16 bytes/);
  assert.match(
      found.block_barrier,
      /at the block barrier: (\d+ of 32 warps have come\. (Missing: warp \d|The last .* at cycle \d)|all have come)/);
});

test('a deadlock: nobody brings what is due, and no warp goes on', () => {
  spawnSync(CLCSIM, ['--timeline', `${FOLDER}/dead.html`, PITFALLS, 'no-expect-tx', '--broken']);
  const run = recordOf(`${FOLDER}/dead.html`), panel = openPanel(run, 0);
  const moment = {launch: 0, block: 0, time: panel.end, event: panel.events.length - 1};
  const text = whatWarpsDo(run, panel, moment).map(textOf).join(' ');
  assert.match(
      text, /phase 0 of the mbarrier: 1 arrival is still due\. 16 bytes have come that this phase does not expect/);
  assert.match(text, /Nobody has ever arrived at it, and nobody will\..* never go(es)? on\./);
});

test('a deadlock has one number of cycles: on the page, in the picture and in --stats', () => {
  for (const pitfall of ['no-expect-tx', 'grid-sync']) {
    const {stderr} = spawnSync(
        CLCSIM, ['--stats', '--timeline', `${FOLDER}/stuck.html`, PITFALLS, pitfall, '--broken'], {encoding: 'utf8'});
    spawnSync(CLCSIM, ['--timeline', `${FOLDER}/stuck.svg`, PITFALLS, pitfall, '--broken']);
    const panel = openPanel(recordOf(`${FOLDER}/stuck.html`), 0), {events} = panel, cycles = panel.end - panel.begin;
    const [launch] = panel.launches;
    assert.match(panel.facts[1], new RegExp(`^${grouped(cycles)} cycles;`));
    assert.match(readFileSync(`${FOLDER}/stuck.svg`, 'utf8'), new RegExp(`${grouped(cycles)} cycles;`));
    const row = /^ +1 +\S+ +\d+ +\d+ +(\d+) +(\d+) +(\d+) +(\d+) +\S+ +\d+ +(\d+)$/m.exec(stderr).slice(1).map(Number);
    assert.deepEqual(row, [launch.total, ...countsOf(launch), cycles]);
    assert.equal(Math.max(...events.time), panel.end, 'nothing happens after the end');
  }
});

test('a run of 64 tiles has all of its lines, in a page of at most 500 kB', () => {
  const file = `${FOLDER}/whole.html`;
  spawnSync(CLCSIM, [
    '--gpu', 'mini', '--timeline', file, BASIC, '--kernel', 'basic', '--elements', '65536', '--warmup', '0', '--runs',
    '1'
  ]);
  assert.ok(statSync(file).size <= 500000, `${statSync(file).size} bytes`);
  const run = recordOf(file);
  assert.equal(run.panels.length, 2);
  for (const {index} of run.panels) assert.equal(openPanel(run, index).launches[0].gap, undefined);
});

test('a copy that a warp waits for is named, and when it comes', () => {
  spawnSync(CLCSIM, [
    '--gpu', 'mini', '--timeline', `${FOLDER}/copies.html`, '--timeline-launch', '1', BASIC, '--kernel', 'pipeline',
    '--elements', '8192', '--warmup', '0', '--runs', '1'
  ]);
  const run = recordOf(`${FOLDER}/copies.html`), panel = openPanel(run, 0), [{steps, gap}] = panel.launches;
  assert.equal(gap, undefined);
  const told = new Set();
  for (let i = 0; i < steps.length; i++) {
    if (kinds[steps.kind[i]] !== 'waits' || reasons[steps.a[i]] !== 'mbarrier' || steps.block[i] > 2) continue;
    const time = steps.time[i] + 10;
    const [parts] = whatWarpsDo(
        run, panel, {launch: 0, block: steps.block[i], time, event: eventAt(panel, time)}, steps.warp[i] - 1);
    const text = parts ? textOf(parts) : '';
    assert.doesNotMatch(text, /No request or copy|was not kept|Missing: \./, text);
    if (/A copy brings [\d,]+ bytes at cycle [\d,]+\./.test(text)) told.add(text);
  }
  assert.ok(told.size > 10, `${told.size} waits for copies`);
});

test('a block that was stolen: who stole it and when, and who does its work', () => {
  const {panel} = sixRun, [launch] = panel.launches, {requests} = launch;
  for (let i = 0; i < requests.length; i++) {
    if (!requests.granted[i]) continue;
    const stolen = requests.stolen[i], text = storyOfBlock(panel, 0, stolen);
    const cycle = grouped(requests.decided[i] - panel.begin);
    assert.match(
        text,
        new RegExp(`^Block ${stolen} is stolen by block ${requests.block[i]} at cycle ${
            cycle} .* does its work from cycle [\\d,]+ to [\\d,]+\\.$`));
    assert.equal(workerOf(panel, 0, stolen), requests.block[i]);
  }
  assert.match(storyOfBlock(panel, 0, 1), /^Block 1 starts on SM 1 at cycle \d+ and leaves .* It steals 3 blocks\.$/);
});

test('the lines of a broken form are those of the source, and the finding speaks of lines that are there', () => {
  for (const [pitfall, out, pattern] of [
           ['no-expect-tx', true, /mbarrier_arrive_expect_tx/], ['no-fence', true, /fence_proxy_async/],
           ['no-wait', false, /__syncthreads/]]) {
    spawnSync(CLCSIM, ['--timeline', `${FOLDER}/broken.html`, PITFALLS, pitfall, '--broken']);
    const run = recordOf(`${FOLDER}/broken.html`), panel = openPanel(run, 0), lines = brokenLines(run, panel);
    assert.match(lines.filter((line) => line.out === out).map(({text}) => text).join('\n'), pattern);
    for (const {file, number, text} of lines) assert.equal(run.files[file].text[number - run.files[file].first], text);
    assert.ok(lines.length < 8, `${pitfall}: ${lines.length} lines, not those of other pitfalls`);
    const guilty = guiltyLines(run, run.findings[0]);
    assert.deepEqual(
        [guilty[0].label, guilty[0].line], ['here', run.findings[0].line && run.lines[run.findings[0].line - 1][1]]);
    const {events} = panel, at = [...events.type].findIndex((type) => types[type] === 'finding');
    const before = eventsBefore(panel, at);
    assert.ok(before.length > 0 && before.every((i) => i < at && events.block[i] === events.block[at]));
  }
  // A read is no event of its own: the story has where its warp was.
  spawnSync(CLCSIM, ['--timeline', `${FOLDER}/broken.html`, PITFALLS, 'no-barrier', '--broken']);
  const run = recordOf(`${FOLDER}/broken.html`), panel = openPanel(run, 0), [finding] = run.findings;
  const at = [...panel.events.type].findIndex((type) => types[type] === 'finding');
  const [read, ...more] = accessesBefore(run, panel, finding, at), {line} = finding.details[0];
  assert.equal(read.text, `Thread (32,0,0) of block 0 is at ordering.cuh:${line}: the read.`);
  assert.ok(read.time < finding.time && panel.events.time[read.event] <= read.time && more.length === 0);
  spawnSync(CLCSIM, ['--timeline', `${FOLDER}/fixed.html`, PITFALLS, 'no-fence', '--fixed']);
  const fixed = recordOf(`${FOLDER}/fixed.html`);
  assert.deepEqual(brokenLines(fixed, openPanel(fixed, 0)), []);
});

test('clusters: their blocks, and the program\'s name, whatever its path is', () => {
  const launch = {grid: [8, 4, 1], cluster: [2, 2, 1]};
  assert.deepEqual(clusterBlocks(launch, 11), [2, 3, 10, 11]);
  assert.equal(programName('clcsim --gpu b200 --seed 3 /a/03_clc_basic --tile 4/5'), '03_clc_basic');
  assert.equal(programName('clcsim \'/my runs/a b\' x'), 'a b');
});

const palette = readFileSync(new URL('../../clcsim/report/palette.h', import.meta.url), 'utf8');
const linear = (colour) => [1, 3, 5]
                               .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
                               .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));

// WCAG 2.2, 1.4.3 and 1.4.11: text 4.5 to 1, marks 3 to 1.
test('colours contrast, light and dark', () => {
  const themes = [{}, {}];
  for (const [, name, ...colours] of palette.matchAll(/\{"([\w-]+)", "(#[0-9a-f]{6})", "(#[0-9a-f]{6})"\}/g)) {
    themes.forEach((theme, i) => {
      theme[name] = colours[i];
    });
  }
  const light = (colour) => linear(colour).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  for (const theme of themes) {
    const check = (front, back, least) => assert.ok(
        contrast(theme[front], theme[back]) >= least,
        `${front} on ${back}: ${contrast(theme[front], theme[back]).toFixed(2)}`);
    for (const back of ['page', 'field', 'current', 'event']) check('text', back, 4.5);
    for (const front of ['soft', 'link', 'bad', 'good'])
      for (const back of ['page', 'field']) check(front, back, 4.5);
    for (const front of ['soft', 'link', 'good'])
      for (const back of ['current', 'event']) check(front, back, 4.5);
    for (const fill of ['tile', 'stolen']) check('ink', fill, 4.5);
    check('text', 'chip', 4.5);
    check('on-urgent', 'urgent', 4.5);
    for (const mark of ['mark', 'line', 'bad']) check(mark, 'page', 3);
  }
});

// Machado, Oliveira and Fernandes, 2009, severity 1.
const deuteranope = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]];

test('deuteranopes tell what a block does apart', () => {
  const fills = ['setup', 'tile', 'stolen', 'urgent'].map(
      (name) => new RegExp(`\\{"${name}", "(#[0-9a-f]{6})"`).exec(palette)[1]);
  const lab = ([r, g, b]) => {
    const [x, y, z] = [
      (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
      (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    ].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const seen = (colour) => lab(deuteranope.map((row) => {
    const value = row.reduce((sum, each, i) => sum + each * linear(colour)[i], 0);
    return Math.min(1, Math.max(0, value));
  }));
  for (const [i, one] of fills.entries()) {
    for (const other of fills.slice(0, i)) {
      const far = Math.hypot(...seen(one).map((value, k) => value - seen(other)[k]));
      assert.ok(far >= 25, `${one} and ${other}: ${far.toFixed(1)}`);
    }
  }
});

test('the picture and the page have their colours from the palette alone', () => {
  for (const file
           of ['report/timeline_svg.cpp', 'report/timeline_panel.cpp',
               ...['lanes.js', 'queue.js', 'player.js', 'player.css', 'page.css', 'markup.js'].map(
                   (name) => `player/page/${name}`)]
               .map((name) => `clcsim/${name}`)) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    assert.doesNotMatch(text.replace(/url\(#[\w-]+\)|&#x\w+;/g, ''), /#[0-9a-fA-F]{3,8}\b/, file);
  }
});

test('a product by tensor memory: copies of boxes and products are called so', () => {
  const {status} = spawnSync(CLCSIM, [
    '--timeline', `${FOLDER}/product.html`, '--timeline-launch', '1', PRODUCT, '--m', '128', '--n', '128', '--k', '128'
  ]);
  assert.ok(status === 0 || status === 4, 'right, though nothing needs to be stolen');
  const run = recordOf(`${FOLDER}/product.html`), panel = openPanel(run, 0);
  const said = Array.from({length: panel.events.length}, (_, i) => sentence(run, panel, i).replace(/\n/g, ''));
  const count = (pattern) => said.filter((text) => pattern.test(text)).length;
  // Two steps of 64 along K, with a box of A, two of B and four products of 16 each.
  assert.equal(count(/asks for a copy of 64 \u00d7 128 elements, 16,384 bytes to shared memory/), 2);
  assert.equal(count(/asks for a copy of 64 \u00d7 64 elements, 8,192 bytes to shared memory/), 4);
  assert.equal(count(/asks the tensor core for a product/), 8);
  assert.equal(count(/bytes of a copy arrive in/), 6);
  assert.equal(count(/An arrival that waited for products or copies of block 0 comes to/), 3);
});

test('the page knows kinds and reasons by the numbers that the recorder gives them', () => {
  const header = readFileSync(new URL('../../clcsim/player/detail.h', import.meta.url), 'utf8');
  const names = (name) => [...new RegExp(`enum class ${name} .*?\\{(.*?)\\};`, 's')
                               .exec(header)[1]
                               .replace(/\/\/.*$/gm, '')
                               .matchAll(/\w+/g)]
                              .map(String);
  assert.deepEqual(kinds, names('Kind'));
  assert.deepEqual(reasons, names('Reason'));
});
