// For the page and for Node: who takes part in the race, the command of each, and how its numbers are written.

/// waits: what waits beside the slots, and how it is shared out; added: whether the race begins without it.
export const strategies = [
  {
    name: 'fixed',
    title: 'Fixed work',
    says: 'A block for each tile: each runs the prologue.',
    waits: ['block', 'one queue'],
    run: '01_fixed_work --kernel fixed'
  },
  {
    name: 'stride',
    title: 'Grid stride',
    says: 'A fixed share each: tiles wait while slots idle.',
    waits: ['tile', 'a share per row'],
    added: true,
    run: '02_grid_stride --kernel stride'
  },
  {
    name: 'queue',
    title: 'Tile queue',
    says: 'Blocks draw from a counter: none leaves early.',
    waits: ['tile', 'one queue'],
    added: true,
    run: '02_grid_stride --kernel queue'
  },
  {
    name: 'clc',
    title: 'CLC',
    says: 'Running blocks steal waiting ones.',
    waits: ['block', 'one queue'],
    run: '03_clc_basic --kernel basic'
  }
];

/// 12,345. The player, which writes numbers so, too, comes later.
export const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');

/// Where the number of a bar has room, from left to right: beside the cross of a request that fails there, on its
/// longer side. x: of a time; beside: how far a number stays away from a cross.
export function roomOf({from, to, prologue, fails}, x, beside) {
  const left = x(from + prologue), right = x(to), cross = fails === undefined ? -Infinity : x(fails);
  return cross - left < right - cross ? [Math.max(left, cross + beside), right] : [left, cross - beside];
}

export const kSlots = 8;
export const kTiles = 36;

/// The problem of the chapters' pictures.
export const kFirst = {
  setup: 900,
  uneven: 60
};

/// setup: FMAs of the prologue; uneven: the extra work of the long tiles; after: as --after, of the urgent kernel,
/// which isn't launched without it.
export const commandOf = ({run}, {setup, uneven}, after) => 'build/bin/clcsim --gpu mini:1 --timeline run.html ' +
    `build/bin/${run} --threads 32 --tile 32 --elements ${32 * kTiles} --prologue ${setup} --skew ${
                                                                uneven} --shape 1 ` +
    `--warmup 0 --runs 1${after === undefined ? '' : ` --urgent 1 --after ${after}`}`;

/// The run of the steal by hand: chapter 03's first picture.
export const kSix = 'build/bin/clcsim --gpu mini:2 --timeline run.html build/bin/03_clc_basic --kernel basic ' +
    '--threads 1024 --tile 1024 --elements 6144 --prologue 100 --skew 16 --shape 3 --warmup 0 --runs 1';
