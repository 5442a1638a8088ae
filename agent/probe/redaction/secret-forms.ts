/**
 * How an answer may quote a secret: as it is, escaped in JSON, percent-encoded, and in base64 wherever it begins in
 * what was encoded. With ten forms the longest takes some 100 KiB.
 */
export function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret.toWellFormed());
  const strict = percent.replace(/[!'()*]/g, inHexadecimal);
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[^ -~]/g, inAscii),
    ...[percent, strict, inForm].flatMap(encoded => [encoded, encoded.replace(/%../g, digits => digits.toLowerCase())]),
    ...inBase64(Buffer.from(secret)),
  ];
  return [...new Set(forms)];
}

function inHexadecimal(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function inAscii(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Three bytes are four characters: those that a neighbour has a part in are left out, but of the secret alone. */
function inBase64(secret: Buffer): string[] {
  const whole = [secret.toString('base64'), secret.toString('base64url')];
  const inner = [0, 1, 2].flatMap(before => {
    const shifted = Buffer.concat([Buffer.alloc(before), secret]);
    const [start, end] = [Math.ceil((before * 4) / 3), Math.floor((shifted.length * 4) / 3)];
    return [shifted.toString('base64').slice(start, end), shifted.toString('base64url').slice(start, end)];
  });
  return [...whole, ...inner];
}
