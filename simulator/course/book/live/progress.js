// What the reader has done, in the browser's storage. Some browsers refuse it to files, others in private windows: then
// the page forgets.

/// What is kept under a name, {read(), write(all), listen(listener)}: the listener is called now, and whenever this or
/// another window has changed it. `isValid` refuses what is there but cannot be used.
export function keep(name, empty, isValid) {
  const listeners = [];
  let kept = empty;
  const tell = () => listeners.forEach((listener) => listener());
  addEventListener('storage', ({key}) => {
    if (key === name) tell();
  });
  return {
    read() {
      try {
        const all = JSON.parse(localStorage.getItem(name));
        if (isValid(all)) kept = all;
      } catch {
      }
      return kept;
    },
    write(all) {
      kept = all;
      try {
        localStorage.setItem(name, JSON.stringify(all));
      } catch {
      }
      tell();
    },
    listen(listener) {
      listeners.push(listener);
      listener();
    }
  };
}

const exercises = keep('clc-book-exercises', [], Array.isArray);

export const isDone = (number) => exercises.read().includes(number);

export function setDone(number, done) {
  exercises.write([...exercises.read().filter((each) => each !== number), ...(done ? [number] : [])]);
}

export const onProgress = exercises.listen;
