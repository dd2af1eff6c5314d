// node choices.mjs FOLDER EDITS OUT: of an exercise in FOLDER, OUT.json has its task with alternatives to choose from,
// and OUT.cu all choices as kernels, choice 17 in namespace c17. EDITS has its answers, which apply_edits has written
// into the folder OUT. Where task, solution and answers differ, what stands there in each of them is an alternative. A
// task in which lines are to be filled in has nothing to choose from: there the solution's own lines stand between the
// places.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {difference} from '../../playground/page/kernel.js';

import {composed, countOf, picksOf} from './switches.mjs';

const kMost = 48;  // choices: each is a kernel to be compiled
const kSpan = 5;   // lines that an answer may replace at once, where lines are to be filled in

const isGap = (task) => /Fill in/.test(task.split('\n')[0]);

/// {text, code}: the lines of a file, and what the compiler sees of them; comments of their own and empty lines are
/// none.
function linesOf(file) {
  return file.split('\n')
      .map((text) => ({text, code: text.replace(/\s*\/\/.*/, '').trimEnd()}))
      .filter(({code}) => code);
}

/// The task's parts (switches.mjs), its own alternatives as `first`; where it is to be filled in, wrong ones.
export function choicesOf(task, solution, answers) {
  const fill = isGap(task), own = fill ? solution : task;
  const base = linesOf(own), codes = (file) => linesOf(file).map(({code}) => code);
  const versions = [own, solution, ...answers].map((file) => difference(codes(own), codes(file)));
  const ranges = [];  // of the lines of `own`; edits that touch are one, but for neighbours in a gap
  for (const [at, gone] of versions.flat().sort((a, b) => a[0] - b[0])) {
    const last = ranges.at(-1), apart = fill && gone > 0 && last?.begin < last?.end ? last?.end : last?.end + 1;
    if (last && at < apart)
      last.end = Math.max(last.end, at + gone);
    else
      ranges.push({begin: at, end: at + gone});
  }
  const inside = (range, version) => {
    const lines = [];
    let at = range.begin;
    for (const [index, gone, come] of version.filter(([at, gone]) => at >= range.begin && at + gone <= range.end)) {
      while (at < index) lines.push(base[at++].code);
      lines.push(...come);
      at += gone;
    }
    while (at < range.end) lines.push(base[at++].code);
    return lines.map((line) => `${line}\n`).join('');
  };
  const [header] = /^(\/\/.*\n)*/.exec(task), parts = [], first = [];
  let at = 0;
  const common = (end) => base.slice(at, end).map(({text}) => `${text}\n`).join('');
  for (const range of ranges) {
    const all = [...new Set(versions.map((version) => inside(range, version)))].sort();
    const given = inside(range, []);
    parts.push(common(range.begin), all);
    first.push(fill ? all.findIndex((each) => each !== given) : all.indexOf(given));
    at = range.end;
  }
  parts.push(common(base.length));
  return {parts: [header, ...parts], first};
}

// The names that a file declares, and whether each choice declares those of them that it uses.
const declaredIn = (file) => [...file.matchAll(/[\w>*&,] (\w+)(?:\[[^\]]*\])?(?: = |;)/g)].map(([, name]) => name);
function isWhole(parts, names) {
  return Array.from({length: countOf(parts)}, (_, number) => composed(parts, picksOf(parts, number))).every((text) => {
    const declared = declaredIn(text), used = new Set(text.replace(/\/\/.*/g, '').match(/\w+/g));
    return names.every((name) => declared.includes(name) || !used.has(name));
  });
}

/// As many answers as the choices have room for, the first ones first. An answer without a declaration that other
/// alternatives need would not compile with them, and one that replaces half of the kernel leaves no places.
export function chosen(task, solution, answers) {
  const names = [...new Set([solution, ...answers].flatMap(declaredIn))], lines = linesOf(solution);
  const taken = [];
  for (const answer of answers) {
    const edits = difference(lines.map(({code}) => code), linesOf(answer).map(({code}) => code));
    if (isGap(task) && edits.some(([, gone, come]) => Math.max(gone, come.length) > kSpan)) continue;
    const {parts} = choicesOf(task, solution, [...taken, answer]);
    if (countOf(parts) <= kMost && isWhole(parts, names)) taken.push(answer);
  }
  return choicesOf(task, solution, taken);
}

if (process.argv[1]?.endsWith('choices.mjs')) {
  const [folder, edits, out] = process.argv.slice(2), read = (...path) => readFileSync(join(...path), 'utf8');
  const ready = (file) => file.replace(/^constexpr bool kReady.*\n/m, '');
  const task = ready(read(folder, 'task.cu')), solution = ready(read(folder, 'solution.cu'));
  const launch = (file) => file.slice(file.indexOf('\nvoid launch('));
  const wrong = /^== ([^:\n]*): (?!PASS|TOO SLOW)/gm;
  const names = [...read(edits).matchAll(wrong)].map(([, name]) => name);
  const answers =
      names.map((name) => ready(read(out, `${name}.cu`))).filter((file) => launch(file) === launch(solution));
  const choices = chosen(task, solution, answers), {parts} = choices;
  const file = `${folder.replace(/.*?(?=[^/]*\/exercises\/)/, '')}/task.cu`;
  const includes = [...task.matchAll(/^#include.*$/gm)].map(([line]) => `${line}\n`).join('');
  const kernels = Array.from({length: countOf(parts)}, (_, number) => {
    const text = composed(parts, picksOf(parts, number)).replace(/^#include.*$/gm, '');
    return `namespace c${number} {\n#line 1 "${file}"\n${text}}\n`;
  });
  writeFileSync(`${out}.cu`, includes + kernels.join(''));
  writeFileSync(`${out}.json`, JSON.stringify(choices));
}
