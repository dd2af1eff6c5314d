// Which kernel, with which knobs: the form, from the catalogue and the state.
import {element} from '../../../clcsim/player/page/element.js';
import {count} from '../../../clcsim/player/page/numbers.js';

import {find} from './dom.js';
import {ownGpuError} from './gpu.js';
import {carriedOver, checkOption, entryOf} from './state.js';

/// Threads of a block, whether they are a knob or not.
export function threadsOf(state, kernel) { return state.options.threads ?? kernel.threads ?? 64; }

export class Knobs {
  /// changed(what): 'kernel' or 'knob'.
  constructor(catalogue, changed) {
    this.catalogue = catalogue;
    this.changed = changed;
    find('program').replaceChildren(
        ...catalogue.programs.map((each) => element('option', `${each.chapter} ${each.title}`, {value: each.id})));
    find('gpu').replaceChildren(
        ...catalogue.gpus.map((each) => element('option', each.id, {value: each.id})),
        element('option', 'one of your own', {value: 'own'}));
    find('program').addEventListener('change', () => {
      const program = catalogue.programs.find((each) => each.id === find('program').value);
      this.choose(program.id, program.kernels[0].id);
    });
    const choose = () => {
      const name = find('kernel').value, form = find('form').querySelector(':checked').value;
      this.choose(this.state.program, this.entry.kernel.pitfall ? `${name}:${form}` : name);
    };
    find('kernel').addEventListener('change', choose);
    find('form').addEventListener('change', choose);
    find('knobs').addEventListener('change', () => this.read());
  }

  get entry() { return entryOf(this.catalogue, this.state.program, this.state.kernel); }

  choose(program, kernel) {
    const {state} = this, before = this.entry.kernel, after = entryOf(this.catalogue, program, kernel).kernel;
    Object.assign(state, {program, kernel, options: carriedOver(state.options, before, after), edits: null});
    this.show(state);
    this.changed('kernel');
  }

  show(state) {
    this.state = state;
    const {program, kernel} = this.entry, {pitfall, broken, title} = kernel;
    find('program').value = program.id;
    const names = new Map(program.kernels.map(
        (each) => each.pitfall ? [each.pitfall, each.pitfall] : [each.id, `${each.id}: ${each.title}`]));
    find('kernel').replaceChildren(...[...names].map(([value, name]) => element('option', name, {value})));
    find('kernel').value = pitfall ?? kernel.id;
    find('form').hidden = !pitfall;
    find('form').querySelector(`[value=${broken ? 'broken' : 'repaired'}]`).checked = true;
    const says = `${title[0].toUpperCase()}${title.slice(1)}${broken ? '' : ': repaired'}.`;
    find('about').textContent = pitfall ? `${says} Chapter 05 explains it under this name.` : '';
    for (const knob of find('knobs').querySelectorAll('.option')) knob.remove();
    find('knobs').prepend(...Object.entries(kernel.options).map(([name, option]) => this.field(name, option)));
    const gpu = this.catalogue.gpus.find((each) => each.id === state.gpu);
    find('gpu').value = state.gpu;
    find('gpu-about').textContent = gpu ? gpu.summary ?? '' : 'like mini, with SMs and places as you say';
    for (const knob of document.querySelectorAll('.own')) knob.hidden = state.gpu !== 'own';
    for (const id of ['sms', 'slots', 'seed']) find(id).value = state[id];
    find('checks').checked = state.checks;
    this.complain();
    this.sum();
  }

  // What is chosen, for where the knobs are folded.
  sum() {
    const {state} = this, options = this.entry.kernel.options;
    const all = Object.entries(options).map(
        ([name, {names}]) => `${name} ${names ? names[state.options[name]] : state.options[name]}`);
    const gpu = state.gpu === 'own' ? `${count(state.sms, 'SM')} with ${count(state.slots, 'place')}` : state.gpu;
    if (options.elements) find('knob-elements').step = state.options.tile;
    find('knobs-now').textContent = [gpu, ...all, `seed ${state.seed}`].join(' \u00b7 ');
  }

  field(name, option) {
    const value = this.state.options[name], id = `knob-${name}`;
    let input;
    if (option.names) {
      input = element('select', '', {id}, ...option.names.map((each, i) => element('option', each, {value: i})));
    } else if (option.min === 0 && option.max === 1) {
      input = element('input', '', {id, type: 'checkbox'});
    } else {
      // The arrows count tiles (sum() follows), and change a prologue by what can be seen. They begin at `min`.
      const step = {elements: this.state.options.tile, prologue: 100}[name] ?? option.step ?? 1;
      input = element('input', '', {id, type: 'number', min: option.min - option.min % step, max: option.max, step});
    }
    Object.assign(input, {value, checked: Boolean(value)});
    const label = element('label', name, {'for': id}), says = option.names ? '' : ` ${option.says ?? ''}`;
    return element('div', '', {class: 'knob option'}, element('dt', '', {}, label), element('dd', '', {}, input, says));
  }

  // From the fields into the state; what makes no sense is not taken, and said.
  read() {
    const {state} = this, {kernel} = this.entry, complaints = [];
    const take = (input, label, option, into, key) => {
      const {error, value} =
          checkOption(label, option, input.type === 'checkbox' ? Number(input.checked) : input.value);
      input.setAttribute('aria-invalid', String(error !== undefined));
      if (error)
        complaints.push(`${error}.`);
      else
        into[key] = value;
    };
    for (const [name, option] of Object.entries(kernel.options))
      take(find(`knob-${name}`), name, option, state.options, name);
    for (const id of ['sms', 'slots', 'seed']) {
      const field = find(id);
      take(field, field.labels[0].textContent, {min: Number(field.min), max: Number(field.max)}, state, id);
    }
    const gpuChanged = state.gpu !== find('gpu').value;
    state.gpu = find('gpu').value;
    state.checks = find('checks').checked;
    if (gpuChanged) this.show(state);
    this.complain(complaints);
    this.sum();
    this.changed('knob');
  }

  complain(complaints = []) {
    const own = this.state.gpu === 'own' ? ownGpuError(this.state, threadsOf(this.state, this.entry.kernel)) : '';
    this.complaint = [...complaints, own].filter(Boolean).join(' ');
    find('complaint').textContent = this.complaint;
  }
}
