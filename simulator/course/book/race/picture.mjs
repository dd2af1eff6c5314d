// node picture.mjs BUILD: writes race.svg beside this file: the race at its end, for READMEs and for pages without
// scripts, from runs of BUILD/bin/clcsim. Colours and places are those of race.css and track.js.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {lapOf} from './lap.mjs';
import {commandOf, grouped, kFirst, kSix, kSlots, roomOf, strategies} from './strategies.mjs';

const kCycles = 35000, kWide = 452, kRow = 17, kTop = 52, kGap = 36, kPanel = kTop + kSlots * kRow + 62;
const kPalette = readFileSync(new URL('../../../clcsim/report/palette.h', import.meta.url), 'utf8');
const kColours = `text{fill:$text}.soft,.says,.tick,.last{fill:$soft}.number{fill:$ink;stroke:$tile}.on{stroke:$stolen}
.setup{fill:$setup}.work{fill:$tile}.stolen{fill:$stolen}.urgent{fill:$urgent}.end,.no{stroke:$text}`;
const coloured = (dark, own) =>
    kColours.replace(
        /\$(\w+)/g, (_, name) => new RegExp(`"${name}", "(#\\w+)", "(#\\w+)"`).exec(kPalette)[dark ? 2 : 1]) +
    own;
const kStyle = `text{font:12px Inter,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.name{font-size:18px;font-weight:600}.says{font-size:13px;font-weight:400}.sum{font-size:14px}
.tick{text-anchor:middle}.last{text-anchor:end}.wait{font-weight:600}
.number{font-size:10.5px;font-weight:600;text-anchor:middle;stroke-width:3;paint-order:stroke}
.hatch{fill:url(#stripes)}.end{stroke-width:2}.no{stroke-width:1.7}.halo{stroke-width:4.7}
${coloured(false, '.card{fill:#fff}.halo{stroke:#fff}.idle{fill:#f0f2f5}')}
@media(prefers-color-scheme:dark){${coloured(true, '.card{fill:#131416}.halo{stroke:#131416}.idle{fill:#20242a}')}}`;

const x = (time) => Math.round(10 * time / kCycles * kWide) / 10;
const rect = (name, left, top, wide, high, round = 2) => `<rect class="${name}" x="${left}" y="${top}" width="${
    Math.max(1, Math.round(10 * wide) / 10)}" height="${high}" rx="${round}"/>`;
const text = (name, left, top, words) => `<text class="${name}" x="${left}" y="${top}">${words}</text>`;

const kCross = ['halo', 'no'].map((name) => `<path class="${name}" d="M-2.9-2.9l5.8 5.8m0-5.8l-5.8 5.8"/>`).join('');

function drawnBar({lane, from, to, prologue, stolen}) {
  const left = x(from), top = kTop + lane * kRow + 1, wide = x(to) - left - 0.8, high = kRow - 2;
  return rect(stolen ? 'stolen' : 'work', left, top, wide, high) +
      (stolen ? rect('hatch', left, top, wide, high) : '') +
      (prologue ? rect('setup', left, top, x(prologue), high) : '');
}

function drawnNumber(bar) {
  const {lane, tile, stolen} = bar, [left, right] = roomOf(bar, x, 5.4);
  if (right - left < (tile > 9 ? 18.5 : 12.5)) return '';
  return text(stolen ? 'number on' : 'number', Math.round((left + right) * 5) / 10, kTop + lane * kRow + 12.5, tile);
}

function drawnLap({end, starts, bars, refused, urgent}, {title, says}) {
  const high = kSlots * kRow, early = refused.filter((each) => each.early), at = x(urgent.at), from = x(urgent.from),
        wide = Math.max(8, x(urgent.to) - from);
  return [
    text('name', 0, 16, `${title}<tspan class="says" dx="9">${says}</tspan>`),
    ...Array.from({length: kSlots}, (_, lane) => rect('idle', 0, kTop + lane * kRow + 1, kWide, kRow - 2)),
    rect('urgent', from - 0.75, 38, 1.5, kTop + urgent.lane * kRow - 38), ...bars.map(drawnBar),
    rect('urgent', at, 35.5, from - at, 5), rect('urgent', at - 1, 33, 2, 10), ...bars.map(drawnNumber),
    text('wait', from + 8, 42, `the urgent kernel waits ${grouped(urgent.from - urgent.at)}`),
    rect('card', from - 1.5, kTop + urgent.lane * kRow, wide + 3, kRow),
    rect('urgent', from, kTop + urgent.lane * kRow, wide, kRow),
    ...early.map(({lane, time}) => `<g transform="translate(${x(time)},${kTop + (lane + 0.5) * kRow})">${kCross}</g>`),
    `<path class="end" d="M${x(end)} ${kTop - 1}v${high + 2}"/>`,
    ...[0, 10000, 20000, 30000].map((tick) => text('tick', x(tick) + (tick ? 0 : 3), kTop + high + 15, grouped(tick))),
    text('last', kWide, kTop + high + 15, 'cycles'),
    text('sum', 0, kTop + high + 37, `${starts.length} prologues, done after ${grouped(end)} cycles`)
  ].join('');
}

/// The picture of the laps.
export function pictureOf(laps) {
  const wide = 2 * kWide + kGap + 40, high = 2 * kPanel + 58;
  const panels = laps.map(
      (lap, i) => `<g transform="translate(${20 + i % 2 * (kWide + kGap)},${18 + Math.floor(i / 2) * kPanel})">${
          drawnLap(lap, strategies[i])}</g>`);
  const marks = [
    ['setup', 'the prologue'], ['work', 'a tile'], ['stolen', 'a stolen tile'], ['urgent', 'the urgent kernel'],
    ['no', 'a request that fails']
  ];
  let left = 20;
  const legend = marks.map(([name, words]) => {
    const drawn = (name === 'no' ? `<g transform="translate(${left + 19},${high - 31.5})">${kCross}</g>` :
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
<path d="M0 0v5" stroke="#1f2328" stroke-opacity=".3" stroke-width="2"/></pattern></defs>
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

/// The laps that a build runs, without the urgent kernel or with it.
export const lapsOf = (build, after) =>
    strategies.map((each) => lapOf(recorded(commandOf(each, kFirst, after), build), each.name));

/// What the steal by hand needs of its run: {setup, tiles}, in cycles.
export function sixOf(build) {
  const bars = lapOf(recorded(kSix, build), 'clc').bars.sort((a, b) => a.tile - b.tile);
  return {setup: bars[0].prologue, tiles: bars.map(({from, to, prologue}) => to - from - prologue)};
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('race.svg', import.meta.url), pictureOf(lapsOf(process.argv[2], 0)));
