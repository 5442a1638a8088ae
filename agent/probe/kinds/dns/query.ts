import { randomInt } from 'node:crypto';
import packet from 'dns-packet';
import type { DnsCheck } from '#shared/checks/check.ts';
import { typeNumber } from './types.ts';

/** What is asked, under a random number that the answer must bear. */
export type Query = Readonly<{ id: number; name: string; type: number; bytes: Buffer }>;

/** Bytes of an answer that crosses networks in one piece (the DNS Flag Day of 2020). */
const udpPayloadSize = 1232;

export function makeQuery({ name, type, recursion }: Pick<DnsCheck, 'name' | 'type' | 'recursion'>): Query {
  const number = typeNumber(type);
  const id = randomInt(65_536);
  const bytes = packet.encode({
    type: 'query',
    id,
    flags: recursion ? packet.RECURSION_DESIRED : 0,
    // The library knows some types by name alone, and takes all by number.
    questions: [{ name, type: `UNKNOWN_${number}` as 'A' }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
  return { id, name: name.toLowerCase(), type: number, bytes };
}
