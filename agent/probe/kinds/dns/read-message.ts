import { presentData } from './presentation.ts';
import type { Query } from './query.ts';
import { rcodeText, typeNumber } from './types.ts';
import { WireReader } from './wire-reader.ts';

/** `records`: those of the type that was asked for, and the aliases that lead to them. */
export type Message = Readonly<{ rcode: string; records: readonly DnsRecord[] }>;
export type DnsRecord = Readonly<{ name: string; type: number; ttl: number; data: string }>;

const [responseFlag, truncatedFlag, internet] = [0x8000, 0x0200, 1];
const aliases: readonly number[] = [typeNumber('CNAME'), typeNumber('DNAME')];

/**
 * The answer to a query; null if the message is none, or the answer to another one. `truncated`: it must be asked for
 * over TCP. Throws MessageError for an answer that cannot be read.
 */
export function readAnswer(bytes: Buffer, query: Query): Message | 'truncated' | null {
  if (bytes.length < 12 || bytes.readUInt16BE() !== query.id) return null;
  const reader = new WireReader(bytes);
  reader.u16();
  const flags = reader.u16();
  const [questions, answers] = [reader.u16(), reader.u16()];
  reader.take(4);
  const rcode = flags & 0xf;
  // A server that does not understand a query may leave it out of its answer.
  if (questions === 0 ? rcode === 0 : !isAsked(reader, questions, query)) return null;
  if ((flags & responseFlag) === 0) return null;
  if ((flags & truncatedFlag) !== 0) return 'truncated';
  return { rcode: rcodeText(rcode), records: readRecords(reader, answers, query) };
}

function isAsked(reader: WireReader, questions: number, query: Query): boolean {
  if (questions !== 1) return false;
  const name = reader.name();
  const [type, network] = [reader.u16(), reader.u16()];
  return name === query.name.replace(/(?<=.)\.$/, '') && type === query.type && network === internet;
}

function readRecords(reader: WireReader, count: number, query: Query): DnsRecord[] {
  const records: DnsRecord[] = [];
  for (let index = 0; index < count; index++) {
    const name = reader.name();
    const [type, network, ttl, length] = [reader.u16(), reader.u16(), reader.u32(), reader.u16()];
    const isOfUse = network === internet && (type === query.type || aliases.includes(type));
    if (isOfUse) records.push({ name, type, ttl, data: presentData(type, reader, length) });
    else reader.take(length);
  }
  return records;
}
