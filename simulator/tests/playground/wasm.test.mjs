// The engine as WebAssembly against the native one, in Node: the same replies, byte for byte but for the seconds; and a
// sentence for whatever PTX.
//   WASM=folder of engine.js and engine.wasm, ENGINE=clcsim_playground CATALOGUE=catalogue.json
//   [SEEDS=2] [GPUS=mini] node wasm.test.mjs
// Without the engine it says so, and ends with 77.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const { WASM, ENGINE, CATALOGUE, SEEDS = '2', GPUS = 'mini' } = process.env;
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
  const output = execFileSync(ENGINE, [CATALOGUE], { input, maxBuffer: 1 << 30, encoding: 'utf8' });
  return output.trimEnd().split('\n').map((line) => JSON.parse(line));
}
const timeless = (reply) => JSON.stringify({ ...reply, seconds: 0 });
const kernels = programs.flatMap(({ id, kernels }) => kernels.map((kernel) => ({ program: id, ...kernel })));
const small = { elements: 3003, tile: 16, threads: 64, prologue: 3 };
const larger = { ...small, elements: 5003, threads: 1024 };  // more tiles than large GPUs hold as blocks
const request_of = ({ program, id, pitfall }, rest = {}) =>
  ({ program, kernel: id, options: pitfall ? {} : (rest.gpu ?? 'mini') === 'mini' ? small : larger, ...rest });

for (const { id } of programs) {
  test(`${id}: the native engine's replies`, () => {
    const requests = kernels.filter((kernel) => kernel.program === id).flatMap((kernel) =>
      GPUS.split(',').flatMap((gpu) => Array.from({ length: Number(SEEDS) }, (_, seed) =>
        request_of(kernel, { gpu, seed, record: gpu === 'mini' && seed === 1 }))));
    const replies = native(requests);
    requests.forEach((request, i) => {
      const reply = engine.run(request);
      assert.equal(timeless(reply), timeless(replies[i]), JSON.stringify(request).slice(0, 300));
      assert.equal(reply.error, null);
    });
  });
}

test('a prologue of fused multiplications and an urgent kernel, too', () => {
  const requests = [{ program: '03_clc_basic', kernel: 'basic', options: { ...small, prologue: 3001, skew: 7, urgent: 1 }, seed: 3 },
    { program: '06_for_each_canceled_block', kernel: 'histogram', options: small, seed: 4, gpu: 'like mini\nsms 3\nblocks_per_sm 2\n' }];
  native(requests).forEach((reply, i) => assert.equal(timeless(engine.run(requests[i])), timeless(reply)));
});

// ---- PTX that somebody has edited ----

const basic = kernels.find((kernel) => kernel.program === '03_clc_basic');
const limits = { cycles: 2_000_000, seconds: 5 };

// Runs an edited text. Whatever it is, there is a reply, and the engine goes on.
async function run_edited(kernel, ptx, why) {
  const reply = engine.run(request_of(kernel, { ptx, ...limits }));
  const told = reply.error?.message ?? reply.verdict;
  assert.ok(typeof told === 'string' && told.length > 5, `${why}: no sentence`);
  if (reply.error?.fatal) await restart();  // as the page does, with a new worker
  return reply;
}
const edited = (from, to) => {
  assert.ok(basic.ptx.search(from) >= 0, `the PTX has no ${from}`);
  return basic.ptx.replace(from, to);
};

test('a mistake in the PTX is told with its line', async () => {
  const ptx = edited(/mbarrier\.init/, 'mbarrier..init');
  const reply = await run_edited(basic, ptx, 'two dots');
  assert.equal(reply.error.line, ptx.split('\n').findIndex((line) => line.includes('mbarrier..init')) + 1);
});

test('no fence, no wait, no expect-tx: findings and sentences', async () => {
  assert.equal((await run_edited(basic, edited(/^fence\.proxy\.async.*$/gm, ''), 'no fence')).findings[0].name, 'missing-proxy-fence');
  const unarmed = await run_edited(basic, edited(/^mbarrier\.arrive\.expect_tx.*$/m, ''), 'no expect-tx');
  assert.match(unarmed.verdict, /never ends/);
});

