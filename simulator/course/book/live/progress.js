// Which exercises the reader has done, in the browser's storage. Some browsers refuse it to files, others in private
// windows: then the page forgets.
const kName = 'clc-book-exercises';
const listeners = [];
let kept = [];

function read() {
  try {
    const all = JSON.parse(localStorage.getItem(kName));
    if (Array.isArray(all)) kept = all.filter((each) => typeof each === 'string');
  } catch {
  }
  return kept;
}

export const isDone = (number) => read().includes(number);

export function setDone(number, done) {
  kept = [...read().filter((each) => each !== number), ...(done ? [number] : [])];
  try {
    localStorage.setItem(kName, JSON.stringify(kept));
  } catch {
  }
  for (const listener of listeners) listener();
}

/// Calls it now, and whenever this or another window has changed what is done.
export function onProgress(listener) {
  listeners.push(listener);
  listener();
}
addEventListener('storage', ({key}) => {
  if (key === kName)
    for (const listener of listeners) listener();
});
