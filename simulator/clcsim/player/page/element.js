// Elements of the page.

/// An element with text and attributes.
export function element(name, text = '', attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/// A paragraph, or what `name` is, of texts and links {text, ...}; `follow(link)`: one was clicked.
export function sentenceWithLinks(parts, follow, attributes = {}, name = 'p') {
  const made = element(name, '', attributes);
  for (const part of parts) {
    if (typeof part === 'string') {
      made.append(part);
      continue;
    }
    const link = element('button', part.text, {type: 'button', class: 'link'});
    link.addEventListener('click', () => follow(part));
    made.append(link);
  }
  return made;
}
