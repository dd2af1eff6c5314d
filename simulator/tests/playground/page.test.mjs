// The playground's page: its modules on their own, and the tasks' checks with right and with wrong replies.
//   BASIC=... CATALOGUE=... node --test page.test.mjs
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {test} from 'node:test';

import {explained, explanationsOf, opcodesOf} from '../../course/playground/page/explain.js';
import {ownGpuError} from '../../course/playground/page/gpu.js';
import {Kept} from '../../course/playground/page/kept.js';
import {compose, difference, edited, openKernel, ownPlace} from '../../course/playground/page/kernel.js';
import {instructionsRemoved, markOf, piecesOfPtx, toggled} from '../../course/playground/page/marks.js';
import {mistakeOf, refusedInstruction} from '../../course/playground/page/mistakes.js';
import {Past} from '../../course/playground/page/past.js';
import {lineOfFinding} from '../../course/playground/page/places.js';
import {Runner} from '../../course/playground/page/runner.js';
import {judge, steps} from '../../course/playground/page/steps.js';

const {balance, comparisonRows, exploredSentence, headline, reasonToStop, related} =
    await import('../../course/playground/page/results.js');
const {carriedOver, checkOption, defaultsOf, firstState, readState, writeState} =
    await import('../../course/playground/page/state.js');

const {BASIC, CATALOGUE} = process.env;

const module = `.version 9.0
.target sm_100a
.visible .entry other()
{
	ret;
}
.visible .entry steal(
	.param .u64 steal_param_0
)
{
	.reg .pred 	%p<3>;
	.loc	1 102 0
	// demoted variable
	ld.param.u64 	%rd1, [steal_param_0];
	.loc	1 60 3, function_name $L__info_string0, inlined_at 1 102 1
	.loc	2 26 3, function_name $L__info_string1, inlined_at 1 60 3
	// begin inline asm
	fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
	// end inline asm
	mov.u32 	%r1, barrier;
	.loc	1 76 9, function_name $L__info_string0, inlined_at 1 102 1
	.loc	3 21 13, function_name $L__info_string2, inlined_at 1 76 9
	clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r66], [%r67];
	{ .reg .pred p;
	mbarrier.try_wait.parity.acquire.cta.shared::cta.b64  p, [%r87], %r93;  // 8a.
	}
	@p mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r61], 16; }
	ret;
}
	.file	1 "/home/somebody/03_clc_basic/clc_basic.cu"
	.file	2 "/usr/local/cuda/include/fence.h"
	.file	3 "/usr/local/cuda/include/clusterlaunchcontrol.h"
`.replace(
    'expect_tx.relaxed.cta.shared::cta.b64 _, [%r61], 16; }', 'expect_tx.relaxed.cta.shared::cta.b64 _, [%r61], 16;');
const sources = {
  '03_clc_basic/clc_basic.cu': 'one\ntwo\n'
};
const kernel = openKernel(module, 'steal');
const texts = kernel.shown.map((line) => line.text);
const lineWith = (what) => texts.findIndex((text) => text.includes(what));

test('a kernel of a module, without the lines that name lines, and with its places', () => {
  assert.equal(texts[0], '.visible .entry steal(');
  assert.equal(texts[texts.length - 1], '}');
  assert.ok(!texts.some((text) => text.includes('.loc') || text.includes('inline asm') || text.includes('demoted')));
  assert.deepEqual(ownPlace(kernel.shown[lineWith('ld.param')].chain, sources), ['03_clc_basic/clc_basic.cu', 102]);
  const fence = kernel.shown[lineWith('fence.proxy')];
  assert.deepEqual(fence.chain.map(([, line]) => line), [26, 60, 102]);
  assert.deepEqual(ownPlace(fence.chain, sources), ['03_clc_basic/clc_basic.cu', 60]);
  assert.deepEqual(kernel.shown[lineWith('.reg .pred \t%p')].chain, [], 'a declaration is no line of a program');
  assert.equal(openKernel(module, 'other').shown.length, 4);
  assert.equal(openKernel('nothing', 'steal').shown[0].text, 'nothing', 'without the kernel all is shown');
});

test('a text that has lost its spaces is indented', () => {
  const bare = openKernel(module.replace(/^\t/gm, ''), 'steal').shown.map((line) => line.text);
  assert.deepEqual(bare.slice(3, 6), ['{', texts[4], texts[5]]);
  assert.equal(bare.length, texts.length);
});

