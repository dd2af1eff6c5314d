// What each PTX instruction of the chapters does, in a sentence, and the section of the PTX ISA that tells it. The
// first row that matches counts; a test compares the table with the chapters' PTX.
import {withoutComments} from './kernel.js';

const table = [
  [/^add\.f/, '9.7.3', 'the sum of two numbers, rounded'],
  [/^sub\.f/, '9.7.3', 'the difference of two numbers, rounded'],
  [/^mul\.f/, '9.7.3', 'the product of two numbers, rounded'],
  [/^fma\./, '9.7.3', 'a product plus a third number, rounded once'],
  [/^abs\.f/, '9.7.3', 'the absolute value'],
  [/^neg\.f/, '9.7.3', 'the number with the other sign'],
  [/^add\./, '9.7.1', 'the sum of two integers; what doesn\u2019t fit is dropped'],
  [/^sub\./, '9.7.1', 'the first integer less the second'],
  [/^mul\.wide\./, '9.7.1', 'the whole product of two integers, twice as wide as they are'],
  [/^mul\.hi\./, '9.7.1', 'the upper half of the product of two integers'],
  [/^mul\.lo\./, '9.7.1', 'the lower half of the product of two integers'],
  [/^mad\.lo\./, '9.7.1', 'the lower half of a product, plus a third integer'],
  [/^div\.[su]/, '9.7.1', 'the quotient of two integers, rounded towards zero'],
  [/^neg\.[su]/, '9.7.1', 'the integer with the other sign'],
  [/^min\.[su]/, '9.7.1', 'the smaller of two integers'],
  [/^max\.[su]/, '9.7.1', 'the larger of two integers'],
  [/^setp\./, '9.7.6', 'compares two values: a predicate becomes true or false, for a selp or an @'],
  [/^selp\./, '9.7.6', 'the first value where the predicate is true, otherwise the second'],
  [/^(and|or|xor)\./, '9.7.8', 'combines two values, bit by bit'],
  [/^not\./, '9.7.8', 'turns each bit over'],
  [/^shl\./, '9.7.8', 'shifts the bits to the left; zeros come'],
  [/^shr\./, '9.7.8', 'shifts the bits to the right; with .s copies of the sign come, with .u and .b zeros'],
  [/^mov\.b128/, '9.7.9', 'makes a 128-bit register of two of 64 bits, or the other way: a response is such a value'],
  [/^mov\./, '9.7.9', 'copies a register, a constant, a special register, or the address of a variable'],
  [/^cvt\./, '9.7.9', 'converts a value: the first type is that of the result'],
  [/^cvta\.to\./, '9.7.9', 'turns a generic address, which may point anywhere, into one of the named state space'],
  [/^cvta\./, '9.7.9', 'turns an address of the named state space into a generic address'],
  [/^mapa\./, '9.7.9', 'the address of the same shared variable in another block of the cluster'],
  [/^shfl\.sync\./, '9.7.9.6', 'each lane of the mask reads a register of another lane of its warp'],
  [/^ld\.param\./, '9.7.9.8', 'loads a parameter of the kernel'],
  [/^ld\.acquire\./, '9.7.9.8', 'loads, and what follows comes after it: sees what came before a release it reads'],
  [/^ld\.volatile\./, '9.7.9.8', 'loads anew each time, whatever was read before'],
  [/^ld\.shared\./, '9.7.9.8', 'loads from the block\u2019s shared memory'],
  [/^ld\..*cache_hint\./, '9.7.9.8', 'loads from global memory; a policy says what the L2 cache may drop'],
  [/^ld\.global\./, '9.7.9.8', 'loads from global memory: hundreds of cycles, until the register is used'],
  [/^ld\./, '9.7.9.8', 'loads by a generic address'],
  [/^st\..*cache_hint\./, '9.7.9.11', 'stores to global memory; a policy says what the L2 cache may drop'],
  [/^st\.global\./, '9.7.9.11', 'stores to global memory'],
  [/^st\.shared\./, '9.7.9.11', 'stores to the block\u2019s shared memory'],
  [/^st\.relaxed\./, '9.7.9.11', 'stores so that others may read at the same time; orders nothing else'],
  [/^cp\..*mbarrier/, '9.7.9.25.4', 'copies into shared memory while threads go on; the bytes count at the mbarrier'],
  [/^cp\..*\.global/, '9.7.9.25.4', 'copies from shared to global memory while threads go on, in a group of copies'],
  [/^cp\..*commit_group/, '9.7.9.25.4', 'makes a group of the bulk copies that this thread has begun'],
  [/^cp\..*group\.read/, '9.7.9.25.4', 'waits until what all groups but the newest so many copy may be overwritten'],
  [/^cp\..*wait_group/, '9.7.9.25.4', 'waits until all groups but the newest so many are done'],
  [/^bra\b/, '9.7.12', 'goes on at the label; with @ only where the predicate is true. .uni: all lanes go together'],
  [/^(ret|exit)$/, '9.7.12', 'ends the thread, or returns from a function'],
  [/^(bar|barrier)\.(sync|cta)/, '9.7.13.1', 'all threads of the block meet here, and see what others did before'],
  [/^bar\.warp\.sync/, '9.7.13.2', 'lanes of a warp meet here, and see what the others did before'],
  [/^barrier\.cluster\.arrive/, '9.7.13.3', 'this thread has come to the cluster\u2019s barrier, and goes on'],
  [/^barrier\.cluster\.wait/, '9.7.13.3', 'waits until all threads of the cluster have come to its barrier'],
  [
    /^fence\..*\.acquire/, '9.7.13.4', 'the second half of a proxy fence: what follows comes after what others released'
  ],
  [
    /^fence\..*\.release/, '9.7.13.4', 'the first half of a proxy fence: what was done comes before what others acquire'
  ],
  [/^fence\.proxy\.async/, '9.7.13.4', 'orders accesses of the generic proxy and of the async proxy, both ways'],
  [/^fence\.mbarrier_init/, '9.7.13.4', 'an mbarrier is made before the next arrival at the barrier of the cluster'],
  [/^(fence\.sc|membar)/, '9.7.13.4', 'orders all accesses of this thread, for the threads of its scope'],
  [/^atom\./, '9.7.13.6', 'reads a place, changes it and writes it back, with nobody between; returns what was there'],
  [/^activemask\./, '9.7.13', 'a bit for each lane of the warp that executes this together'],
  [/^elect\.sync/, '9.7.13', 'chooses one lane of the mask: its predicate is true, that of the others false'],
  [/^griddepcontrol\.wait/, '9.7.13.13', 'waits until earlier kernels of the stream have ended and are seen'],
  [/^mbarrier\.init\./, '9.7.13.15', 'makes an mbarrier, and says how many arrivals end a phase'],
  [
    /^mbarrier\.arrive\.expect_tx\./, '9.7.13.15',
    'tells the mbarrier how many bytes are due, and arrives: the phase ends when they have come and all have arrived'
  ],
  [/^mbarrier\.arrive\./, '9.7.13.15', 'one of the arrivals that end a phase of the mbarrier'],
  [
    /^mbarrier\.(try|test)_wait\./, '9.7.13.15',
    'true if the phase has ended. try_wait may wait for a while, and may come back too early: so it stands in a loop'
  ],
  [
    /^clusterlaunchcontrol\.try_cancel\..*multicast/, '9.7.13.17',
    'asks the GPU to cancel a cluster that has not started; the same 16 bytes come to each block of this ' +
        'cluster, and count at the mbarrier there'
  ],
  [
    /^clusterlaunchcontrol\.try_cancel\./, '9.7.13.17',
    'asks the GPU to cancel a block that has not started; 16 bytes of answer come later, and count at the mbarrier'
  ],
  [/is_canceled\./, '9.7.13.18', 'true if the answer says that a block was cancelled'],
  [
    /get_first_ctaid/, '9.7.13.18',
    'the index of the cancelled block (of a cluster: of its first), in x, y or z. Undefined after a refusal'
  ],
  [/^nanosleep\./, '9.7.19', 'the thread rests for about so many nanoseconds'],
  [/^pmevent/, '9.7.19', 'counts for a profiler, and does nothing else'],
];

