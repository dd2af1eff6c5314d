// What the page keeps in the browser's own storage: the edits of each kernel, the tasks that are done, and where the
// reader was. Some browsers refuse it to files, others in private windows: then the page works without.
const kName = 'clc-playground';

const isText = (value) => typeof value === 'string';

export class Kept {
  /// open(): the storage; it may throw.
  constructor(open) {
    this.refused = false;
    this.attempt(() => {
      this.storage = open();
      this.storage.setItem(`${kName}-try`, '1');
      this.storage.removeItem(`${kName}-try`);
    });
  }

  attempt(action) {
    try {
      action();
    } catch {
      this.refused = true;
    }
  }

  /// {edits: {kernel: {of, edits}}, done: [...], address}. What makes no sense is left out.
  read() {
    let all = {};
    if (!this.refused) {
      try {
        all = JSON.parse(this.storage.getItem(kName)) ?? {};
      } catch {  // somebody else's
      }
    }
    const edits = {};
    for (const [kernel, each] of Object.entries(all.edits ?? {}))
      if (isText(each?.of) && Array.isArray(each.edits)) edits[kernel] = each;
    return {
      edits,
      done: Array.isArray(all.done) ? all.done.filter((each) => isText(each) && /^[\w-]+$/.test(each)) : [],
      address: isText(all.address) ? all.address : ''
    };
  }

  /// Another window of the page may have written meanwhile: what isn't in `change` stays as it is.
  write({edits = {}, ...change}) {
    if (this.refused) return;
    const all = {...this.read(), ...change};
    for (const [kernel, each] of Object.entries(edits)) {
      if (each.edits.length > 0)
        all.edits[kernel] = each;
      else
        delete all.edits[kernel];
    }
    this.attempt(() => this.storage.setItem(kName, JSON.stringify(all)));
  }

  forget() { this.attempt(() => this.storage?.removeItem(kName)); }
}

/// Tells a text from its other versions (FNV-1a).
export function fingerprint(lines) {
  let hash = 0x811c9dc5;
  for (const letter of lines.join('\n')) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193) >>> 0;
  return hash.toString(16);
}