test('what is not edited goes back as it came, and what is goes in its place', () => {
  assert.equal(compose(kernel, texts).text, module);
  const at = lineWith('fence.proxy');
  const without = texts.filter((_, i) => i !== at);
  const gone = compose(kernel, without);
  assert.ok(!gone.text.includes('fence.proxy'));
  assert.equal(
      gone.text.split('\n').length, module.split('\n').length - 1,
      'only that line is gone: the lines that name places stay');
  assert.equal(gone.origin[at], at + 1);
  const more = [...texts.slice(0, at), '\tfence.proxy.async;', 'bogus;', ...texts.slice(at + 1)];
  const composed = compose(kernel, more);
  assert.equal(composed.origin[at], -1);
  assert.equal(composed.origin[at + 2], at + 1);
  assert.deepEqual(composed.chains[at], kernel.shown[at].chain);
  const line = composed.text.split('\n').indexOf('bogus;');
  assert.equal(composed.lineOf[line], at + 1, 'a line of the module leads back to the line in the editor');
  assert.equal(composed.lineOf[line + 1], at + 1, 'a hidden line leads to the one before it');
  assert.match(
      composed.text.split('\n')[line - 2], /inline asm|\.loc/,
      'the new line has the place of the one that it replaces');
});

test('edits: from one text to the other and back', () => {
  const cases = [
    [['a', 'b', 'c'], ['a', 'c']], [['a'], ['a']], [[], ['x']], [['a', 'b', 'a', 'b'], ['b', 'a', 'x', 'b', 'b']],
    [['a', 'b'], []]
  ];
  for (const [was, now] of cases) assert.deepEqual(edited(was, difference(was, now)), now);
  assert.deepEqual(difference(['a'], ['a']), []);
  assert.deepEqual(difference(['a', 'b', 'c', 'd'], ['a', 'x', 'c']), [[1, 1, ['x']], [3, 1, []]]);
  assert.equal(edited(['a'], [[3, 1, []]]), null, 'edits of a longer text');
  assert.equal(edited(['a', 'b'], [[1, 1, []], [0, 1, []]]), null, 'in the wrong order');
});

test('the instructions of the protocol are known, can be taken away and put back', () => {
  assert.equal(markOf(texts[lineWith('fence.proxy')]).kind, 'fence');
  assert.equal(markOf(texts[lineWith('try_cancel')]).kind, 'request');
  assert.equal(markOf(texts[lineWith('try_wait')]).kind, 'wait');
  assert.equal(markOf(texts[lineWith('expect_tx')]).kind, 'expect');
  assert.equal(
      markOf('\tclusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {a, b, c, d}, r;').kind, 'decode');
  assert.equal(markOf('\tadd.s32 \t%r1, %r2, 1;'), null);
  assert.equal(markOf('\t// fence.proxy.async;'), null);
  for (const text of texts) assert.equal(toggled(toggled(text)), text);
  const wait = toggled(texts[lineWith('try_wait')]);
  assert.match(wait, /^\tsetp\.eq\.u32 p, 0, 0; \/\* removed: mbarrier\.try_wait.*%r93; \*\/ {2}\/\/ 8a\.$/);
  assert.equal(markOf(wait).removed, true);
  const last = '\t@p mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r61], 16; }';
  assert.equal(
      toggled(last), '\t/* removed: @p mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r61], 16; */ }',
      'the brace stays');
});

test('how many instructions are gone', () => {
  const at = lineWith('fence.proxy'), change = (f) => texts.flatMap(f);
  const removed = (lines) => instructionsRemoved(texts, lines);
  assert.equal(removed(texts), 0);
  assert.equal(removed(change((text, i) => (i === at ? [] : [text]))), 1);
  assert.equal(removed(change((text, i) => (i === at ? [toggled(text)] : [text]))), 1);
  assert.equal(removed(change((text, i) => (i === at ? [`\t// ${text.trim()}`] : [text]))), 1);
  assert.equal(removed(change((text, i) => (i === at || i === at + 1 ? [] : [text]))), 2);
  assert.equal(removed(change((text, i) => (i === at ? ['\tadd;'] : [text]))), -1);
  assert.equal(removed(change((text, i) => (i === at ? [text, 'more;'] : [text]))), -1);
});

