// The engine as WebAssembly in Node: the arithmetic that WebAssembly lacks against the native engine, and a sentence
// for whatever PTX. (tests/book/live.test.mjs compares its numbers with those that the pages show.)
//   WASM=folder of engine.js and engine.wasm, ENGINE=clcsim_playground CATALOGUE=catalogue.json node wasm.test.mjs
// Without the engine it says so, and ends with 77.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';

const {WASM, ENGINE, CATALOGUE} = process.env;
if (!existsSync(`${WASM}/engine.wasm`) || !existsSync(ENGINE)) {
  console.log('skipped: the engine is not there as WebAssembly: cmake --build build --target playground');
  process.exit(77);
}
const engine = createRequire(import.meta.url)(`${WASM}/engine.js`);
const wasm = readFileSync(`${WASM}/engine.wasm`);
const catalogue = readFileSync(CATALOGUE, 'utf8');
const programs = JSON.parse(catalogue).programs;
const restart = () => engine.start(wasm, catalogue);
await restart();

function native(requests) {
  const input = requests.map((request) => JSON.stringify(request) + '\n').join('');
  const output = execFileSync(ENGINE, [CATALOGUE], {input, maxBuffer: 1 << 30, encoding: 'utf8'});
  return output.trimEnd().split('\n').map((line) => JSON.parse(line));
}
const kernels = programs.flatMap(({id, kernels}) => kernels.map((kernel) => ({program: id, ...kernel})));
const basic = kernels.find((kernel) => kernel.program === '03_clc_basic');
const small = {
  elements: 3003,
  tile: 16,
  threads: 64,
  prologue: 3
};
const request_of = ({program, id, pitfall}, rest = {}) =>
    ({program, kernel: id, options: pitfall ? {} : small, ...rest});

// ---- fma, for which WebAssembly has no instruction ----

