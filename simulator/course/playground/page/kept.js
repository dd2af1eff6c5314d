// What the page keeps in the browser's own storage: the edits of each kernel, the tasks that are done, and where the
// reader was, each under a name of its own. Some browsers refuse it to files, others in private windows: then the page
// works without.
const kPrefix = 'clc-playground ';

export class Kept {
  /// open(): the storage; it may throw.
  constructor(open) {
    this.refused = false;
    this.attempt(() => {
      this.storage = open();
      this.storage.setItem(kPrefix, '1');
      this.storage.removeItem(kPrefix);
    });
  }

  attempt(action) {
    try {
      action();
    } catch {
      this.refused = true;
    }
  }

  /// null: nothing is kept, or what somebody else wrote.
  read(name) {
    try {
      return JSON.parse(this.storage.getItem(kPrefix + name));
    } catch {
      return null;
    }
  }

  write(name, value) { this.attempt(() => this.storage.setItem(kPrefix + name, JSON.stringify(value))); }

  forget() {
    this.attempt(
        () => Object.keys(this.storage)
                  .filter((name) => name.startsWith(kPrefix))
                  .forEach((name) => this.storage.removeItem(name)));
  }

  /// The tasks that are done.
  get done() { return [this.read('done') ?? []].flat().filter((each) => /^[\w-]+$/.test(each)); }

  /// The edits of a kernel's text, unless they are of another version of it.
  edits(kernel, lines) {
    const kept = this.read(kernel);
    return kept?.of === fingerprint(lines) && Array.isArray(kept.edits) ? kept.edits : null;
  }
  keepEdits(kernel, lines, edits) { this.write(kernel, {of: fingerprint(lines), edits}); }
}

// Tells a text from its other versions (FNV-1a).
function fingerprint(lines) {
  let hash = 0x811c9dc5;
  for (const letter of lines.join('\n')) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193) >>> 0;
  return hash.toString(16);
}
