import { foreign, refused } from './refusal.ts';
import type { Talk } from './talk.ts';

const oid = Buffer.from('1.3.6.1.4.1.1466.20037');
/** The message 1, an ExtendedRequest (77) with a requestName (80). */
const request = Buffer.concat([Buffer.from([0x30, 0x1d, 2, 1, 1, 0x77, 0x18, 0x80, oid.length]), oid]);
const [sequence, integer, enumerated, octets, extendedResponse] = [0x30, 0x02, 0x0a, 0x04, 0x78];
const messageBytesMax = 8192;

/** RFC 4511 §4.14: an extended request, whose answer has the result 0. */
export async function talkLdap(talk: Talk): Promise<void> {
  talk.send(request);
  const message = new Values(await readMessage(talk));
  message.next(integer);
  const response = new Values(message.next(extendedResponse));
  const result = response.next(enumerated).readUInt8();
  response.next(octets);
  const diagnosis = response.next(octets).toString();
  if (result !== 0) throw refused(`result ${result} ${diagnosis}`.trimEnd());
}

/** The content of the message's sequence. */
async function readMessage(talk: Talk): Promise<Buffer> {
  const [tag, first = 0] = await talk.bytes(2);
  if (tag !== sequence) throw foreign('LDAP');
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 4 || first === 0x80) throw foreign('LDAP');
  const length = lengthBytes === 0 ? first : (await talk.bytes(lengthBytes)).readUIntBE(0, lengthBytes);
  if (length === 0 || length > messageBytesMax) throw foreign('LDAP');
  return await talk.bytes(length);
}

/** The values of BER one after another; none is longer than 64 KiB. */
class Values {
  #rest: Buffer;

  constructor(content: Buffer) {
    this.#rest = content;
  }

  /** The content of the next one, which must have that tag. */
  next(tag: number): Buffer {
    const [found, first = 0x80] = this.#rest;
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    const start = 2 + lengthBytes;
    if (found !== tag || first === 0x80 || lengthBytes > 2 || this.#rest.length < start) throw foreign('LDAP');
    const length = lengthBytes === 0 ? first : this.#rest.readUIntBE(2, lengthBytes);
    if (this.#rest.length < start + length || (tag !== octets && length === 0)) throw foreign('LDAP');
    const content = this.#rest.subarray(start, start + length);
    this.#rest = this.#rest.subarray(start + length);
    return content;
  }
}
