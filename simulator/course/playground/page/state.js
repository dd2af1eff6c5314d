// All that the page knows: which kernel, with which knobs, and the edits of its PTX (null: as this reader left it). It
// lives in the address, so that a link holds it.
function toBase64(text) {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function fromBase64(text) {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return new TextDecoder('utf-8', {fatal: true}).decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

/// The entry of the catalogue: {program, kernel}, or null.
export function entryOf(catalogue, programId, kernelId) {
  const program = catalogue.programs.find((each) => each.id === programId);
  const kernel = program?.kernels.find((each) => each.id === kernelId);
  return kernel ? {program, kernel} : null;
}

// The page's own problem, small enough to watch: 36 tiles, some of them long, and an expensive prologue.
export const firstProblem = {
  elements: 36864,
  tile: 1024,
  threads: 512,
  prologue: 1000,
  skew: 16,
  shape: 1
};

/// What each option of a kernel is at first.
export function defaultsOf(kernel) {
  return Object.fromEntries(Object.entries(kernel.options).map(([name, option]) => {
    const own =
        kernel.broken === undefined && name in firstProblem ? checkOption(name, option, firstProblem[name]) : {};
    return [name, own.value ?? option.default];
  }));
}

/// The options of another kernel: what both have stays as it is, so that runs compare.
export function carriedOver(options, from, to) {
  const result = defaultsOf(to);
  if ((from.broken === undefined) !== (to.broken === undefined)) return result;
  for (const [name, option] of Object.entries(to.options)) {
    const kept = name in options ? checkOption(name, option, options[name]) : {};
    if (kept.value !== undefined) result[name] = kept.value;
  }
  return result;
}

/// The value, or why it can't be one: {value} or {error}.
export function checkOption(name, option, text) {
  const value = Number(text);
  if (String(text).trim() === '' || !Number.isInteger(value)) return {error: `${name} needs a whole number`};
  if (value < option.min || value > option.max) return {error: `${name} goes from ${option.min} to ${option.max}`};
  if (option.step && value % option.step !== 0) return {error: `${name} needs a multiple of ${option.step}`};
  return {value};
}

export function firstState(catalogue) {
  const program = '03_clc_basic', kernel = 'basic';
  return {
    program,
    kernel,
    options: defaultsOf(entryOf(catalogue, program, kernel).kernel),
    gpu: catalogue.gpus[0].id,
    sms: 4,
    slots: 2,
    seed: 0,
    checks: true,
    edits: [],
    step: ''
  };
}

/// '#program=03_clc_basic&kernel=basic&elements=4096&gpu=own&sms=2&slots=1&seed=7&ptx=...'; what has its default is
/// left out.
export function writeState(state, catalogue) {
  const parts = [`program=${state.program}`, `kernel=${state.kernel}`];
  const defaults = defaultsOf(entryOf(catalogue, state.program, state.kernel).kernel);
  for (const [name, value] of Object.entries(state.options))
    if (value !== defaults[name]) parts.push(`${name}=${value}`);
  if (state.gpu !== catalogue.gpus[0].id) parts.push(`gpu=${state.gpu}`);
  if (state.gpu === 'own') parts.push(`sms=${state.sms}`, `slots=${state.slots}`);
  if (state.seed !== 0) parts.push(`seed=${state.seed}`);
  if (!state.checks) parts.push('checks=0');
  if (state.step) parts.push(`step=${state.step}`);
  if (state.edits === null)
    parts.push('ptx=kept');
  else if (state.edits.length > 0)
    parts.push(`ptx=${toBase64(JSON.stringify(state.edits))}`);
  return '#' + parts.join('&');
}

/// {state, notes}: what an address says, and a sentence for each part of it that makes no sense here.
export function readState(hash, catalogue) {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const state = firstState(catalogue), notes = [];
  const chosen = entryOf(catalogue, values.get('program') ?? state.program, values.get('kernel') ?? state.kernel);
  if (!chosen) {
    notes.push('The link names a kernel that is not here; this is chapter 03 instead.');
    return {state, notes};
  }
  Object.assign(state, {program: chosen.program.id, kernel: chosen.kernel.id, options: defaultsOf(chosen.kernel)});
  const take = (name, option, into) => {
    if (!values.has(name)) return;
    const {error, value} = checkOption(name, option, values.get(name));
    if (error)
      notes.push(`The link is not taken at its word: ${error}.`);
    else
      into[name] = value;
  };
  for (const [name, option] of Object.entries(chosen.kernel.options)) take(name, option, state.options);
  take('sms', {min: 1, max: 256}, state);
  take('slots', {min: 1, max: 32}, state);
  take('seed', {min: 0, max: 2 ** 32 - 1}, state);
  const gpu = values.get('gpu') ?? state.gpu;
  if (gpu === 'own' || catalogue.gpus.some((each) => each.id === gpu))
    state.gpu = gpu;
  else
    notes.push('The link names a GPU that is not here; this is mini instead.');
  state.checks = values.get('checks') !== '0';
  state.step = values.get('step') ?? '';
  if (values.get('ptx') === 'kept') {
    state.edits = null;
  } else if (values.has('ptx')) {
    try {
      const edits = JSON.parse(fromBase64(values.get('ptx')));
      if (!Array.isArray(edits) || !edits.every((each) => Array.isArray(each) && Array.isArray(each[2])))
        throw new Error('no edits');
      state.edits = edits;
    } catch {
      notes.push('The edits in the link can\u2019t be read; the PTX is the course\u2019s own.');
    }
  }
  return {state, notes};
}
