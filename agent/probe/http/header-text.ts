const nonAscii = /[\u0080-\u00ff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a header as people read it: as UTF-8 if it is that, else as Latin-1, which is how Node reads it. */
export function headerText(value: string): string {
  return nonAscii.test(value) ? (decodeUtf8(value) ?? value) : value;
}

/** The address in a `Location`, as browsers read it: UTF-8, or else bytes that are escaped one by one. */
export function headerAddress(value: string): string {
  if (!nonAscii.test(value)) return value;
  return decodeUtf8(value) ?? value.replace(/[\u0080-\u00ff]/g, escapeByte);
}

function decodeUtf8(latin1: string): string | null {
  try {
    return utf8.decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return null;
  }
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
