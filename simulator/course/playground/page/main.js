// The page: the state, what it looks like, and what happens when somebody presses a button.
import {grouped} from '../../../clcsim/player/page/numbers.js';
import {mount} from '../../../clcsim/player/page/player.js';

import {find} from './dom.js';
import {ownGpu} from './gpu.js';
import {Guide} from './guide.js';
import {Kept} from './kept.js';
import {ownName} from './kernel.js';
import {Knobs, threadsOf} from './knobs.js';
import {instructionsRemoved, withoutKinds} from './marks.js';
import {mistakeOf, refusedInstruction} from './mistakes.js';
import {showOutcome} from './outcome.js';
import {unpacked} from './packed.js';
import {lineOfFinding} from './places.js';
import {exploredSentence} from './results.js';
import {failure, Runner} from './runner.js';
import {carriedOver, entryOf, firstState, readState, writeState} from './state.js';
import {KernelText} from './text.js';

const catalogueText = await unpacked(find('catalogue').textContent).then((bytes) => new TextDecoder().decode(bytes));
const catalogue = JSON.parse(catalogueText);
find('version').textContent = `clcsim ${catalogue.version}`;
const wasm = unpacked(find('wasm').textContent);

const kSeeds = 50;
const kMostAddress = 60000;  // characters: longer ones are refused by some browsers

let state;
const runs = [];  // the last two
const kept = new Kept(() => localStorage);
let player = null, dark = false, addressWaits = 0;

// For all workers: one that starts slowly may still need it.
const engine = URL.createObjectURL(
    new Blob([find('engine').textContent, '\n', find('worker').textContent], {type: 'text/javascript'}));
const runner = new Runner(() => {
  const worker = new Worker(engine);
  wasm.then((bytes) => worker.postMessage({start: {wasm: bytes, catalogue: catalogueText}}));
  return worker;
});

// ---- the kernel and its text ----

const entry = () => entryOf(catalogue, state.program, state.kernel);
const sources = () => entry().program.sources ?? {};

const text = new KernelText((byReader) => {
  state.edits = text.edits;
  remember(byReader);
}, (key, lines) => kept.edits(key, lines));

function say(text) { find('status').textContent = text; }

function openText() {
  say('');
  text.showMistake(null);
  const {program, kernel} = entry();
  if (!text.open(program, kernel, state.edits))
    say('The edits in the link are for another version of this kernel; the PTX is the course\u2019s own.');
}

// ---- running ----

// What the simulator is asked, and what the page has to know of it afterwards: the reader may go on to another kernel
// meanwhile.
function request() {
  const {kernel: chosen} = entry(), {whole, lines, original} = text;
  const about = {
    removed: instructionsRemoved(original, lines),
    lineOf: whole.lineOf,
    lines,
    written: text.written('request') && text.written('expect')
  };
  const asked = {
    program: state.program,
    kernel: state.kernel,
    ptx: state.edits.length > 0 ? whole.text : null,
    options: {...state.options},
    gpu: state.gpu === 'own' ? ownGpu(state, threadsOf(state, chosen)) : state.gpu,
    seed: state.seed,
    checks: state.checks,
    record: true,
    cycles: 50_000_000,
    seconds: 20
  };
  return {asked, about};
}

function setBusy(busy) {
  find('stop').disabled = !busy;  // it stands where Copy link stands
  for (const id of ['run', 'explore']) find(id).disabled = busy;
  for (const each of document.querySelectorAll('#choose > .bar, #knobs')) each.inert = busy;
  find('step-start').disabled = busy;
  find('result').setAttribute('aria-busy', String(busy));
}

const progressed = (progress) =>
    say(`Running: cycle ${grouped(progress.cycles ?? 0)}, ${grouped(progress.started ?? 0)} blocks started.`);

async function runOnce({asked, about}, {explored, forTask = true} = {}) {
  const {unreadable} = text;
  const reply = unreadable ? failure(unreadable.says) : await runner.run(asked, progressed);
  if (reply.stopped) return say('Stopped.');
  const found =
      explored ? `${exploredSentence(explored)} ` : '';  // beside the button, since the rest may be out of sight
  say(found);
  const before = runs.at(-1), run = {...asked, ...about, reply, explored};
  if (reply.error) run.mistake = unreadable ?? mistakeOf(reply.error.message, run.ptx ?? '', run.lineOf, run.lines);
  if (run.mistake) Object.assign(reply.error, {message: run.mistake.says, line: run.mistake.line});
  runs.push(run);
  if (runs.length > 2) runs.shift();
  showRun(run, before);
  showWhetherStale();
  if (!forTask) return;
  if (!reply.error && across.checkVisibility() && across.value === 'results') across.click();
  guide.judge(run);
  if (!guide.judged) return;
  const {done, says} = guide.judged, judged = done ? 'The task is done' : 'The task is not done yet';
  say(`${found}${judged}: ${says}`);
}

