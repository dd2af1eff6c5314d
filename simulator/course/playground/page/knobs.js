// Which kernel, with which knobs: the form, from the catalogue and the state.
import {element} from '../../../clcsim/player/page/element.js';
import {count} from '../../../clcsim/player/page/numbers.js';

import {find} from './dom.js';
import {ownGpuError} from './gpu.js';
import {carriedOver, checkOption, entryOf} from './state.js';

// Where the moving knobs go; the fields beside them take any number.
const tiles = [...Array(64).keys()].map((each) => each + 1);
const ladder = [
  0,   1,   2,   4,   8,   16,  24,  32,   48,   64,   96,   128,  160,  192, 256,
  320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 2048, 2560, 3072, 4096
];
const kMost = {
  elements: Infinity,
  skew: 256
};

/// Threads of a block, whether they are a knob or not.
export function threadsOf(state, kernel) { return state.options.threads ?? kernel.threads ?? 64; }

export class Knobs {
  /// changed(what): 'kernel', 'knob', or 'moving' while one moves.
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
    find('kernel').addEventListener(
        'change', () => this.choose(this.state.program, this.formOf(find('kernel').value, this.entry.kernel.broken)));
    for (const radio of find('form').querySelectorAll('input')) {
      radio.addEventListener(
          'change', () => this.choose(this.state.program, this.formOf(find('kernel').value, radio.value === 'broken')));
    }
    for (const id of ['gpu', 'sms', 'slots', 'seed', 'checks']) find(id).addEventListener('change', () => this.read());
  }

  get entry() { return entryOf(this.catalogue, this.state.program, this.state.kernel); }

  // The id of a pitfall's kernel in the wanted form; others have one form only.
  formOf(id, broken) {
    const {program, kernel} = entryOf(this.catalogue, this.state.program, id);
    return program.kernels.find((each) => kernel.pitfall && each.pitfall === kernel.pitfall && each.broken === broken)
               ?.id ??
        id;
  }

  choose(program, kernel) {
    const {state} = this, before = this.entry.kernel, after = entryOf(this.catalogue, program, kernel).kernel;
    Object.assign(state, {program, kernel, options: carriedOver(state.options, before, after), edits: null});
    this.show(state);
    this.changed('kernel');
  }

  show(state) {
    this.state = state;
    const {program, kernel} = this.entry, pitfall = kernel.broken !== undefined;
    find('program').value = program.id;
    const names = pitfall ? program.kernels.filter((each) => each.broken) : program.kernels;
    find('kernel').replaceChildren(...names.map(
        (each) => element('option', pitfall ? each.pitfall : `${each.id}: ${each.title}`, {value: each.id})));
    find('kernel').value = pitfall ? this.formOf(kernel.id, true) : kernel.id;
    find('form').hidden = !pitfall;
    for (const radio of find('form').querySelectorAll('input'))
      radio.checked = (radio.value === 'broken') === (kernel.broken === true);
    find('about').textContent = !pitfall ?
        '' :
        `${kernel.title[0].toUpperCase()}${kernel.title.slice(1)}${
            kernel.broken ? '' : ': repaired'}. Chapter 05 explains it under this name.`;
    find('options').replaceChildren(
        ...Object.entries(kernel.options ?? {}).map(([name, option]) => this.field(name, option)));
    this.slide();
    const gpu = this.catalogue.gpus.find((each) => each.id === state.gpu);
    find('gpu').value = state.gpu;
    find('gpu-about').textContent =
        gpu ? gpu.summary ?? '' : 'Like mini, with SMs and places for blocks as you say; bandwidth grows with the SMs.';
    const words = Object.entries(kernel.options ?? {}).map(([name, option]) => [name, option.says]);
    words.push(
        [
          'GPU', 'the simulated one: how many SMs (its processors), how many blocks fit on each, how fast its memory is'
        ],
        [
          'seed',
          '0 is the natural schedule; any other is as legal, but hostile: other orders and latencies, and waits ' +
              'that come back too early'
        ],
        ['check the rules', 'off: only the result counts, as in a test without clcsim']);
    find('knob-words').replaceChildren(...words.flatMap(([name,
                                                          says]) => [element('dt', name), element('dd', says ?? '')]));
    for (const label of document.querySelectorAll('.own')) label.hidden = state.gpu !== 'own';
    for (const id of ['sms', 'slots', 'seed']) find(id).value = state[id];
    find('checks').checked = state.checks;
    this.complain();
    this.sum();
  }

  // What is chosen, for where the knobs are folded.
  sum() {
    const {state} = this, options = this.entry.kernel.options ?? {};
    const all = Object.entries(options).map(
        ([name, {names}]) => `${name} ${names ? names[state.options[name]] : state.options[name]}`);
    const gpu = state.gpu === 'own' ? `${count(state.sms, 'SM')} with ${count(state.slots, 'place')}` : state.gpu;
    find('knobs-now').textContent = [`GPU ${gpu}`, ...all, `seed ${state.seed}`].join(', ');
  }

  field(name, option) {
    const label = element('label', '', {title: option.says ?? ''}), value = this.state.options[name];
    const flag = option.min === 0 && option.max === 1 && !option.names;
    let input;
    if (option.names) {
      input = element('select');
      input.append(...option.names.map((each, i) => element('option', each, {value: i})));
      input.value = value;
    } else if (flag) {
      input = element('input', '', {type: 'checkbox'});
      input.checked = Boolean(value);
      label.className = 'tick';
    } else {
      input = element(
          'input', '',
          {type: 'number', inputmode: 'numeric', min: option.min, max: option.max, step: option.step ?? 1});
      input.value = value;
    }
    input.dataset.option = name;
    label.append(...(flag ? [input, ` ${name}`] : [`${name} `, input]));
    input.addEventListener('change', () => {
      this.read();
      this.slide();
    });
    if (input.type !== 'number') return label;
    const box = element('div', '', {class: 'knob'}), bar = element('input', '', {
                                                       type: 'range',
                                                       min: 0,
                                                       'aria-label': `${name}, by moving`,
                                                       title: 'The picture follows while you move it'
                                                     });
    bar.dataset.moves = name;
    bar.addEventListener('input', () => {
      input.value = this.valuesOf(name, option)[bar.value];
      bar.setAttribute('aria-valuetext', input.value);
      this.read('moving');
    });
    box.append(label, bar);
    return box;
  }

  // What a knob runs through when it is moved: tiles one by one, all else in steps that can be seen.
  valuesOf(name, option) {
    const {tile} = this.state.options, all = name === 'elements' ? tiles.map((each) => each * (tile ?? 1)) : ladder;
    return all.filter(
        (value) => checkOption(name, option, value).value !== undefined && value <= (kMost[name] ?? 4096));
  }

  // The moving knobs to where the numbers are.
  slide() {
    for (const bar of find('options').querySelectorAll('[data-moves]')) {
      const name = bar.dataset.moves, all = this.valuesOf(name, this.entry.kernel.options[name]);
      const value = this.state.options[name], above = all.findIndex((each) => each >= value);
      bar.max = all.length - 1;
      bar.value = above < 0 ? all.length - 1 : above;
      bar.setAttribute('aria-valuetext', String(value));
    }
  }

  // From the fields into the state; what makes no sense is not taken, and said. `how`: for changed().
  read(how = 'knob') {
    const {state} = this, {kernel} = this.entry, complaints = [];
    for (const input of find('options').querySelectorAll('[data-option]')) {
      const name = input.dataset.option, option = kernel.options[name];
      const text = input.type === 'checkbox' ? Number(input.checked) : input.value;
      const checked = checkOption(name, option, text);
      input.setAttribute('aria-invalid', String(checked.error !== undefined));
      if (checked.error)
        complaints.push(`${checked.error}.`);
      else
        state.options[name] = checked.value;
    }
    const gpuChanged = state.gpu !== find('gpu').value;
    state.gpu = find('gpu').value;
    for (const [id, low, high] of [['sms', 1, 256], ['slots', 1, 32], ['seed', 0, 2 ** 32 - 1]]) {
      const value = Number(find(id).value),
            good = find(id).value !== '' && Number.isInteger(value) && value >= low && value <= high;
      find(id).setAttribute('aria-invalid', String(!good));
      if (good)
        state[id] = value;
      else
        complaints.push(`${id === 'slots' ? 'places' : id === 'sms' ? 'SMs' : id} goes from ${low} to ${high}.`);
    }
    state.checks = find('checks').checked;
    if (gpuChanged) this.show(state);
    this.complain(complaints);
    this.sum();
    this.changed(how);
  }

  complain(complaints = []) {
    const own = this.state.gpu === 'own' ? ownGpuError(this.state, threadsOf(this.state, this.entry.kernel)) : '';
    this.complaint = [...complaints, own].filter(Boolean).join(' ');
    find('complaint').textContent = this.complaint;
  }
}