// A kernel in place of chapter 03's: each thread multiplies and adds numbers by lot, and its results go into what the
// chapter counts as steals. `kinds`: of a, b and c, the random bits that are kept, and what is added to them.
function fmas(rounds, kinds) {
  const draw = [['shl.b32', 13], ['shr.u32', 17], ['shl.b32', 5]]
                   .map(([shift, by]) => `${shift} %t, %s, ${by}; xor.b32 %s, %s, %t;`)
                   .join(' ');
  const number = (to, [kept, added]) => `${draw} and.b32 ${to}, %s, ${kept}; add.u32 ${to}, ${to}, ${added};`;
  const body = kinds
                   .map((kind) => `${kind.map((each, i) => number(`%${'abc'[i]}`, each)).join('\n')}
    fma.rn.f32 %d, %a, %b, %c; mad.lo.u32 %h, %h, 16777619, %d;`)
                   .join('\n');
  const [head] = /[^]*?\.visible \.entry[^{]*\{/.exec(basic.ptx);
  const [, counted] = /(\w+_param_2)/.exec(head);
  return `${head}
    .reg .b32 %a, %b, %c, %d, %h, %i, %s, %t; .reg .b64 %at, %sum; .reg .pred %more;
    mov.u32 %s, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %s, %s, 1024, %t; mad.lo.u32 %s, %s, 747796405, 2891336453;
    mov.u32 %h, 0; mov.u32 %i, 0;
    $again:
    ${body}
    add.u32 %i, %i, 1; setp.lt.u32 %more, %i, ${rounds}; @%more bra $again;
    shr.u32 %h, %h, 8; cvt.u64.u32 %sum, %h; ld.param.u64 %at, [${counted}]; red.global.add.u64 [%at+16], %sum; ret;
  }`;
}

test('5.4 million fused multiplications and additions are the processor\u2019s', () => {
  const sign = 0x80000000, exponent = (bits) => bits * (1 << 23);
  const random = (kept, from, spread = 0) => [sign + exponent(spread) + kept, exponent(from)], all = 0x7fffff,
        few = 0x7ff000;
  const ptx = fmas(50, [
    [[0xffffffff, 0], [0xffffffff, 0], [0xffffffff, 0]],
    [random(all, 112, 15), random(all, 112, 15), random(all, 100, 31)],
    [
      random(few, 112, 15), random(few, 112, 15), random(few, 100, 63)
    ],                                                           // often exact, often halfway between two floats
    [[sign, 0x3f800001], [sign, 0x3f7ffffe], random(all, 151)],  // 2^-46 less than halfway
    [[sign, 0x3f800800], [sign, 0x3f7ff001], random(all, 151)],  // 2^-36 more
    [random(all, 40, 31), random(all, 20, 31), [sign + 15, 0]],  // below the smallest normal float
    [random(few, 63, 1), random(few, 63, 1), random(3, 0, 1)],   // near it
    [
      [sign, exponent(52) + 1], [sign, exponent(52) - 2], [sign + 3, 0x7ffffc]
    ],  // 2^-196 from halfway between it and the one before
    [random(all, 190, 1), random(all, 189, 1), random(all, 252, 3)]
  ]);  // the largest
  const request = request_of(basic, {ptx});
  const [expected] = native([request]), reply = engine.run(request);
  assert.equal(expected.error, null);
  assert.ok(expected.steals > 1e6, expected.verdict);
  assert.equal(reply.steals, expected.steals);
});

// What a run gives back, the next one takes. (Emscripten's munmap lost its way where a counter of four bytes was given
// back, and one engine in three broke down within 60 of these.)
test('an engine makes two hundred runs', () => {
  for (let i = 0; i < 200; i++) {
    const options = {elements: 16 * (1 + i * 37 % 300), tile: 16, threads: 32, prologue: i % 30};
    const {error, word} = engine.run({program: '02_grid_stride', kernel: 'queue', options, runs: 1, record: i % 2 > 0});
    assert.equal(error?.message ?? word, 'PASS', `run ${i + 1}`);
  }
});

// ---- PTX that somebody has edited ----

const limits = {
  cycles: 2_000_000,
  seconds: 5
};

// Runs an edited text. Whatever it is, there is a reply, and the engine goes on.
async function run_edited(kernel, ptx, why) {
  const reply = engine.run(request_of(kernel, {ptx, ...limits}));
  const told = reply.error?.message ?? reply.verdict;
  assert.ok(typeof told === 'string' && told.length > 5, `${why}: no sentence`);
  if (reply.error?.fatal) await restart();  // as the page does, with a new worker
  return reply;
}
const edited = (from, to) => {
  assert.ok(basic.ptx.search(from) >= 0, `the PTX has no ${from}`);
  return basic.ptx.replace(from, to);
};

test('what a page can not do is told: time, cycles, memory', async () => {
  const endless = edited(/\nret;/, '\n$again:\nadd.s32 %r1, %r1, 1;\nbra.uni $again;\nret;');
  assert.match((await run_edited(basic, endless, 'endless')).error.message, /stopped (at its limit|after)/);
  const huge = `${basic.ptx.replace('.visible .entry', '.global .align 4 .b8 huge[8000000000];\n.visible .entry')}`;
  assert.match((await run_edited(basic, huge, 'huge variable')).error.message, /memory/);
  const wide = engine.run(request_of(basic, {options: {...small, elements: 1 << 25}}));
  assert.match(wide.error.message, /elements must be/);
});

// Each kernel, with lines gone, exchanged and cut, and with words of all of them put in.
test('mutilated PTX gets a sentence', async () => {
  let state = 12345;
  const lot = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const words = [...new Set(kernels.flatMap(({ptx}) => ptx.split(/\s+/)))];
  const pieces = [
    ...words, '', ';', '{', '}', '[', '(((((', '.', '%r1', '0x', '-', '99999999999999999999', '\u0000', '\u00e4', '"',
    '/*', '@', ',', 'bra'
  ];
  const kinds = {error: 0, FAILED: 0, PASS: 0, WRONG: 0};
  for (let i = 0; i < 5 * kernels.length; ++i) {
    const kernel = kernels[i % kernels.length];
    const lines = kernel.ptx.split('\n');
    for (let change = 1 + lot(3); change > 0; --change) {
      const at = 8 + lot(lines.length - 8), line = lines[at], middle = lot(line.length + 1);
      const kind = lot(4);
      if (kind === 0)
        lines.splice(at, 1 + lot(3));
      else if (kind === 1)
        lines[at] = line.slice(0, middle) + pieces[lot(pieces.length)] + line.slice(middle);
      else if (kind === 2)
        lines[at] = lines[8 + lot(lines.length - 8)];
      else if (lot(4) === 0)
        lines.length = at;
    }
    const reply = await run_edited(kernel, lines.join('\n'), `change ${i}`);
    const kind = reply.error ? 'error' : reply.word;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    assert.ok(!reply.error?.fatal, `change ${i}: ${reply.error?.message}`);
  }
  for (const [kind, times] of Object.entries(kinds))
    assert.ok(times > 0, `none of the changed kernels ends with ${kind}`);
  console.log('changed kernels', kinds);
});

test('texts that are no module of this kernel, deep ones included', async () => {
  const texts = [
    '', '\u0000', '{'.repeat(100000), '('.repeat(100000),
    basic.ptx.replace('.param .align 8 .b8', '.param .align 8 .b8 more, .param .align 8 .b8'),
    `.version 9.0\n.target sm_100\n.address_size 64\n.global .u32 x = ${'('.repeat(50000)}1${')'.repeat(50000)};\n`,
    `.version 9.0\n.target sm_100\n.address_size 64\n.visible .entry _Z8multiplyN3clc7ProblemEPfPy() {\n${
    '{'.repeat(20000)}${'}'.repeat(20000)}\nret;\n}\n`
  ];
  for (const ptx of texts) await run_edited(basic, ptx, JSON.stringify(ptx.slice(0, 60)));
  assert.equal(engine.run(request_of(basic)).word, 'PASS');  // it still works
});

test('requests that are none', () => {
  for (const request
           of [null, 3, {}, {program: 'x'}, {...request_of(basic), gpu: 'x'},
               {...request_of(basic), gpu: 'like mini\nsms many\n'}, {...request_of(basic), options: {elements: 'x'}},
               {...request_of(basic), options: {nothing: 1}}]) {
    assert.ok(engine.run(request).error.message.length > 5);
  }
});
