// What each PTX instruction of the chapters does, in a sentence, and where the PTX ISA tells it. The first row that
// matches counts; a test compares the table with the chapters' PTX.
import {withoutComments} from './kernel.js';

const integer = '9.7.1', real = '9.7.3', compare = '9.7.6', logic = '9.7.8', move = '9.7.9', control = '9.7.12',
      parallel = '9.7.13', other = '9.7.19';

const table = [
  [/^abs\.f/, 'absolute value', `${real}, abs`],
  [/^(add|sub)\.f/, 'the sum, or with sub the difference, of two numbers, rounded', `${real}, add and sub`],
  [/^add\./, 'the sum of two integers; what doesn\u2019t fit is dropped', `${integer}, add`],
  [/^sub\./, 'the first integer less the second', `${integer}, sub`],
  [/^mul\.f/, 'the product of two numbers, rounded', `${real}, mul`],
  [/^mul\.wide\./, 'the whole product of two integers, twice as wide as they are', `${integer}, mul`],
  [/^mul\.hi\./, 'the upper half of the product of two integers', `${integer}, mul`],
  [/^mul\.lo\./, 'the lower half of the product of two integers', `${integer}, mul`],
  [/^mad\.lo\./, 'the lower half of a product, plus a third integer', `${integer}, mad`],
  [/^fma\./, 'a product plus a third number, rounded once', `${real}, fma`],
  [/^div\.[su]/, 'the quotient of two integers, rounded towards zero', `${integer}, div`],
  [/^neg\.f/, 'the number with the other sign', `${real}, neg`],
  [/^neg\.[su]/, 'the integer with the other sign', `${integer}, neg`],
  [/^(min|max)\.[su]/, 'the smaller, or with max the larger, of two integers', `${integer}, min and max`],
  [
    /^setp\./, 'compares two values: the predicate becomes true or false, for a selp or an @ before an instruction',
    `${compare}, setp`
  ],
  [/^selp\./, 'the first value where the predicate is true, otherwise the second', `${compare}, selp`],
  [/^(and|or|xor)\./, 'combines two values, bit by bit', `${logic}, and, or, xor`],
  [/^not\./, 'turns each bit over', `${logic}, not`],
  [/^shl\./, 'shifts the bits to the left; zeros come', `${logic}, shl`],
  [/^shr\./, 'shifts the bits to the right; with .s copies of the sign come, with .u and .b zeros', `${logic}, shr`],
  [
    /^mov\.b128/, 'makes a 128-bit register of two of 64 bits, or the other way: a response is one such value',
    `${move}, mov`
  ],
  [/^mov\./, 'copies a register, a constant, a special register, or the address of a variable', `${move}, mov`],
  [/^cvt\./, 'converts a value: the first type is that of the result', `${move}, cvt`],
  [
    /^cvta\.to\./, 'turns a generic address into one of the named state space: a generic address may point anywhere',
    `${move}, cvta`
  ],
  [/^cvta\./, 'turns an address of the named state space into a generic address', `${move}, cvta`],
  [/^mapa\./, 'the address of the same shared variable in another block of the cluster', `${move}, mapa`],
  [
    /^shfl\.sync\./, 'each lane reads a register of another lane of its warp; all lanes of the mask take part',
    `${move}.6, shfl.sync`
  ],
  [/^ld\.param\./, 'loads a parameter of the kernel', `${move}.8, ld`],
  [
    /^ld\.acquire\./,
    'loads, and orders what follows after it: with a release that it reads from, it sees what came before that',
    `${move}.8, ld`
  ],
  [/^ld\.volatile\./, 'loads anew each time, whatever was read before', `${move}.8, ld`],
  [/^ld\.shared\./, 'loads from the block\u2019s shared memory', `${move}.8, ld`],
  [
    /^ld\.global\.L2::cache_hint\./, 'loads from global memory; a policy says what the L2 cache may drop',
    `${move}.8, ld`
  ],
  [/^ld\.global\./, 'loads from global memory: hundreds of cycles, until the register is used', `${move}.8, ld`],
  [/^ld\./, 'loads by a generic address', `${move}.8, ld`],
  [
    /^st\.global\.L2::cache_hint\./, 'stores to global memory; a policy says what the L2 cache may drop',
    `${move}.11, st`
  ],
  [/^st\.global\./, 'stores to global memory', `${move}.11, st`],
  [/^st\.shared\./, 'stores to the block\u2019s shared memory', `${move}.11, st`],
  [/^st\.relaxed\./, 'stores so that others may read at the same time; orders nothing else', `${move}.11, st`],
  [
    /^(bra)\b/,
    'goes on at the label; with @ before it only where the predicate is true. .uni: all lanes go the same way',
    `${control}, bra`
  ],
  [/^(ret|exit)$/, 'ends the thread, or returns from a function', `${control}, ret and exit`],
  [/^bar\.warp\.sync/, 'lanes of a warp meet here, and see what the others did before', `${parallel}.2, bar.warp.sync`],
  [
    /^(bar|barrier)\.(sync|cta)/, 'all threads of the block meet here, and see what the others did before',
    `${parallel}.1, bar`
  ],
  [
    /^barrier\.cluster\.arrive/, 'this thread has come to the cluster\u2019s barrier, and goes on',
    `${parallel}.3, barrier.cluster`
  ],
  [
    /^barrier\.cluster\.wait/, 'waits until all threads of the cluster have come to its barrier',
    `${parallel}.3, barrier.cluster`
  ],
  [
    /^fence\.proxy\.async::generic\.acquire/,
    'the second half of a proxy fence: what this thread does next, such as a request, comes after the accesses ' +
        'that other threads released by the first half',
    `${parallel}.4, membar and fence`
  ],
  [
    /^fence\.proxy\.async::generic\.release/,
    'the first half of a proxy fence: what this thread did in the generic proxy comes before what follows the ' +
        'second half, such as a request',
    `${parallel}.4, membar and fence`
  ],
  [
    /^fence\.proxy\.async/, 'orders accesses of the generic proxy and of the async proxy, in both directions',
    `${parallel}.4, membar and fence`
  ],
  [
    /^fence\.mbarrier_init/,
    'orders this thread\u2019s initialisations of mbarriers before its next arrival at the cluster\u2019s barrier',
    `${parallel}.4, membar and fence`
  ],
  [
    /^(fence\.sc|membar)/, 'orders all accesses of this thread, before and after, for the threads of its scope',
    `${parallel}.4, membar and fence`
  ],
  [
    /^atom\./, 'reads a place, changes it and writes it back, so that nobody comes between; returns what was there',
    `${parallel}.6, atom`
  ],
  [/^activemask\./, 'a bit for each lane of the warp that executes this together', `${parallel}, activemask`],
  [
    /^elect\.sync/, 'chooses one lane of the mask: its predicate is true, that of the others false',
    `${parallel}, elect.sync`
  ],
  [
    /^griddepcontrol\.wait/,
    'waits until the kernels before this one in the stream, beside which it may have started, have ended, and ' +
        'their writes are seen',
    `${parallel}.13, griddepcontrol`
  ],
  [/^mbarrier\.init\./, 'makes an mbarrier, and says how many arrivals end a phase', `${parallel}.15, mbarrier.init`],
  [
    /^mbarrier\.arrive\.expect_tx\./,
    'tells the mbarrier how many bytes are due, and arrives: the phase ends when they have come and all have arrived',
    `${parallel}.15, mbarrier.arrive`
  ],
  [/^mbarrier\.arrive\./, 'one of the arrivals that end a phase of the mbarrier', `${parallel}.15, mbarrier.arrive`],
  [
    /^mbarrier\.(try|test)_wait\./,
    'true if the phase has ended. try_wait may wait for a while, and may come back too early: so it stands in a loop',
    `${parallel}.15, mbarrier.test_wait and try_wait`
  ],
  [
    /^clusterlaunchcontrol\.try_cancel\..*multicast/,
    'asks the GPU to cancel a cluster that has not started; the same 16 bytes come to each block of this ' +
        'cluster, and count at the mbarrier there',
    `${parallel}.17, clusterlaunchcontrol.try_cancel`
  ],
  [
    /^clusterlaunchcontrol\.try_cancel\./,
    'asks the GPU to cancel a block that has not started; 16 bytes of answer come later, and count at the mbarrier',
    `${parallel}.17, clusterlaunchcontrol.try_cancel`
  ],
  [
    /^clusterlaunchcontrol\.query_cancel\.is_canceled\./, 'true if the answer says that a block was cancelled',
    `${parallel}.18, clusterlaunchcontrol.query_cancel`
  ],
  [
    /^clusterlaunchcontrol\.query_cancel\.get_first_ctaid/,
    'the index of the cancelled block (of a cluster: of its first), in x, y or z. Undefined after a refusal',
    `${parallel}.18, clusterlaunchcontrol.query_cancel`
  ],
  [
    /^cp\.async\.bulk\.shared.*mbarrier/,
    'copies bytes into shared memory while the threads go on; when they have come, they count at the mbarrier',
    `${move}.25.4, cp.async.bulk`
  ],
  [
    /^cp\.async\.bulk\.global/,
    'copies bytes from shared to global memory while the threads go on, in a group of copies',
    `${move}.25.4, cp.async.bulk`
  ],
  [
    /^cp\.async\.bulk\.commit_group/, 'makes a group of the bulk copies that this thread has begun',
    `${move}.25.4, cp.async.bulk.commit_group`
  ],
  [
    /^cp\.async\.bulk\.wait_group\.read/,
    'waits until all groups but the newest so many have read what they copy: it may then be overwritten',
    `${move}.25.4, cp.async.bulk.wait_group`
  ],
  [
    /^cp\.async\.bulk\.wait_group/, 'waits until all groups but the newest so many are done',
    `${move}.25.4, cp.async.bulk.wait_group`
  ],
  [/^nanosleep\./, 'the thread rests for about so many nanoseconds', `${other}, nanosleep`],
  [/^pmevent/, 'counts for a profiler, and does nothing else', `${other}, pmevent`],
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
  [/\.pred\b/, 'predicates'], [/\.f(\d+)\b/, (bits) => `${bits}-bit floating-point numbers`],
  [/\.s(\d+)\b/, (bits) => `signed integers of ${bits} bits`],
  [/\.u(\d+)\b/, (bits) => `unsigned integers of ${bits} bits`], [/\.b(\d+)\b/, (bits) => `${bits} bits of any type`]
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
  const row = table.find(([pattern]) => pattern.test(opcode));
  if (!row) return null;
  const [type, says] = types.find(([pattern]) => pattern.test(opcode)) ?? [];
  const of = !type || /^(9\.7\.13|9\.7\.19|9\.7\.9, (cvt|mapa))/.test(row[2]) ?
      '' :
      `; on ${typeof says === 'string' ? says : says(type.exec(opcode)[1])}`;
  const many = /\.v(\d)\./.exec(opcode)?.[1];
  return {name: opcode, says: `${row[1]}${of}${many ? `, ${many} at once` : ''}`, section: `PTX ISA 9.0, ${row[2]}`};
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
