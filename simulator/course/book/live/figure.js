// A picture of a run becomes the player of that run when the reader comes near it. On paper and without JavaScript it
// stays the picture. Where the engine can repeat the run, the reader moves prologue and skew, and all runs of the page
// that have the same problem are drawn anew.
import {element} from '../../playground/page/dom.js';

import {engine} from './bench.js';
import {recordOf, reserve, roomLink, sorry, whenNear} from './load.js';
import {watch} from './watch.js';

const figures = [];

class Figure {
  constructor(box, run, alike) {
    this.command = box.dataset.command;
    this.run = run;
    this.fields = new Map();
    this.place = element('div', '', {class: 'live'});
    this.under = element('div', '', {class: 'live-bar live-room'});
    for (const [name, value] of Object.entries(run.knobs ?? {})) this.addKnob(name, value);
    if (run.room) this.under.append(roomLink(run.room));
    if (run.knobs && alike > 1) this.under.append(element('span', `All ${alike} pictures of this problem follow.`));
    figures.push(this);
  }

  addKnob(name, value) {
    const field = element('input', '', {type: 'range', min: 0, max: Math.max(100, 2 * value), value, name});
    const shown = element('output', String(value));
    field.addEventListener('input', () => {
      shown.textContent = field.value;
    });
    field.addEventListener('change', () => redraw(this));
    this.fields.set(name, {field, shown});
    this.under.append(element('label', `${name} `, {}, field, shown));
  }

  get values() { return Object.fromEntries([...this.fields].map(([name, {field}]) => [name, Number(field.value)])); }

  take(values) {
    for (const [name, {field, shown}] of this.fields) field.value = shown.textContent = values[name];
    const link = this.under.querySelector('a');
    for (const [name, value] of Object.entries(values))
      link.href = link.href.replace(new RegExp(`([#&]${name}=)\\d+`), `$1${value}`);
  }

  async show(record) {
    this.player?.destroy();
    this.place.replaceChildren();
    this.player = await watch(this.place, record, this.run);
    this.place.append(this.under);
  }
}

const sameProblem = (figure) => figures.filter(({run}) => run.problem && run.problem === figure.run.problem);

/// Draws `followers` with the values of `from`.
async function redraw(from, followers = sameProblem(from)) {
  const {values} = from;
  for (const figure of followers) {
    figure.take(values);
    const stale = () => figure.values.prologue !== values.prologue || figure.values.skew !== values.skew;
    try {
      const {run} = await engine(), {error, reply} = await run(figure.command, values);
      if (stale()) continue;
      if (!reply.record) throw new Error(error ?? 'it has no record');
      await figure.show(reply.record);
    } catch (error) {
      figure.player?.destroy();
      figure.player = null;
      figure.place.replaceChildren(sorry(error), figure.under);
    }
  }
}

async function play(box, run, alike) {
  const figure = new Figure(box, run, alike);
  try {
    const record = await recordOf(run);
    box.append(figure.place);
    box.classList.add('alive');
    await figure.show(record);
    const moved = sameProblem(figure).find(({values}) => JSON.stringify(values) !== JSON.stringify(figure.values));
    if (moved) await redraw(moved, [figure]);
  } catch (error) {  // the picture stays
    figures.splice(figures.indexOf(figure), 1);
    figure.place.remove();
    box.classList.remove('alive');
    box.append(sorry(error));
  }
}

export function playFigures(runs) {
  const places = [...document.querySelectorAll('figure.run[data-command]')]
                     .map((figure) => ({figure, run: runs[figure.dataset.command]}))
                     .filter(({run}) => run);
  for (const {figure, run} of places) {
    reserve(figure, run);
    const alike = places.filter((each) => each.run.problem === run.problem).length;
    whenNear(figure, () => play(figure, run, alike));
  }
}
