// Below each exercise of a page: a place to do it, judged by the exercise's own check in the engine, or the command of
// those that need a terminal; and whether it is done, also in the contents beside the page.
import {element} from '../../../clcsim/player/page/element.js';
import {unpacked} from '../../playground/page/packed.js';

import {engine, Watcher} from './bench.js';
import {choose, showLine} from './choose.js';
import {load} from './load.js';
import {predict} from './predict.js';
import {isDone, onProgress, setDone} from './progress.js';
import {chipOf, findingsOf, kindOf, rawOf} from './report.js';

function doneBox(number) {
  const field = element('input', '', {type: 'checkbox', onchange: () => setDone(number, field.checked)});
  onProgress(() => {
    field.checked = isDone(number);
  });
  return element('label', '', {class: 'live-done'}, field, `${number} done`);
}

// Of a tile in the check's output: what its cell looks like, and what that says.
const kLetters = {
  '#': ['filled', 'done'],
  '.': ['empty', 'not all done'],
  '2': ['2', 'done twice'],
  '?': ['?', 'otherwise wrong']
};

// y as the kernel has left it: a cell for each tile from `first` on.
function cellsOf(first, letters) {
  const cells = [...letters].map((letter, i) => {
    const says = `tile ${first + i}: ${kLetters[letter][1]}`;
    return element(
        'span', /[2?]/.test(letter) ? letter : '', {'data-is': letter, title: says, 'aria-label': says, role: 'img'});
  });
  const kinds = Object.keys(kLetters).filter((letter) => letters.includes(letter));
  const legend = kinds.map((letter) => kLetters[letter].join(': ')).join('; ');
  return element(
      'div', '', {class: 'live-cells'}, element('span', `y, a cell for each tile from ${first} on (${legend})`),
      element('div', '', {}, ...cells));
}

