import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '../../../shared/error-code.ts';
import { CommandError } from '../frame/failure.ts';
import type { Terminal } from '../frame/terminal.ts';
import { splitCsv, splitLines } from './records.ts';

/** Where an export goes, and what is there of one that broke off. */
export type Output = AsyncDisposable & {
  count: number;
  /** The last event that is whole. */
  last: string | null;
  isComplete: boolean;
  write(text: string): Promise<void>;
};

/** A file that nobody else may read, since it holds what people did, or stdout. */
export async function openOutput(terminal: Terminal, path: string | null, isCsv: boolean): Promise<Output> {
  const before = { count: 0, last: null, isComplete: false };
  if (path === null) return { ...before, write: text => terminal.flow(text), [Symbol.asyncDispose]: async () => {} };
  const found = await readBefore(path, isCsv);
  const file = await open(path, found === null ? 'w' : 'r+', 0o600);
  if (found !== null) await file.truncate(found.bytes);
  return { ...before, ...found, ...writerOf(file, found?.bytes ?? 0) };
}

function writerOf(file: FileHandle, from: number): Pick<Output, 'write' | typeof Symbol.asyncDispose> {
  let at = from;
  let waiting = '';
  const flush = async () => {
    const bytes = Buffer.from(waiting);
    waiting = '';
    await file.write(bytes, 0, bytes.length, at);
    at += bytes.length;
  };
  return {
    write: async text => {
      waiting += text;
      if (waiting.length >= 65_536) await flush();
    },
    [Symbol.asyncDispose]: async () => {
      await flush();
      await file.close();
    },
  };
}

/** Null if there is no such file. */
async function readBefore(path: string, isCsv: boolean): Promise<(Omit<Output, 'write'> & { bytes: number }) | null> {
  const split = isCsv ? splitCsv() : splitLines();
  const found = { count: 0, last: null as string | null, isComplete: false, bytes: 0 };
  try {
    for await (const text of createReadStream(path, 'utf8') as AsyncIterable<string>)
      for (const record of split(text)) {
        found.bytes += Buffer.byteLength(record.text);
        if (record.id !== null) {
          found.count += 1;
          found.last = record.id;
        } else if (!isCsv) found.isComplete = true;
      }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (error instanceof SyntaxError)
      throw new CommandError(`${path} is no export of events`, 'Choose another file, or delete it.');
    throw error;
  }
  // Without an event there is nothing to go on after.
  if (found.last === null && !found.isComplete) found.bytes = 0;
  return { ...found, [Symbol.asyncDispose]: async () => {} };
}
