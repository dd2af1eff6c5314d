// What is packed into the page: compressed with gzip, in base 64, as the text of an element.

export async function unpacked(id) {
  const binary = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return new Uint8Array(
      await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