const directives = [
  [/^\s*(\.visible |\.weak )?\.entry/, 'a kernel begins: its name, and its parameters in parentheses'],
  [/^[\s{]*\.reg\b/, 'declares registers; %r<9> declares %r0 to %r8. There are as many as one declares'],
  [/^\s*\.(global|const|local)\b/, 'a variable in memory'],
  [/^\s*\.pragma\b/, 'a wish to the assembler; nounroll: the loop stays a loop'],
  [/^\s*\.shared\b/, 'a variable in the block\u2019s shared memory'],
  [/^\s*\.param\b/, 'a parameter of the kernel'],
  [/^\s*\.(max|req|min|explicit)\w*/, 'says how blocks or clusters of the kernel are launched'],
  [/^\s*[$\w]+:/, 'a label: bra leads here'],
];

const types = [
  [/\.pred\b/, 'predicates'],
  [/\.f(\d+)\b/, '$1-bit floating-point numbers'],
  [/\.s(\d+)\b/, 'signed integers of $1 bits'],
  [/\.u(\d+)\b/, 'unsigned integers of $1 bits'],
  [/\.b(\d+)\b/, '$1 bits of any type'],
];

/// The instructions of a line of PTX, as it spells them.
export function opcodesOf(line) {
  if (/^\s*\./.test(line)) return [];
  return withoutComments(line)
      .split(';')
      .map((part) => /^[\s{}]*(?:[$\w]+:)?\s*(?:@!?[%$\w]+\s+)?([a-z]\w*(?:[.:]+\w+)*)\b(?!:)/.exec(part)?.[1])
      .filter(Boolean);
}

/// {name, says, section} of an instruction; null if the table has none.
export function explained(opcode) {
  const [, section, says] = table.find(([pattern]) => pattern.test(opcode)) ?? [];
  if (!says) return null;
  // Where the type says nothing that matters, it isn't told.
  const [type, words] = /^9\.7\.1[39]/.test(section) || /^(cvta?|mapa)\./.test(opcode) ?
      [] :
      types.find(([pattern]) => pattern.test(opcode)) ?? [];
  const of = type ? `; on ${type.exec(opcode)[0].replace(type, words)}` : '';
  const many = /\.v(\d)\./.exec(opcode)?.[1];
  return {name: opcode, says: `${says}${of}${many ? `, ${many} at once` : ''}`, section: `PTX ISA 9.0, ${section}`};
}

/// What a line of PTX does: [{name, says, section}, ...].
export function explanationsOf(line) {
  const all = opcodesOf(line).map(
      (each) => explained(each) ?? {name: each, says: 'not an instruction of the chapters', section: ''});
  const guard = /@(!?)([%$\w]+)\s/.exec(withoutComments(line));
  if (guard && all.length > 0) all[0].says = `only where ${guard[2]} is ${guard[1] ? 'false' : 'true'}: ${all[0].says}`;
  if (all.length > 0) return all;
  const directive = directives.find(([pattern]) => pattern.test(line));
  return directive ? [{name: line.trim().replace(/^[{\s]+/, '').split(/\s/)[0], says: directive[1], section: ''}] : [];
}
