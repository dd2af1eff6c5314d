// Where the playground shows a run: its address, as page/state.js reads it.
const kThreads = 1024, kBlocks = 8;  // of an SM of mini

/// '#program=...', or '' where the playground has no such GPU.
export function roomOf({request, kernel}) {
  const parts = [`program=${request.program}`, `kernel=${kernel.id}`];
  for (const [name, option] of Object.entries(kernel.options))
    parts.push(`${name}=${request.options[name] ?? option.default}`);
  const [gpu, sms] = request.gpu.split(':');
  if (sms && gpu !== 'mini') return '';
  if (sms) {
    const threads = request.options.threads ?? kernel.options.threads?.default ?? kernel.threads;
    parts.push('gpu=own', `sms=${sms}`, `slots=${Math.min(kBlocks, Math.floor(kThreads / threads))}`);
  } else {
    parts.push(`gpu=${gpu}`);
  }
  if (request.seed) parts.push(`seed=${request.seed}`);
  return `#${parts.join('&')}`;
}
