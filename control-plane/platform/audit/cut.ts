import { createHash } from 'node:crypto';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Most bytes of JSON that the fields before a change take in its entry, and those after it; twice as much is for what
 * it did to other resources. And the most of these.
 */
type EntryLimits = { fieldsBytes: number; effects: number };
export const wholeEntry: EntryLimits = { fieldsBytes: 8192, effects: 500 };
/** For a project that has written very much within a day: it is recorded who changed which fields of what. */
export const shortEntry: EntryLimits = { fieldsBytes: 256, effects: 10 };

/**
 * The fields within a number of bytes: in their order, those that no longer fit are cut to a sentence with their size
 * and a hash, so that two that differ are told apart.
 */
export function cutFields(fields: Fields, bytesMax: number): Fields {
  let left = bytesMax;
  const cut = Object.entries(fields).map(([name, value]): [string, unknown] => {
    const json = JSON.stringify(value) ?? 'null';
    const bytes = Buffer.byteLength(json);
    if (bytes > left) return [name, sentenceOf(json, bytes)];
    left -= bytes;
    return [name, value];
  });
  return Object.fromEntries(cut);
}

function sentenceOf(json: string, bytes: number): string {
  const digest = createHash('sha256').update(json).digest('hex').slice(0, 8);
  return `cut: ${bytes} bytes of JSON, sha256 ${digest}`;
}