// Nothing else may begin until `work` is done, however it ends.
async function busily(work) {
  if (knobs.complaint) find('complaint').scrollIntoView({block: 'nearest'});
  if (runner.busy || knobs.complaint) return;
  setBusy(true);
  try {
    await work();
  } finally {
    setBusy(false);
  }
}

const run = (how) => busily(async () => {
  say('Running \u2026');
  await runOnce(request(), how);
});

// What stands at the right is of another kernel, other knobs or another text than what is chosen now.
function showWhetherStale() {
  const of = ({program, kernel, ptx, options, gpu, seed, checks}) =>
      JSON.stringify([program, kernel, ptx, options, gpu, seed, checks]);
  const last = runs.at(-1), isStale = Boolean(last) && of(last) !== of(request().asked);
  find('results').classList.toggle('stale', isStale);
  find('old').hidden = !isStale;
}

const explore = () => busily(async () => {
  const {asked, about} = request();
  const explored = await runner.explore(asked, kSeeds, (seed) => say(`Seed ${seed}: ${seed + 1} of ${kSeeds} \u2026`));
  if (explored.stopped) return say(`Stopped after ${explored.tried} seeds, which showed nothing.`);
  if (explored.failed !== undefined) state.seed = explored.failed;
  await runOnce({asked: {...asked, seed: state.seed}, about}, {explored});
  knobs.show(state);
  remember();
});

// Where the code and the result are one below the other, a button leads from each to the other.
const across = find('across');
across.addEventListener('click', () => find(across.value).scrollIntoView());
new IntersectionObserver(([{isIntersecting}]) => {
  [across.value, across.textContent] = isIntersecting ? ['results', 'Result'] : ['code', 'Code'];
}, {rootMargin: '-50% 0px'}).observe(find('code'));

function showRun(run, before) {
  const refusal = run.reply.findings.find((finding) => finding.kind === 'refusal');
  const mistake = run.mistake ?? refusedInstruction(refusal, refusal ? findingLine(run, refusal) : -1, text.lines);
  showOutcome(find('verdict'), find('numbers'), find('outcome'), run, before, {
    showFinding: (finding) => showFinding(run, finding),
    openPitfall: (name) => knobs.choose('05_ub_pitfalls', `${name}:broken`),
  });
  text.showMistake(isHere(run) && run.ptx !== null ? mistake : null);
  text.editor.highlight('found', run.reply.findings.map((each) => findingLine(run, each)).filter((line) => line >= 0));
  showPlayer(run);
}

const isHere = (run) => run.program === state.program && run.kernel === state.kernel;

const findingLine = (run, finding) =>
    (!isHere(run) ? -1 :
                    lineOfFinding(finding, run.lineOf, text.lines, (line) => text.whole.chains[line] ?? [], sources()));

function showFinding(run, finding) {
  if (!isHere(run)) {
    say('That was another kernel\u2019s run.');
    return;
  }
  const line = findingLine(run, finding), name = finding.file ? ownName(finding.file, sources()) : null;
  if (name) text.source.mark('found', name, finding.line);
  if (line < 0) return;
  text.goTo(line);
  text.editor.highlight('found', [line]);
  text.editor.field.focus({preventScroll: true});
}

function showPlayer(run) {
  player?.destroy();
  player = null;
  find('watch').hidden = !run.reply.record;
  if (!run.reply.record) return;
  player = mount(
      find('player'), run.reply.record,
      {level: 3, title: false, compact: true, edited: Boolean(run.ptx), theme: dark ? 'dark' : 'light'});
  const together = run.reply.record.panels.findIndex((panel) => panel.launches.length > 1);
  if (together > 0) player.open(`#panel=${together + 1}`);  // where the urgent kernel is
  if (run.reply.findings.length === 0) player.goToEnd();    // all of it is past, and bright
}

// ---- the page around it ----

// Browsers refuse to be told of every key.
function remember(edited = false) {
  if (edited) kept.keepEdits(text.key, text.original, state.edits);
  clearTimeout(addressWaits);
  addressWaits = setTimeout(writeDown, 200);
  find('kept').dataset.waits = '';
  showWhetherStale();
}

