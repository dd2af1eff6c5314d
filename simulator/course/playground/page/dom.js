// Elements of the page.

/// An element with text and attributes.
export function element(name, text = '', attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export const find = (id) => document.getElementById(id);
