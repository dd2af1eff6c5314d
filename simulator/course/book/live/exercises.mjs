// The exercises of the chapters for the book's pages: which of them are done in the page, and what that takes.
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const course = fileURLToPath(new URL('../../../..', import.meta.url));
const text = (...path) => readFileSync(join(course, ...path), 'utf8');
const pack = (value) => gzipSync(JSON.stringify(value), {level: 9}).toString('base64');

// Paths as seen from the course's folder; this machine's don't belong into a page. Those of a file of choices are
// relative, so nvcc puts the folder before them in which it was called.
const relative = (text, folder) => [`${folder}/`, `${dirname(folder)}/`, course].reduce(
    (changed, path) => changed.replaceAll(`"${path}`, '"'), text);

const launchOf = (file) => /<<<\w+, \w+>>>/.exec(file)?.[0];

/// Writes LIVE/exercises/, and returns the exercises by number. Only with `engine` some are done in the page.
export function makeExercises(live, build, engine) {
  const ptx = join(build, 'simulator/course/book/exercises'), list = join(build, 'exercises/list.txt');
  const all = {};
  mkdirSync(join(live, 'exercises'), {recursive: true});
  for (const line of readFileSync(list, 'utf8').trim().split('\n')) {
    const [id, file, gpus, seeds] = line.split(' '), own = gpus.split(',').filter((gpu) => gpu.endsWith('.gpu'));
    const number = id.replace('_', '.'), folder = file.replace(/\/[^/]*$/, '');
    if (!/^\d+\.\d+$/.test(number)) continue;  // the lab has a page of its own
    all[number] = {id, page: folder.replace(/\/[^/]*$/, ''), command: `cmake --build build --target exercise_${id}`};
    if (!engine || !existsSync(join(ptx, `${id}.ptx`))) continue;
    const exercise = {
      id,
      file: `${folder}/task.cu`,
      gpus: gpus.split(','),
      seeds: Number(seeds),
      'gpu files': Object.fromEntries(own.map((gpu) => [gpu, text('simulator/course/exercises/gpus', gpu)])),
      hints: text(folder, 'hints.txt'),
      'common hints': text('simulator/course/exercises/hints.txt')
    };
    const choices = join(ptx, `${id}.json`), kernels = relative(readFileSync(join(ptx, `${id}.ptx`), 'utf8'), ptx);
    all[number].kind = existsSync(choices) ? 'choose' : 'predict';
    const between = launchOf(text(folder, 'task.cu'));
    const asked = existsSync(choices) ? JSON.parse(readFileSync(choices, 'utf8')) : {
      task: text(folder, 'task.cu'),
      order: [...text(folder, 'check.h').matchAll(/clc::predicted\(\"[^\"]*\", (k\w+),/g)].map(([, name]) => name),
      between: between === launchOf(text(folder, 'solution.cu')) ? '' : between  // else the reader repairs it
    };
    const packed = JSON.stringify(pack({exercise, ...asked, ptx: kernels}));
    writeFileSync(join(live, 'exercises', `${id}.js`), `(clcBook.exercises ??= {})['${id}'] = ${packed};\n`);
  }
  return all;
}
