// The tasks on the page: one at a time, with hints that come one by one, and how the page judged the last run.
import {element} from '../../../clcsim/player/page/element.js';

import {find} from './dom.js';
import {judge, steps} from './steps.js';

const kMostRuns = 60;  // that a task knows; the last two have their record

export class Guide {
  /// setUp(start) brings a task's kernel and knobs onto the page; changed() when the task is another one or done.
  constructor(state, done, setUp, changed) {
    this.state = state;
    this.done = new Set(done);  // the tasks' ids
    this.changed = changed;
    this.hints = 0;
    this.runs = [];  // since the task was opened or set up
    this.buttons = steps.map(({id}, i) => {
      const onclick = () => this.open(id === this.state.step ? '' : id);  // the second press closes it
      return element('button', i + 1, {type: 'button', 'data-step': id, onclick});
    });
    find('steps').append(...this.buttons.map((button) => element('li', '', {}, button)));
    find('step-begin').addEventListener('click', () => {
      this.open(this.next.id);
      find('step-start').click();
      find('step-start').focus();
    });
    find('step-start').addEventListener('click', () => {
      this.begin();
      setUp(this.step.start);
    });
    find('step-hint').addEventListener('click', () => {
      this.hints++;
      this.show();
    });
  }

  get step() { return steps.find((each) => each.id === this.state.step); }

  open(id) {
    this.state.step = id;
    this.hints = 0;
    this.begin();
    this.show();
    this.changed();
  }

  begin() {
    this.runs = [];
    this.judged = null;
  }

  /// After a run.
  judge(run) {
    const {step, runs} = this;
    if (!step) return;
    runs.push(run);
    if (runs.length > kMostRuns) runs.shift();
    runs.slice(0, -2).forEach((each) => {
      each.reply.record = null;
    });
    this.judged = judge(step, runs);
    if (this.judged.done) this.done.add(step.id);
    this.show();
    this.changed();
  }

  show() {
    const {step, judged} = this, at = steps.indexOf(step), isOpen = ({id}) => !this.done.has(id);
    const name = (each) => `${steps.indexOf(each) + 1} \u00b7 ${each.title}`;
    // What the reader is invited to, unless a task is under way.
    const next = this.next = step && isOpen(step) ? undefined : steps.slice(at + 1).find(isOpen) ?? steps.find(isOpen);
    steps.forEach(({id, title}, i) => {
      const button = this.buttons[i], done = this.done.has(id);
      button.title = button.ariaLabel = `${i + 1}. ${title}${done ? ', done' : ''}`;
      button.classList.toggle('done', done);
      button.ariaPressed = step?.id === id;
    });
    find('step-count').textContent = `${steps.filter(({id}) => this.done.has(id)).length} of ${steps.length} done`;
    find('steps').scrollLeft = this.buttons[steps.indexOf(step ?? next)]?.offsetLeft - 100;
    find('step-title').textContent = step || next ? name(step ?? next) : '';
    find('step-invites').textContent = !next ? '' : step ? `Next: ${name(next)}` : next.task;
    find('step-begin').hidden = !next;
    find('step-body').hidden = !step;
    if (!step) return;
    find('step-task').textContent = step.task;
    find('step-why').textContent = step.why;
    find('step-hints').replaceChildren(...step.hints.slice(0, this.hints).map((hint) => element('li', hint)));
    find('step-hint').disabled = this.hints >= step.hints.length;
    find('step-hint').textContent = this.hints === 0 ? 'A hint' : 'Another hint';
    const line = find('step-judged');
    line.className = judged?.done ? 'good' : '';
    line.textContent = judged ? `${judged.done ? 'Done.' : 'Not yet:'} ${judged.says}` : '';
  }
}
