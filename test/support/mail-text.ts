/** An email as a client reads it. */
export type ReadMail = {
  raw: string;
  /** Values of each header in their order, unfolded and decoded. */
  headers: ReadonlyMap<string, readonly string[]>;
  text: string;
  html: string;
};

/** Reads a message with one level of parts, as ours are. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type')?.[0] ?? '')?.[1];
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  const partOf = (type: string) => {
    for (const part of parts) {
      const read = splitPart(part.replace(/^\r\n/, ''));
      if (read.headers.get('content-type')?.[0]?.startsWith(type) === true) return decodeBody(read);
    }
    return '';
  };
  return { raw, headers, text: partOf('text/plain'), html: partOf('text/html') };
}

type Part = { headers: Map<string, string[]>; body: string };

function splitPart(raw: string): Part {
  const at = raw.indexOf('\r\n\r\n');
  const headers = new Map<string, string[]>();
  for (const line of raw
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), decodeWords(line.slice(colon + 1).trim())]);
  }
  return { headers, body: raw.slice(at + 4) };
}

function decodeBody({ headers, body }: Part): string {
  const bytes = Buffer.from(body.replace(/\r\n$/, ''), 'latin1');
  const coding = headers.get('content-transfer-encoding')?.[0]?.toLowerCase();
  if (coding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64').toString('utf8');
  if (coding === 'quoted-printable') return decodeQuoted(bytes.toString('latin1').replace(/=\r\n/g, ''));
  return bytes.toString('utf8');
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047 in UTF-8. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, coded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(coded, 'base64').toString('latin1')
        : Buffer.from(decodeBytes(coded.replaceAll('_', ' ')), 'latin1').toString('latin1'),
    )
    .replace(/[\u0080-\u00ff]+/g, bytes => Buffer.from(bytes, 'latin1').toString('utf8'));
}

function decodeBytes(text: string): string {
  return text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
