// Below each exercise of a page: a place to do it, judged by the exercise's own check in the engine, or the command of
// those that need a terminal; and whether it is done, also in the contents beside the page.
import {element} from '../../../clcsim/player/page/element.js';
import {unpacked} from '../../playground/page/packed.js';

import {engine} from './bench.js';
import {choose, showLine} from './choose.js';
import {load} from './load.js';
import {predict} from './predict.js';
import {isDone, onProgress, setDone} from './progress.js';
import {reportOf} from './report.js';
import {watch} from './watch.js';

const kForms = {
  choose,
  predict
};

function doneBox(number) {
  const field = element('input', '', {type: 'checkbox', onchange: () => setDone(number, field.checked)});
  onProgress(() => {
    field.checked = isDone(number);
  });
  return element('label', '', {class: 'live-done'}, field, `${number} done`);
}

/// A function that checks an answer of a form, says in `said` what comes of it, and gives the verdict.
function judgeFor(number, form, said) {
  let before = {};
  return async (answer) => {
    said.hidden = false;
    said.textContent = 'Running ...';
    try {
      const {ask} = await engine(), {verdict, text, step, error} = await ask({...answer, before});
      if (!verdict) throw new Error(error.message);
      before = {reason: verdict.reason, step};
      said.replaceChildren(...reportOf(text, (line) => showLine(form, line)));
      if (verdict.verdict === 'PASS') setDone(number, true);
      return verdict;
    } catch (error) {
      said.textContent = `It can\u2019t run here: ${error.message}.`;
      return null;
    }
  };
}

/// The run that the verdict is about, for the player: {box, offer(answer, verdict)}.
function watcherFor(title) {
  const button = element('button', title, {type: 'button', hidden: ''});
  const place = element('div', '', {class: 'live', hidden: ''});
  let player = null, request = null;
  button.addEventListener('click', async () => {
    button.hidden = true;
    place.hidden = false;
    const {ask} = await engine(), {record} = await ask(request);
    if (record) player = await watch(place, record);
  });
  const offer = ({exercise, ...answer}, verdict) => {
    player?.destroy();
    player = null;
    place.hidden = true;
    button.hidden = !verdict;
    if (verdict)
      request = {...answer, exercise: {...exercise, gpus: [verdict.gpu]}, seed: Number(verdict.seed), record: true};
  };
  return {box: element('div', '', {class: 'live-screen'}, button, place), offer};
}

const kSummaries = {
  predict: 'Do it here: fill in the values',
  choose: 'Do it here: choose a line at each place'
};

function placeFor(number, {id, kind}) {
  const form = element('form', '', {class: 'live-exercise'});
  const said = element('pre', '', {class: 'live-output', tabindex: '0', role: 'status', hidden: ''});
  const judge = judgeFor(number, form, said);
  const place = element('details', '', {class: 'live-here'}, element('summary', kSummaries[kind]), form, said);
  place.addEventListener('toggle', async () => {
    if (!place.open || form.childElementCount > 0) return;
    await load(`exercises/${id}.js`);
    const data = JSON.parse(new TextDecoder().decode(await unpacked(clcBook.exercises[id])));
    const answer = kForms[kind](form, data);
    const button = element('button', '\u25B6 Check', {type: 'submit', class: 'live-run'});
    form.append(element('div', '', {class: 'live-bar'}, button));
    const drawn = data.task?.includes(' --timeline '), watcher = watcherFor(drawn ? 'Draw the run' : 'Watch this run');
    if (drawn) {  // what is asked for is read off the run
      form.before(watcher.box);
      watcher.offer({...data, yours: data.order.map(() => 0)}, {gpu: data.exercise.gpus[0], seed: 0});
    } else {
      said.after(watcher.box);
    }
    const offer = kind === 'choose' ? watcher.offer : () => {};  // a prediction would be given away
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      button.disabled = true;
      const given = answer();
      offer(given, null);
      offer(given, await judge(given));
      button.disabled = false;
    });
  });
  return place;
}

const commandOf = ({command}) => element(
    'p', 'This exercise is not done in the page. Edit its task.cu in ', {},
    element('a', 'a copy of the course', {href: `${clcBook.at}../common/SETUP.html`}), ', then check it with ',
    element('code', command), '.');

/// `all`: the exercises by number, {id, page, kind, command}; without a kind they need the command.
export function offerExercises(all) {
  for (const heading of document.querySelectorAll('section[id] > h2')) {
    const [number] = /^\d\d\.\d+(?= )/.exec(heading.textContent) ?? [], known = all[number];
    if (!known) continue;
    const place = known.kind ? placeFor(number, known) : commandOf(known);
    heading.parentElement.append(element('div', '', {class: 'live-task'}, place, doneBox(number)));
  }
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