// What a check prints: sentences, lines of tables, whose cells stand apart, and y, tile by tile.
function outputOf(text) {
  const parts = [];
  for (const line of text.split('\n').map((each) => each.trim()).filter(Boolean)) {
    const [, first, letters] = /^tiles (\d+) to \d+: ([#.2?]+)$/.exec(line) ?? [];
    if (letters) {
      parts.push(cellsOf(Number(first), letters));
      continue;
    }
    const cells = line.split(/ {2,}/), name = cells.length > 1 ? 'table' : 'p';
    if (parts.at(-1)?.localName !== name) parts.push(element(name, '', {class: 'live-changes'}));
    parts.at(-1).append(...(name === 'p' ? [`${line} `] : [row(cells)]));
  }
  return parts;
}

const row = (cells) => element('tr', '', {}, ...cells.map((cell) => element('td', cell)));

// What the check says, as a card.
function cardOf({verdict, text, step}, goTo) {
  const {hints, output, report, notes} = verdict, passed = verdict.verdict === 'PASS';
  const words = verdict.reason === 'slow' ? 'PASS, but slow' : verdict.verdict, head = element('p');
  const findings = findingsOf(report, goTo);  // which name the rule
  head.append(
      chipOf(findings.length > 0 ? words.split(', ')[0] : words), verdict.more.replace(/^(, but slow)?[,:]? ?/, ' '));
  const [seed] = /^ {2}It was right under seed 0[^]*?\)$/m.exec(text) ?? [], at = Math.min(step, hints.length) - 1;
  const parts = [head, seed ? element('p', seed) : '', ...findings, ...outputOf(output)];
  if (notes.trim()) parts.push(element('p', notes));
  const told = passed ? ['What it shows', text.split('\n').slice(1).join(' ').trim()] :
                        [`Hint ${at + 1} of ${hints.length}`, hints[at] ?? ''];
  if (told[1]) parts.push(element('p', '', {class: 'live-hint'}, element('strong', `${told[0]}: `), told[1]));
  if (!passed && at + 1 < hints.length)
    parts.push(element('p', 'The next hint comes if this fails again.', {class: 'live-note'}));
  return element('div', '', {class: `live-card ${kindOf(words)}`}, ...parts, rawOf(text));
}

/// A function that checks an answer of a form, shows in `card` what comes of it and in `said` the verdict, which it
/// gives.
function judgeFor(number, form, card, said) {
  let before = {};
  return async (answer) => {
    said.textContent = 'Running \u2026';
    try {
      const {ask} = await engine(), reply = await ask({...answer, before}), {verdict, step, error} = reply;
      if (!verdict) throw new Error(error.message);
      before = {reason: verdict.reason, step};
      card.replaceChildren(cardOf(reply, (line) => showLine(form, line)));
      said.replaceChildren(chipOf(verdict.verdict));
      if (verdict.verdict === 'PASS') setDone(number, true);
      return verdict;
    } catch (error) {
      said.textContent = `It can\u2019t run here: ${error.message}.`;
      return null;
    }
  };
}

// The record of the run that the verdict on an answer is about.
async function recordFor({exercise, ...answer}, {gpu, seed}) {
  const {ask} = await engine();
  return (await ask({...answer, exercise: {...exercise, gpus: [gpu]}, seed: Number(seed), record: true})).record;
}

function placeFor(number, {id, kind}) {
  const form = element('form', '', {id: `do-${number}`});
  const card = element('div'), said = element('span', '', {role: 'status'});
  const judge = judgeFor(number, form, card, said);
  const summary = element('summary', '', {}, element('span', `Do ${number} here`, {class: 'live-do'}));
  const place = element('details', '', {class: 'live-here'}, summary, form, card);
  place.addEventListener('toggle', async () => {
    if (!place.open || form.childElementCount > 0) return;
    await load('player.js');  // which colours code
    await load(`exercises/${id}.js`);
    const data = JSON.parse(new TextDecoder().decode(await unpacked(clcBook.exercises[id])));
    const stale = () => {  // what is judged below is not what is chosen now
      card.firstChild?.classList.add('stale');
      said.textContent = '';
    };
    const answer = (kind === 'choose' ? choose : predict)(form, data, stale);
    const button = element('button', '\u25B6 Check', {type: 'submit', class: 'live-run', form: form.id});
    const drawn = data.task?.includes(' --timeline '), watcher = new Watcher(drawn ? 'Draw the run' : 'Watch this run');
    const screen = element('div', '', {class: 'live-screen'}, watcher.button, watcher.stage.place);
    if (drawn) {  // what is asked for is read off the run
      form.before(screen);
      const given = {...data, yours: data.order.map(() => 0)};
      watcher.offer(() => recordFor(given, {gpu: data.exercise.gpus[0], seed: 0}));
    } else {
      card.after(screen);
    }
    place.append(element('div', '', {class: 'live-bar live-check'}, button, said));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const given = answer();
      if (!given) {
        said.textContent = 'Choose first what has to stand there.';
        return;
      }
      button.disabled = true;
      if (!drawn) watcher.offer(null);
      const verdict = await judge(given);
      if (verdict && kind === 'choose')
        watcher.offer(() => recordFor(given, verdict));  // a prediction is not given away
      button.disabled = false;
      card.scrollIntoView({block: 'nearest'});
    });
  });
  return place;
}

const commandOf = ({command}) => element(
    'p', '', {class: 'live-elsewhere'}, element('span', 'on your machine', {class: 'live-badge'}),
    ' Edit its task.cu in ', element('a', 'a copy of the course', {href: `${clcBook.at}../common/SETUP.html`}),
    ', then check it with ', element('code', command), '.');

/// `all`: the exercises by number, {id, page, kind, command}; without a kind they need the command.
export function offerExercises(all) {
  for (const heading of document.querySelectorAll('section[id] > h2')) {
    const [number] = /^\d\d\.\d+(?= )/.exec(heading.textContent) ?? [], known = all[number];
    if (!known) continue;
    const place = known.kind ? placeFor(number, known) : commandOf(known);
    heading.parentElement.append(element('div', '', {class: 'live-task'}, place, doneBox(number)));
  }
  const [first] = document.getElementsByClassName('live-here'), machine = document.querySelector('details.machine');
  if (machine) machine.parentElement.append(machine);  // last, since the page needs none
  if (first && !location.hash) first.open = true;
  for (const page of new Set(Object.values(all).map((each) => each.page))) {
    const numbers = Object.keys(all).filter((number) => all[number].page === page);
    const marks = [...document.querySelectorAll('.sidebar-tree a')]
                      .filter((link) => new URL(link.href).pathname.endsWith(`/${page}/index.html`))
                      .map((link) => {
                        const mark = element('span', '', {class: 'live-count'});
                        link.append(mark);
                        return mark;
                      });
    onProgress(() => {
      const done = numbers.filter(isDone).length;
      for (const mark of marks) mark.textContent = done > 0 ? ` ${done}/${numbers.length}` : '';
    });
  }
}
