// What is packed into a page: compressed with gzip, in base 64.

/// The browser unpacks it beside the page: letter by letter a page would stand still for a tenth of a second.
export async function unpacked(text) {
  const {body} = await fetch(`data:application/gzip;base64,${text}`);
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
