import { svcbText } from './svcb.ts';
import { ip6Text, labelText, quoted } from './text.ts';
import { type KnownType, knownType } from './types.ts';
import { MessageError, type WireReader } from './wire-reader.ts';

type Present = (reader: WireReader, rest: () => Buffer) => string;

const name: Present = reader => reader.name();
const service: Present = (reader, rest) => `${reader.u16()} ${reader.name()}${svcbText(rest())}`;

/** How the data of each type is written. `rest` takes what is left of it. */
const forms: Record<KnownType, Present> = {
  A: reader => reader.take(4).join('.'),
  AAAA: reader => ip6Text(reader.take(16)),
  NS: name,
  CNAME: name,
  DNAME: name,
  PTR: name,
  MX: reader => `${reader.u16()} ${reader.name()}`,
  SRV: reader => `${reader.u16()} ${reader.u16()} ${reader.u16()} ${reader.name()}`,
  SOA: reader => [reader.name(), reader.name(), ...Array.from({ length: 5 }, () => reader.u32())].join(' '),
  TXT: (_, rest) => strings(rest()).map(quoted).join(' '),
  CAA: (reader, rest) => `${reader.u8()} ${labelText(reader.string())} ${quoted(rest())}`,
  NAPTR: reader => {
    const [order, preference] = [reader.u16(), reader.u16()];
    const texts = [reader.string(), reader.string(), reader.string()].map(quoted);
    return [order, preference, ...texts, reader.name()].join(' ');
  },
  DS: (reader, rest) => `${reader.u16()} ${reader.u8()} ${reader.u8()} ${rest().toString('hex')}`,
  DNSKEY: (reader, rest) => `${reader.u16()} ${reader.u8()} ${reader.u8()} ${rest().toString('base64')}`,
  SSHFP: (reader, rest) => `${reader.u8()} ${reader.u8()} ${rest().toString('hex')}`,
  TLSA: (reader, rest) => `${reader.u8()} ${reader.u8()} ${reader.u8()} ${rest().toString('hex')}`,
  SVCB: service,
  HTTPS: service,
};

/**
 * Reads the data of a record, which has this many bytes, in presentation form: names in lower case and without the
 * final dot, hexadecimal digits in lower case, types that are not known as RFC 3597 has it.
 */
export function presentData(type: number, reader: WireReader, length: number): string {
  const end = reader.offset + length;
  const rest = () => reader.take(end - reader.offset);
  const known = knownType(type);
  const text = known === null ? genericText(rest()) : forms[known](reader, rest);
  if (reader.offset !== end) throw new MessageError();
  return text;
}

function genericText(bytes: Buffer): string {
  return `\\# ${bytes.length}${bytes.length === 0 ? '' : ` ${bytes.toString('hex')}`}`;
}

function strings(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const end = offset + 1 + (bytes[offset] ?? 0);
    if (end > bytes.length) throw new MessageError();
    found.push(bytes.subarray(offset + 1, end));
    offset = end;
  }
  return found;
}