test('an instruction is explained, with its section', () => {
  const [wait] = explanationsOf('\t@!p mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 q, [%r87], %r93;');
  assert.equal(wait.section, 'PTX ISA 9.0, 9.7.13.15');
  assert.match(wait.says, /^only where p is false: true if the phase has ended/);
  assert.match(
      explanationsOf('ld.global.v4.f32 {a, b, c, d}, [%rd1];')[0].says, /32-bit floating-point numbers, 4 at once$/);
  assert.match(explanationsOf('$L_1:')[0].says, /label/);
  assert.deepEqual(explanationsOf('// add.s32 a, b, c;'), []);
  assert.equal(explained('bogus.sync'), null);
});

const {programs} = JSON.parse(readFileSync(CATALOGUE, 'utf8'));

test('of a chapter that the playground knows it offers every kernel that the program lists, and only launches', () => {
  for (const {id, kernels} of programs) {
    const said = execFileSync(join(dirname(BASIC), id), ['--help', '--json'], {encoding: 'utf8'});
    const listed = said.trim().split('\n').map((line) => JSON.parse(line));
    const plain = listed.filter(({host = 'run'}) => /^run(_few|_padded|_rows|_columns)?$/.test(host));
    const all = plain.flatMap(({kernels: own, pitfall}) => own ?? [`${pitfall}:broken`, `${pitfall}:repaired`]);
    assert.deepEqual(kernels.map((kernel) => kernel.id), all);
  }
});

test('every instruction of the chapters\u2019 PTX is explained, and every line of a kernel says something', () => {
  const all = programs.flatMap(({kernels}) => kernels.map((each) => openKernel(each.ptx, each.symbol)));
  const lines = new Set(all.flatMap(({shown}) => shown.map(({text}) => text)));
  assert.deepEqual(
      [...lines].filter(
          (line) => explanationsOf(line).some(({name}) => opcodesOf(line).includes(name) && !explained(name))),
      []);
  const mute = [...lines].filter((line) => explanationsOf(line).length === 0 && !/^[\s{}()]*(\/\/.*)?$/.test(line));
  assert.deepEqual(mute, []);
});

test('colours lose nothing of a line', () => {
  for (const text of texts) assert.equal(piecesOfPtx(text).map(([, piece]) => piece).join(''), text);
  assert.deepEqual(piecesOfPtx('$L1: // a')[0], ['label', '$L1']);
});

test('Undo and Redo: letters typed together are one step, and the course\u2019s own text stays the first', () => {
  const past = new Past(['a']);
  assert.equal(past.step(-1), undefined);
  past.put(['ab'], 1000);
  past.put(['abc'], 1300);
  past.put(['abcd'], 5000);
  past.put(['x']);
  past.put(['x']);
  assert.deepEqual([past.step(-1), past.step(-1), past.step(-1)], [['abcd'], ['abc'], ['a']]);
  assert.equal(past.has(-1), false);
  assert.deepEqual([past.step(1), past.step(1)], [['abc'], ['abcd']]);
  past.put(['y'], 5100);
  assert.deepEqual([past.has(1), past.step(-1)], [false, ['abcd']], 'a new text ends Redo');
  assert.deepEqual([past.step(-1), past.step(-1), past.step(-1)], [['abc'], ['a'], undefined]);
});

test('what is kept: of this version of a text; and a storage that refuses, or has what somebody else wrote', () => {
  const storage = Object.assign(
      Object.create({
        getItem(name) { return this[name] ?? null; },
        setItem(name, value) { this[name] = value; },
        removeItem(name) { delete this[name]; }
      }),
      {theme: 'dark'});
  const kept = new Kept(() => storage), edits = [[0, 1, ['x']]];
  kept.keepEdits('p k', ['a', 'b'], edits);
  assert.deepEqual(kept.edits('p k', ['a', 'b']), edits);
  assert.equal(kept.edits('p k', ['a', 'c']), null, 'another text');
  assert.equal(kept.edits('p other', ['a', 'b']), null);
  for (const [value, done] of [['["luck","<b>"]', ['luck']], ['nonsense', []], ['3', ['3']]]) {
    storage.setItem('clc-playground done', value);
    assert.deepEqual(kept.done.map(String), done);
  }
  kept.forget();
  assert.deepEqual({...storage}, {theme: 'dark'});
  const none = new Kept(() => {
    throw new Error('denied');
  });
  none.write('address', '#x=1');
  none.forget();
  assert.deepEqual([none.refused, none.read('address'), none.done], [true, null, []]);
});