function writeDown() {
  clearTimeout(addressWaits);
  const address = writeState(state, catalogue), as = writeState({...state, edits: null}, catalogue);
  history.replaceState(null, '', address.length < kMostAddress ? address : as);
  kept.write('address', as);
  kept.write('done', [...new Set([...kept.done, ...guide.done])]);
  delete find('kept').dataset.waits;
  showKept();
}

function showKept() {
  find('kept').textContent = kept.refused ?
      'This browser refuses to keep anything for this page. Your edits are only in its address.' :
      'Your edits and the tasks that you have done are kept in this browser.';
  find('forget').hidden = kept.refused;
}

function forget() {
  if (!confirm('Forget your edits and the tasks that you have done? Nothing brings them back.')) return;
  clearTimeout(addressWaits);
  kept.forget();
  text.forget();
  guide.done.clear();
  state = firstState(catalogue);
  showState();
  say('Forgotten: your edits and the tasks that you had done.');
}

async function copyLink() {
  const address = writeState(state, catalogue);
  if (address.length >= kMostAddress) {
    say('The edits are too long for a link.');
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href.replace(/#.*$/, '') + address);
    say('The link is copied: it holds kernel, knobs, seed and edits.');
  } catch {  // not every page may write there
    say('The link is this page\u2019s address.');
  }
}

function setTheme(isDark) {
  dark = isDark;
  document.documentElement.classList.toggle('dark', dark);
  player?.setTheme(dark ? 'dark' : 'light');
}

// A task's kernel and knobs; what it does not name is as at first.
function setUp(start) {
  const {options, without, ...rest} = start, {kernel} = entryOf(catalogue, start.program, start.kernel);
  state = {...firstState(catalogue), ...rest, step: state.step, options: carriedOver(options, kernel, kernel)};
  showState();
  if (!without) return;
  text.set(text.lines.map((line) => withoutKinds(line, without)).filter((line) => line !== null));
  text.goToChange(text.original);
  say(`The task has changed the PTX: line ${text.editor.current + 1} is the first that differs.`);
}

function showState() {
  guide.state = state;
  guide.show();
  knobs.show(state);
  openText();
  if (guide.step?.pane) text.openPane(guide.step.pane);
}

const knobs = new Knobs(catalogue, (what) => {
  if (what === 'kernel') openText();
  remember();
});
let guide;

function start() {
  const was = String(kept.read('address') ?? ''), read = readState(location.hash || was, catalogue);
  state = read.state;
  // A block that has an SM for itself takes as long for the same prologue as any other.
  if (!location.hash && !was) Object.assign(state, {gpu: 'own', sms: 8, slots: 1});
  if (!location.hash) state.edits = null;  // as they were left
  guide = new Guide(state, kept.done, setUp, () => remember());
  setTheme(document.documentElement.classList.contains('dark'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({matches}) => {
    let chosen = '';  // the book's, too
    kept.attempt(() => chosen = localStorage.getItem('theme'));
    if (!['light', 'dark'].includes(chosen)) setTheme(matches);
  });
  showState();
  showKept();
  if (read.notes.length > 0) say(read.notes.join(' '));
  const buttons = {run: () => run(), explore, stop: () => runner.stop(), link: copyLink, forget};
  for (const [id, action] of Object.entries(buttons)) find(id).addEventListener('click', action);
  for (const button of document.querySelectorAll('.theme-toggle')) {
    button.addEventListener('click', () => {
      setTheme(!dark);
      kept.attempt(() => localStorage.setItem('theme', dark ? 'dark' : 'light'));
    });
  }
  addEventListener('pagehide', writeDown);
  addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    const isKnob = key === 'enter' && event.target.matches('#knobs input');
    if (!(event.ctrlKey || event.metaKey || isKnob) || event.altKey || !['z', 'y', 'enter'].includes(key)) return;
    if (key !== 'enter' && /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    if (key !== 'enter') {
      text.step(key === 'y' || event.shiftKey ? 1 : -1);
      return;
    }
    document.activeElement?.dispatchEvent?.(new Event('change', {bubbles: true}));
    run();
  });
  addEventListener('hashchange', () => {
    if (!location.hash.includes('=')) return writeDown();  // the skip link's
    const again = readState(location.hash, catalogue);
    state = again.state;
    showState();
    say(again.notes.join(' '));
    run({forTask: false});
  });
  document.body.classList.add('ready');
  if (!knobs.complaint) run({forTask: false});
}

start();
