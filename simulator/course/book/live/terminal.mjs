// For pages and for Node (make.mjs): a command of the course's pages as a request to the engine, and the engine's reply
// as what the command prints.

/// The commands of a block that run a pitfall's broken form, whose report the page doesn't show.
export const commandsToTry = (text) => text.split('\n').filter((line) => /^build\/bin\/clcsim .* --broken$/.test(line));

const kTiles = 24, kTile = 256;  // of a small run

/// The command that records a small run of a program of one file, under the options of a command that runs it.
/// undefined: it runs none, or with a size of its own.
export function smallOf(command) {
  const [, options, program] =
      /build\/bin\/clcsim ((?:--\S+ \S+ )*)build\/(minimal_0\d|tries \d)(?= 2>| \||$)/.exec(command) ?? [];
  return program &&
      `build/bin/clcsim ${options.replace(/--explore \S+ /, '')}--timeline run.html ${kOneFile}${program} ${
             kTiles * kTile}`;
}

/// Where the build has them.
export const kOneFile = 'build/simulator/course/book/one_file/';

/// {request, kernel, entry}: `kernel` is the catalogue's, `entry` its program. null: the engine can't run it.
export function requestOf(command, catalogue) {
  const words = command.split(' | ')[0].trim().split(/\s+/).map((word) => word.replace(/^build\/bin\//, ''));
  if (words.shift() !== 'clcsim') return null;
  const request = {gpu: 'mini', seed: 0};
  for (; words[0]?.startsWith('--'); words.splice(0, 2)) {
    if (words[0] === '--gpu')
      request.gpu = words[1];
    else if (words[0] === '--seed')
      request.seed = Number(words[1]);
    else if (!words[0].startsWith('--timeline'))
      return null;
  }
  const entry = catalogue.programs.find(({id}) => id === words[0]);
  if (!entry) return null;
  request.program = words.shift();
  const given = {};
  let kernel;
  if (entry.kernels.some(({pitfall}) => pitfall)) {
    const form = {'--fixed': 'repaired', '--broken': 'broken'}[words[1] ?? '--broken'];
    kernel = entry.kernels.find(({id}) => id === `${words[0]}:${form}`);
  } else {
    for (let i = 0; i < words.length; i += 2) given[words[i].replace(/^--/, '')] = words[i + 1];
    kernel = given.kernel          ? entry.kernels.find(({id}) => id === given.kernel) :
        entry.kernels.length === 1 ? entry.kernels[0] :
                                     undefined;
    Object.assign(
        request, {warmup: Number(given.warmup ?? 1), runs: Number(given.runs ?? 3), after: Number(given.after ?? 0)});
    for (const known of ['kernel', 'warmup', 'runs', 'after']) delete given[known];
  }
  if (!kernel || Object.keys(given).some((name) => !kernel.options[name])) return null;
  request.kernel = kernel.id;
  request.options = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
  return {request, kernel, entry};
}

/// The value of an option in a run.
export const valueOf = ({request, kernel}, name) => request.options[name] ?? kernel.options[name]?.default;

// As common/program.cpp prints it.
function chapterText(asked, reply, kilohertz) {
  const {request, kernel} = asked, value = (name) => valueOf(asked, name) ?? 0;
  const rate = (cycles) => (8 * value('elements') / (Math.fround(cycles / kilohertz) * kilohertz)).toFixed(6);
  const lines = {
    chapter: request.program,
    gpu: `clcsim ${request.gpu}`,
    simulated: true,
    elements: value('elements'),
    tiles: Math.ceil(value('elements') / value('tile')),
    tile: value('tile'),
    threads: value('threads'),
    prologue: value('prologue'),
    skew: value('skew'),
    kernel: kernel.id,
    blocks_launched: reply.ran.grid.reduce((product, each) => product * each, 1),
    blocks_started: reply.started,
    prologues: reply.prologues,
    steals: reply.steals,
    cycles: reply.timed,
    bytes_per_cycle: rate(reply.timed),
    copy_bytes_per_cycle: rate(reply.copied),
    missed: reply.missed,
    doubled: reply.doubled,
    wrong: reply.wrong,
    verdict: reply.word
  };
  return Object.entries(lines).map(([name, each]) => `${name}: ${each}\n`).join('');
}

// As 05_ub_pitfalls/ub_pitfalls.cu prints it.
function pitfallText({request, kernel}, reply) {
  const said = reply.says ??
      `${reply.steals} tiles stolen; ${reply.missed} elements missed, ${reply.doubled} done twice, ${
                   reply.wrong} garbage`;
  return `${kernel.pitfall}, ${kernel.broken ? 'broken' : 'repaired'}, on clcsim ${request.gpu}: ${said}\nverdict: ${
      reply.word === 'FAILED' ? 'WRONG' : reply.word}\n`;
}

/// {error, report, output}: what the command writes to standard error and to standard output.
export function printed(asked, reply, catalogue) {
  if (reply.error) return {error: reply.error.message, report: reply.text ?? '', output: ''};
  if (asked.kernel.pitfall) return {report: reply.text, output: pitfallText(asked, reply)};
  const profile = catalogue.gpus.find(({id}) => id === asked.request.gpu.split(':')[0]);
  return {report: reply.text, output: chapterText(asked, reply, profile.clock_khz)};
}
