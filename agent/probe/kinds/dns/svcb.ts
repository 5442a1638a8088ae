import { ip6Text, quoted } from './text.ts';
import { MessageError } from './wire-reader.ts';

const keys = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint', 'dohpath'];

/** The parameters of a SVCB or HTTPS record (RFC 9460), each after a space. */
export function svcbText(bytes: Buffer): string {
  let text = '';
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + 4 > bytes.length) throw new MessageError();
    const [key, length] = [bytes.readUInt16BE(offset), bytes.readUInt16BE(offset + 2)];
    offset += 4;
    if (offset + length > bytes.length) throw new MessageError();
    text += ` ${parameterText(key, bytes.subarray(offset, offset + length))}`;
    offset += length;
  }
  return text;
}

function parameterText(key: number, value: Buffer): string {
  const name = keyText(key);
  switch (name) {
    case 'mandatory':
      return `${name}=${parts(value, 2).map(part => keyText(part.readUInt16BE()))}`;
    case 'alpn':
      return `${name}=${quoted(Buffer.concat(commaSeparated(value)))}`;
    case 'port':
      return `${name}=${parts(value, 2).map(part => part.readUInt16BE())}`;
    case 'ipv4hint':
      return `${name}=${parts(value, 4).map(part => part.join('.'))}`;
    case 'ipv6hint':
      return `${name}=${parts(value, 16).map(ip6Text)}`;
    case 'ech':
      return `${name}=${value.toString('base64')}`;
    default:
      return value.length === 0 ? name : `${name}=${quoted(value)}`;
  }
}

function keyText(key: number): string {
  return keys[key] ?? `key${key}`;
}

function parts(value: Buffer, size: number): Buffer[] {
  if (value.length % size !== 0) throw new MessageError();
  return Array.from({ length: value.length / size }, (_, index) => value.subarray(index * size, (index + 1) * size));
}

/** The names of protocols, each after its length, with a comma between them. */
function commaSeparated(value: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let offset = 0; offset < value.length; ) {
    const end = offset + 1 + (value[offset] ?? 0);
    if (end > value.length) throw new MessageError();
    if (found.length > 0) found.push(Buffer.from(','));
    found.push(value.subarray(offset + 1, end));
    offset = end;
  }
  return found;
}