test('a mistake: its line and column, and what was expected', () => {
  const mistake = (change, sentence) => {
    const lines = change(texts), {text, lineOf} = compose(kernel, lines);
    const [line, column] = sentence.place(text.split('\n'));
    return mistakeOf(`PTX line ${line}, column ${column}: ${sentence.says}`, text, lineOf, lines);
  };
  const at = lineWith('mov.u32');
  const missing = mistake((lines) => lines.map((line, i) => (i === at ? line.replace(';', '') : line)), {
    place: (all) => [all.findIndex((line) => line.includes('mov.u32')) + 2, 2],
    says: 'expected \';\' or \',\' after an operand of \'mov.u32\', found \'.loc\''
  });
  assert.deepEqual(missing, {
    line: at + 1,
    column: texts[at].replace(';', '').length + 1,
    says: 'expected \';\' or \',\' after an operand of \'mov.u32\', and the line ends',
    word: ''
  });
  const named = mistake((lines) => lines, {
    place: (all) => [all.findIndex((line) => line.includes('mov.u32')) + 1, 10],
    says: 'the name \'%tidd.x\' is not declared'
  });
  assert.deepEqual([named.line, named.column, named.word], [at + 1, 10, '%tidd.x']);
  assert.equal(mistakeOf('the run was stopped', '', [], []).line, null);
  const refused = refusedInstruction({what: 'the instruction movv.u32 is not modelled'}, 0, ['\tmovv.u32 %r1, 0;']);
  assert.deepEqual([refused.line, refused.column, refused.word], [1, 2, 'movv.u32']);
  assert.equal(refusedInstruction({what: 'something else'}, 0, ['']), null);
});

// ---- state ----

const number = (least, most, fallback, step = 1) => ({default: fallback, min: least, max: most, step});
const options = {
  elements: number(1, 1 << 24, 3000003),
  tile: number(4, 1 << 20, 1024, 4),
  threads: number(32, 1024, 256, 32),
  shape: {...number(0, 1, 0), names: ['heavy tail', 'random']},
  urgent: number(0, 1, 0)
};
const catalogue = {
  gpus: [{id: 'mini'}, {id: 'b200'}],
  programs: [
    {id: '03_clc_basic', chapter: '03', title: 'CLC', kernels: [{id: 'basic', options}, {id: 'ptx', options}]},
    {
      id: '05_ub_pitfalls',
      chapter: '05',
      title: 'Pitfalls',
      kernels: [
        {id: 'no-fence:broken', pitfall: 'no-fence', broken: true, options: {}},
        {id: 'no-fence:repaired', pitfall: 'no-fence', broken: false, options: {}}
      ]
    },
  ]
};