test('what a page can not do is told: time, cycles, memory', async () => {
  const endless = edited(/\nret;/, '\n$again:\nadd.s32 %r1, %r1, 1;\nbra.uni $again;\nret;');
  assert.match((await run_edited(basic, endless, 'endless')).error.message, /stopped (at its limit|after)/);
  const huge = `${basic.ptx.replace('.visible .entry', '.global .align 4 .b8 huge[8000000000];\n.visible .entry')}`;
  assert.match((await run_edited(basic, huge, 'huge variable')).error.message, /memory/);
  const wide = engine.run(request_of(basic, { options: { ...small, elements: 1 << 25 } }));
  assert.match(wide.error.message, /elements must be/);
});

test('mutilated PTX gets a sentence', async () => {
  let state = 12345;
  const lot = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % n; };
  const pieces = ['', ';', '{', '}', '[', '(((((', '.', '%r1', '0x', '-', '99999999999999999999', '\u0000', '\u00e4', '"', '/*', '@', ',', 'bra'];
  const some = kernels.filter((_, i) => i % 9 === 0);
  let errors = 0;
  for (let i = 0; i < 300; ++i) {
    const kernel = some[i % some.length];
    const lines = kernel.ptx.split('\n');
    for (let change = 1 + lot(3); change > 0; --change) {
      const at = 8 + lot(lines.length - 8), line = lines[at], middle = lot(line.length + 1);
      const kind = lot(4);
      if (kind === 0) lines.splice(at, 1 + lot(3));
      else if (kind === 1) lines[at] = line.slice(0, middle) + pieces[lot(pieces.length)] + line.slice(middle);
      else if (kind === 2) lines[at] = lines[8 + lot(lines.length - 8)];
      else if (lot(4) === 0) lines.length = at;
    }
    errors += (await run_edited(kernel, lines.join('\n'), `change ${i}`)).error !== null;
  }
  assert.ok(errors > 30 && errors < 300, `${errors} of 300 are errors`);
});

test('texts that are no module of this kernel, deep ones included', async () => {
  const texts = ['', '\u0000', '{'.repeat(100000), '('.repeat(100000), basic.ptx.replace('.param .align 8 .b8', '.param .align 8 .b8 more, .param .align 8 .b8'),
    `.version 9.0\n.target sm_100\n.address_size 64\n.global .u32 x = ${'('.repeat(50000)}1${')'.repeat(50000)};\n`,
    `.version 9.0\n.target sm_100\n.address_size 64\n.visible .entry _Z8multiplyN3clc7ProblemEPfPy() {\n${'{'.repeat(20000)}${'}'.repeat(20000)}\nret;\n}\n`];
  for (const ptx of texts) await run_edited(basic, ptx, JSON.stringify(ptx.slice(0, 60)));
  assert.equal(engine.run(request_of(basic)).word, 'PASS');  // it still works
});

test('requests that are none', () => {
  for (const request of [null, 3, {}, { program: 'x' }, { ...request_of(basic), gpu: 'x' }, { ...request_of(basic), gpu: 'like mini\nsms many\n' },
    { ...request_of(basic), options: { elements: 'x' } }, { ...request_of(basic), options: { nothing: 1 } }]) {
    assert.ok(engine.run(request).error.message.length > 5);
  }
});

test('how fast it is beside the native engine', () => {
  const runs = { 'streaming, no checks': { checks: false }, 'computing, no checks': { checks: false, options: { prologue: 20000 } },
    'streaming, all checks': {}, 'computing, all checks': { options: { prologue: 20000 } } };
  for (const [name, rest] of Object.entries(runs)) {
    const request = { program: '03_clc_basic', kernel: 'basic', ...rest };
    const best = (replies) => Math.min(...replies.map((reply) => reply.seconds));
    const here = best([1, 2, 3, 4, 5].map(() => engine.run(request)));
    const there = best(native(Array(5).fill(request)));
    console.log(`${name}: ${here.toFixed(3)} s, native ${there.toFixed(3)} s, ratio ${(here / there).toFixed(1)}`);
  }
});
