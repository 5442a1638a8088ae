import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';
import { cleanText, parseJson } from './read-body.ts';

/** Fields of an HTML form or a JSON body. Those named in `lists` are arrays: forms repeat them. */
export function parseForm(request: IncomingMessage, bytes: Buffer, lists: readonly string[] = []): unknown {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return parseJson(bytes);
  if (type !== 'application/x-www-form-urlencoded') throw new Problem('unsupported_media_type');
  const fields = new URLSearchParams(bytes.toString('utf8'));
  const names = new Set(fields.keys());
  return Object.fromEntries(
    [...names].map(name => {
      const values = fields.getAll(name).map(cleanText);
      return [cleanText(name), lists.includes(name) ? values : values[0]];
    }),
  );
}
