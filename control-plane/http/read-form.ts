import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';
import { cleanText, parseJson, readBytes } from './read-body.ts';

const formBytesMax = 16_384;

/** Fields of an HTML form or a JSON body, at most 16 KiB. Those named in `lists` are arrays: forms repeat them. */
export async function readForm(request: IncomingMessage, lists: readonly string[] = []): Promise<unknown> {
  const bytes = await readBytes(request, formBytesMax);
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
