// The GPU of one's own: so many SMs, and so many places for blocks on each.

const kMostThreads = 4096;  // of an SM, in a profile

/// Why an SM can't have so many places for blocks of so many threads; '' where it can.
export function ownGpuError({slots}, threads) {
  if (slots * threads <= kMostThreads) return '';
  return `An SM has at most ${kMostThreads} threads: ${Math.floor(kMostThreads / threads)} places for blocks of ${
      threads}.`;
}

/// The profile's text for the simulator. Bandwidth grows with the SMs, as mini has it: 16 bytes a cycle each.
export function ownGpu({sms, slots}, threads) {
  return [
    'like mini', `name own-${sms}x${slots}`, `sms ${sms}`, `blocks_per_sm ${slots}`,
    `threads_per_sm ${slots * threads}`, `memory_bytes_per_cycle ${16 * sms}`, ''
  ].join('\n');
}
