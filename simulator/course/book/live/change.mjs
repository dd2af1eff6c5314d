// For pages and for Node (hand.mjs): a table of an mbarrier's phases, and a change of an mbarrier as it stands there.

export function isPhaseTable([, ...head]) {
  return head.slice(0, 3).join() === 'arrivals due,bytes due,phase (parity)';
}

/// What stands beside the event. `change`: of changesOf().
export function changeCells({arrivals, bytes, phase, over}) {
  return [String(arrivals), String(bytes), over ? `phase ${phase} is over` : `${phase} (${phase % 2})`];
}