test('a link holds the whole state', () => {
  const state = {
    ...firstState(catalogue),
    kernel: 'ptx',
    gpu: 'own',
    sms: 2,
    slots: 3,
    seed: 4000000000,
    checks: false,
    step: 'luck',
    edits: [[3, 1, ['\tadd; // \u00fc \u65e5']], [9, 0, ['$L: bra $L;']]]
  };
  state.options = {...state.options, elements: 77, urgent: 1};
  const link = writeState(state, catalogue);
  assert.match(link, /^#[\w=&%.,-]+$/, 'nothing in it needs quoting');
  const {state: again, notes} = readState(link, catalogue);
  assert.deepEqual(again, state);
  assert.deepEqual(notes, []);
  const left = writeState({...state, edits: null}, catalogue);
  assert.match(left, /&ptx=kept/);
  assert.equal(readState(left, catalogue).state.edits, null, 'as this reader left it');
  assert.equal(writeState(firstState(catalogue), catalogue), '#program=03_clc_basic&kernel=basic');
});

test('a bad link gives a page that works, and says what was wrong', () => {
  const read = (hash) => readState(hash, catalogue);
  assert.deepEqual(read('').state, firstState(catalogue));
  assert.equal(read('#program=nonsense').state.program, '03_clc_basic');
  for (const hash
           of ['#program=nonsense', '#elements=-3', '#tile=5', '#elements=x', '#gpu=nope', '#ptx=%%', '#ptx=e30',
               '#ptx=W1sxXV0', '#shape=9']) {
    assert.equal(read(hash).notes.length, 1, hash);
  }
  assert.equal(read('#seed=-1').state.seed, 0);
  assert.equal(read('#sms=1e9&gpu=own').state.sms, 4);
});

test('knobs: what they take, what stays when the kernel changes', () => {
  assert.equal(checkOption('tile', options.tile, '1026').error, 'tile needs a multiple of 4');
  assert.equal(checkOption('tile', options.tile, '').error, 'tile needs a whole number');
  assert.equal(checkOption('elements', options.elements, '0').error, 'elements goes from 1 to 16777216');
  assert.equal(checkOption('shape', options.shape, '1').value, 1);
  const [basic, ptx] = catalogue.programs[0].kernels, [pitfall] = catalogue.programs[1].kernels;
  assert.equal(defaultsOf(basic).elements, 36864);
  assert.equal(carriedOver({...defaultsOf(basic), elements: 99}, basic, ptx).elements, 99);
  assert.deepEqual(carriedOver(defaultsOf(basic), basic, pitfall), {});
});

test('a GPU of one\u2019s own', () => {
  assert.equal(ownGpuError({slots: 2}, 512), '');
  assert.match(ownGpuError({slots: 5}, 1024), /4 places for blocks of 1024/);
});

// ---- results ----

const finding = (name) =>
    ({name, what: 'something', file: '03_clc_basic/clc_basic.cu', line: 76, chain: [{line: 21}, {line: 76}]});
const reply = (more = {}) => ({
  error: null,
  right: true,
  verdict: 'Each tile once.',
  started: 8,
  stolen: 28,
  refused: 8,
  cycles: 22265,
  instructions: 5,
  findings: [],
  record: null,
  ran: {grid: [36, 1, 1], block: [512, 1, 1], cluster: [1, 1, 1]},
  ...more
});

test('what a reply means, in a word', () => {
  assert.equal(headline(reply()).kind, 'good');
  assert.equal(headline(reply({findings: [finding('data-race')]})).kind, 'luck');
  const note = {...finding('data-race'), kind: 'note'};
  assert.deepEqual([headline(reply({findings: [note]})).kind, reasonToStop(reply({findings: [note]}))], ['good', '']);
  assert.equal(headline(reply({right: false})).kind, 'bad');
  assert.equal(headline(reply({right: false, verdict: 'Wrong: tile 3 is missing.'})).text, 'Tile 3 is missing.');
  assert.equal(headline(reply({right: false, findings: [finding('deadlock')]})).title, 'Stuck');
  assert.equal(headline(reply({word: 'INCONCLUSIVE'})).kind, 'none', 'nothing stolen is no pass');
  assert.equal(headline(reply({error: {message: 'no', line: 3}, right: null})).title, 'Refused, at line 3');
  assert.deepEqual(
      headline(reply({error: {message: 'the run was stopped after 20 seconds', line: null}, right: null})),
      {kind: 'bad', title: 'Stopped', text: 'The run was stopped after 20 seconds.'});
  assert.equal(reasonToStop(reply()), '');
  assert.match(reasonToStop(reply({findings: [finding('data-race')]})), /data-race/);
  assert.match(reasonToStop(reply({right: false, findings: [finding('deadlock')]})), /never ends/);
  assert.equal(
      comparisonRows(reply({launches: [{finished: false}]}), null).length, 2,
      'a launch that never ended has no counts');
  assert.equal(headline(reply({right: false, findings: [{kind: 'refusal', name: '', what: 'x'}]})).title, 'Refused');
  assert.match(reasonToStop(reply({right: false})), /wrong/);
});

test('two runs side by side', () => {
  const rows = comparisonRows(reply({cycles: 20000, started: 8}), reply({cycles: 25000, started: 0}));
  assert.deepEqual(rows.find(([name]) => name === 'cycles'), ['cycles', '20,000', '25,000', '\u221220.0 %']);
  assert.deepEqual(rows.find(([name]) => name === 'started'), ['started', '8', '0', '+8']);
  assert.deepEqual(rows.find(([name]) => name === 'stolen').slice(3), ['same']);
  assert.equal(
      comparisonRows(reply({instructions: 99999}), reply({instructions: 100000}))
          .find(([name]) => name === 'instructions')[3],
      '\u22121', 'tiny changes are counted');
  assert.match(balance(reply()), /8 \+ 28/);
  assert.equal(balance(reply({stolen: 27})), '');
  assert.deepEqual(comparisonRows(reply(), null)[0], ['started', '8']);
});

test('numbers stand beside those of a run of the same kernel or the same problem', () => {
  const one = {program: 'a', kernel: 'b', gpu: 'mini', options: {elements: 1, tile: 4}};
  assert.ok(related(one, {...one, options: {elements: 2, tile: 4}}), 'a knob was moved');
  assert.ok(related(one, {...one, program: 'c'}), 'another strategy');
  assert.ok(!related(one, {...one, program: 'c', options: {elements: 2, tile: 4}}));
  assert.ok(!related({...one, options: {}}, {...one, program: 'c', options: {}}), 'two pitfalls');
});

test('a finding leads to its instruction', () => {
  const fence = kernel.shown[lineWith('fence.proxy')].chain;
  const at = (line) => kernel.shown[line].chain;
  const lineOf = compose(kernel, texts).lineOf;
  assert.equal(lineOfFinding(finding('x'), lineOf, texts, at, sources), lineWith('try_cancel'));
  assert.equal(lineOfFinding({...finding('x'), line: 60}, lineOf, texts, at, sources), lineWith('fence.proxy'));
  assert.equal(lineOfFinding({...finding('x'), line: 5}, lineOf, texts, at, sources), -1);
  const told = module.split('\n').findIndex((line) => line.includes('try_wait')) + 1;
  assert.equal(lineOfFinding({...finding('x'), ptx_line: told}, lineOf, texts, at, sources), lineWith('try_wait'));
  const refusal = {...finding('x'), line: 60, what: 'the instruction bogus.sync is not modelled'};
  assert.equal(lineOfFinding(refusal, [], ['fence.proxy.async;', 'bogus.sync;'], () => fence, sources), 1);
});

// ---- running ----

class FakeWorker {
  constructor(answer) { this.answer = answer; }
  postMessage({request}) {
    setTimeout(() => !this.ended && this.answer(request, (data) => this.onmessage({data}), this), 1);
  }
  terminate() { this.ended = true; }
}

test('a run: progress, the reply, a failure that is a sentence, stop, and the next run', async () => {
  let made = 0, answer;
  const runner = new Runner(() => {
    made++;
    return new FakeWorker((...all) => answer(...all));
  });
  const seen = [];
  answer = (request, send) => {
    send({progress: {cycles: 5}});
    send({reply: reply({cycles: request.seed})});
  };
  assert.equal((await runner.run({seed: 3}, (progress) => seen.push(progress.cycles))).cycles, 3);
  assert.deepEqual(seen, [5]);
  answer = (_, send) => send({failed: 'RangeError: Array buffer allocation failed'});
  assert.match((await runner.run({})).error.message, /so much memory/);
  answer = (_, send, worker) => worker.onerror({message: 'SyntaxError'});
  assert.match((await runner.run({})).error.message, /stopped unexpectedly/);
  assert.equal(made, 4, 'each is tried twice, by another Worker');
  const fatal = {error: {message: 'the engine could not go on', fatal: true}};
  for (const breaks of [(send, worker) => worker.onerror({message: ''}), (send) => send({reply: fatal})]) {
    const first = made + 1;
    answer = (_, send, worker) => made === first ? breaks(send, worker) : send({reply: reply({cycles: 4})});
    assert.equal((await runner.run({})).cycles, 4);
    runner.drop();
  }
  answer = () => {};
  const endless = runner.run({});
  assert.equal(runner.busy, true);
  assert.match((await runner.run({})).error.message, /another run/);
  setTimeout(() => runner.stop(), 5);
  assert.equal((await endless).stopped, true);
  assert.equal(runner.busy, false);
  const before = made;
  answer = (_, send) => send({reply: {error: {message: 'Refused.', line: 2}}});
  assert.deepEqual((await runner.run({})).findings, [], 'a short reply is made whole');
  assert.equal(made, before, 'the Worker that a stop has made');
  answer = (_, send) => send({failed: 'no'});
  const halted = runner.run({});
  setTimeout(() => runner.stop(), 50);  // between two tries
  assert.equal((await halted).stopped, true);
  assert.equal(made, before + 1, 'none is made for a run that was stopped, but the next one');
});

test('seeds: stops at the first that fails', async () => {
  const runner = new Runner(() => new FakeWorker((request, send) => send({reply: reply({right: request.seed !== 7})})));
  const tried = [];
  const explored = await runner.explore({}, 50, (seed) => tried.push(seed));
  assert.deepEqual([explored.failed, tried.length], [7, 8]);
  assert.match(exploredSentence(explored), /^Seed 7 gives a wrong result\./);
  const clean = await runner.explore({}, 5, () => {});
  assert.equal(clean.failed, undefined);
  assert.match(exploredSentence(clean), /^5 seeds, 0 to 4: nothing found/);
});

// ---- tasks ----

const run = (program, kernelId, more = {}) => ({
  program,
  kernel: kernelId,
  options: {elements: 36864, tile: 1024, threads: 512},
  gpu: 'mini',
  seed: 0,
  checks: true,
  ptx: null,
  removed: 0,
  reply: reply(),
  ...more
});
const step = (id) => steps.find((each) => each.id === id);
const done = (id, ...runs) => judge(step(id), runs).done;

test('tasks in the order of the chapters, each with hints; none is done by nothing, and none by a refusal', () => {
  const chapters = steps.map(({start}) => start.program);
  assert.deepEqual(chapters, [...chapters].sort());
  assert.equal(new Set(steps.map((each) => each.id)).size, steps.length);
  for (const each of steps) {
    assert.ok(each.why.length > 40 && each.hints.length >= 2, each.id);
    assert.equal(judge(each, []).done, false, each.id);
    const refused =
        run(each.start.program, each.start.kernel,
            {ptx: 'x', reply: reply({error: {message: 'no', line: 1}, right: null})});
    assert.equal(judge(each, [refused]).done, false, each.id);
    assert.equal(judge(each, [{reply: {}}]).done, false, 'a reply that makes no sense');
  }
});

test('task: each tile pays', () => {
  const twenty = reply({started: 20, stolen: 0});
  assert.ok(done('each-tile-pays', run('01_fixed_work', 'fixed', {reply: twenty})));
  assert.ok(!done('each-tile-pays', run('01_fixed_work', 'fixed', {reply: reply({started: 19})})));
  assert.ok(!done('each-tile-pays', run('03_clc_basic', 'basic', {reply: twenty})), 'another chapter');
  assert.ok(!done('each-tile-pays', run('01_fixed_work', 'fixed', {reply: twenty, ptx: 'edited'})));
  assert.ok(!done('each-tile-pays', run('01_fixed_work', 'fixed', {reply: {...twenty, right: false}})));
});

test('tasks: edited PTX', () => {
  const basic = (more, ...findings) =>
      run('03_clc_basic', 'basic', {ptx: 'edited', removed: 1, ...more, reply: reply({findings, ...more.reply})});
  assert.ok(done('luck', basic({}, finding('missing-proxy-fence'))));
  assert.ok(!done('luck', basic({})));
  assert.ok(!done('luck', basic({ptx: null}, finding('missing-proxy-fence'))));
  assert.ok(!done('luck', basic({}, finding('deadlock'))));
  assert.ok(!done('luck', basic({reply: {right: false}}, finding('missing-proxy-fence'))));

  const lucky = basic({checks: false}), unlucky = basic({checks: false, seed: 9, reply: {right: false}});
  assert.ok(done('seeds', lucky, unlucky));
  assert.ok(!done('seeds', lucky));
  assert.ok(!done('seeds', unlucky));
  assert.ok(
      done('seeds', {...unlucky, explored: {wanted: 50, tried: 10, failed: 9}}),
      'the seeds before the ninth were tried');
  assert.ok(!done('seeds', {...unlucky, seed: 0, explored: {wanted: 50, tried: 1, failed: 0}}));
  assert.ok(!done('seeds', lucky, {...unlucky, ptx: 'another edit'}));
  assert.ok(!done('seeds', lucky, {...unlucky, seed: 50}));
  assert.ok(
      !done('seeds', {...lucky, removed: -1}, {...unlucky, removed: -1}), 'more than one instruction was changed');

  assert.ok(done('write', basic({written: true})));
  assert.ok(!done('write', basic({written: false})));
  assert.ok(!done('write', basic({written: true}, finding('data-race'))));
  assert.ok(!done('write', basic({written: true, reply: {stolen: 0}})));
  assert.ok(!done('write', basic({written: true, checks: false})));

  const pairs = (more, ...findings) =>
      run('04_clc_cluster', 'pairs', {ptx: 'edited', ...more, reply: reply({right: false, findings})});
  assert.ok(done('stuck', pairs({}, finding('data-race'), finding('deadlock'))));
  assert.ok(!done('stuck', pairs({}, finding('data-race'))));
  assert.ok(!done('stuck', pairs({ptx: null}, finding('deadlock'))));
});
