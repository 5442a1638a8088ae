import { foreign, refused } from './refusal.ts';
import type { Talk } from './talk.ts';

/** SSLRequest: its length and its code. */
const request = Buffer.from('0000000804d2162f', 'hex');

/** PostgreSQL's protocol, "SSL Session Encryption": one byte of answer. */
export async function talkPostgres(talk: Talk): Promise<void> {
  talk.send(request);
  const answer = (await talk.bytes(1)).toString('latin1');
  if (answer === 'N') throw refused('N (TLS is off)');
  if (answer === 'E') throw refused(await readError(talk));
  if (answer !== 'S') throw foreign('PostgreSQL');
}

/** The message of an ErrorResponse, as a server sends that takes no more connections. */
async function readError(talk: Talk): Promise<string> {
  const length = (await talk.bytes(4)).readUInt32BE() - 4;
  if (length < 1 || length > 8192) throw foreign('PostgreSQL');
  const fields = (await talk.bytes(length)).toString().split('\0');
  return fields.find(field => field.startsWith('M'))?.slice(1) ?? 'E';
}
