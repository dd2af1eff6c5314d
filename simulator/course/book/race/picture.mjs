// node picture.mjs BUILD: writes race.svg beside this file: the race at its end, for READMEs and for pages without
// scripts, from runs of BUILD/bin/clcsim. Colours and places are those of race.css and track.js.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {lapOf} from './lap.mjs';
import {commandOf, grouped, kFirst, kSlots, strategies} from './strategies.mjs';

const kCycles = 34000, kWide = 452, kRow = 17, kTop = 52, kGap = 36, kPanel = kTop + kSlots * kRow + 62;
const kStyle = `text{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#1f2328}
.name{font-size:17px;font-weight:600}.soft{fill:#59636e}
 .says{font-size:12.5px;font-weight:400;fill:#59636e}.sum{font-size:13px}
 .tick{fill:#59636e;text-anchor:middle}
.number{font-size:11px;font-weight:600;text-anchor:middle;fill:#10202f}.wait{font-weight:600}
.card{fill:#fff}.idle{fill:#eceff2}.setup{fill:#3f5167}.work{fill:#86c1f2}.stolen{fill:#93d8b4}.urgent{fill:#cf3a0b}
.hatch{fill:url(#stripes)}
 .launch{stroke:#cf3a0b;stroke-width:1.5;stroke-dasharray:4 3}.end{stroke:#1f2328;stroke-width:1.5}
.no{stroke:#cf3a0b;stroke-width:2;fill:none}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft,.says,.tick{fill:#9da7b1}
 .number{fill:#10202f}.card{fill:#131416}
.idle{fill:#22272d}.setup{fill:#5a6c83}.work{fill:#6fb2ea}.stolen{fill:#71c9a0}
 .urgent{fill:#ff8050}.launch,.no{stroke:#ff8050}
.end{stroke:#e6edf3}}`;

const x = (time) => Math.round(10 * time / kCycles * kWide) / 10;
const rect = (name, left, top, wide, high, round = 2) => `<rect class="${name}" x="${left}" y="${top}" width="${
    Math.max(1, Math.round(10 * wide) / 10)}" height="${high}" rx="${round}"/>`;
const text = (name, left, top, words) => `<text class="${name}" x="${left}" y="${top}">${words}</text>`;

function drawnBar({lane, from, to, prologue, tile, stolen}, refused) {
  const left = x(from), top = kTop + lane * kRow + 1, wide = x(to) - left - 0.8, high = kRow - 2, dark = x(prologue);
  const crossed = refused.some((each) => each.lane === lane && each.time > from && each.time < to);
  return rect(stolen ? 'stolen' : 'work', left, top, wide, high) +
      (stolen ? rect('hatch', left, top, wide, high) : '') + (prologue ? rect('setup', left, top, dark, high) : '') +
      (wide - dark < (tile > 9 ? 15 : 9) * (crossed ? 3 : 1) ?
           '' :
           text('number', Math.round(left + (wide + dark) / 2), top + 11.5, tile));
}

function drawnLap({end, starts, bars, refused, urgent}, {title, says}) {
  const high = kSlots * kRow, early = refused.filter((each) => each.early), at = x(urgent.at), from = x(urgent.from);
  return [
    text('name', 0, 16, `${title}<tspan class="says" dx="9">${says}</tspan>`),
    ...Array.from({length: kSlots}, (_, lane) => rect('idle', 0, kTop + lane * kRow + 1, kWide, kRow - 2)),
    ...bars.map((bar) => drawnBar(bar, early)), `<path class="launch" d="M${at} 38V${kTop + high}"/>`,
    rect('urgent', at, 35.5, from - at, 5),
    text('wait', from + 8, 42, `an urgent kernel waits ${grouped(urgent.from - urgent.at)}`),
    rect('urgent', from, kTop + urgent.lane * kRow, Math.max(5, x(urgent.to) - from), kRow),
    ...early.map(
        ({lane, time}) => `<path class="no" d="M${x(time) - 3} ${kTop + (lane + 0.5) * kRow - 3}l6 6m0-6l-6 6"/>`),
    `<path class="end" d="M${x(end)} ${kTop - 1}v${high + 2}"/>`,
    ...[0, 10000, 20000, 30000].map((tick) => text('tick', x(tick) + (tick ? 0 : 3), kTop + high + 15, grouped(tick))),
    text('sum', 0, kTop + high + 35, `${starts.length} prologues, done after ${grouped(end)} cycles`)
  ].join('');
}

/// The picture of the laps.
export function pictureOf(laps) {
  const wide = 2 * kWide + kGap + 40, high = 2 * kPanel + 58;
  const panels = laps.map(
      (lap, i) => `<g transform="translate(${20 + i % 2 * (kWide + kGap)},${18 + Math.floor(i / 2) * kPanel})">${
          drawnLap(lap, strategies[i])}</g>`);
  const marks = [
    ['setup', 'setup (the prologue)'], ['work', 'a tile'], ['stolen', 'a stolen tile'], ['urgent', 'the urgent kernel'],
    ['no', 'a refused request']
  ];
  let left = 20;
  const legend = marks.map(([name, words]) => {
    const drawn = (name === 'no' ? `<path class="no" d="M${left + 16} ${high - 35}l6 6m0-6l-6 6"/>` :
                                   rect(name, left, high - 38, 22, 13)) +
        (name === 'stolen' ? rect('hatch', left, high - 38, 22, 13) : '') + text('soft', left + 28, high - 27, words);
    left += 28 + words.length * 6.4 + 20;
    return drawn;
  });
  const story = strategies
                    .map(
                        ({title}, i) => `${title}: ${laps[i].starts.length} prologues, done at cycle ${
                            grouped(laps[i].end)}, the urgent kernel waits ${
                            grouped(laps[i].urgent.from - laps[i].urgent.at)} cycles.`)
                    .join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${
      high}" role="img" aria-labelledby="race-name race-story">
<title id="race-name">36 tiles on one SM with eight slots, shared out in four ways</title>
<desc id="race-story">${story}</desc>
<style>
${kStyle}
</style>
<defs><pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<path d="M0 0v5" stroke="#10202f" stroke-opacity=".3" stroke-width="2"/></pattern></defs>
${rect('card', 0, 0, wide, high, 8)}
${panels.join('\n')}
${legend.join('')}
${text('soft', left + 8, high - 27, 'A row is a slot, a number a tile.')}
</svg>
`;
}

function recorded(command, build) {
  const folder = mkdtempSync(join(tmpdir(), 'clc-race-')), page = join(folder, 'run.html');
  const [program, ...rest] =
      command.split(' ').map((word) => word.replace(/^build\//, `${build}/`).replace('run.html', page));
  const {status, stderr, error} = spawnSync(program, rest, {encoding: 'utf8'});
  if (status !== 0) throw new Error(`${command}: ${error ?? stderr}`);
  const [, text] = readFileSync(page, 'utf8').match(/ id="record">(.*?)<\/script>/s);
  rmSync(folder, {recursive: true});
  return JSON.parse(text);
}

/// The laps that a build runs.
export const lapsOf = (build) => strategies.map((each) => lapOf(recorded(commandOf(each, kFirst), build), each.name));

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('race.svg', import.meta.url), pictureOf(lapsOf(process.argv[2])));
