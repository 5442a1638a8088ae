/** A failure of the embedded server that a person can act on; the message is one sentence or two. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  // What Node reports for a folder to be made on a read-only file system.
  ENOENT: 'it cannot be made',
};

/** Turns what the file system refused into a sentence with the path; other errors pass unchanged. */
export function explainFailure(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof EmbeddedError) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const sentence = code === undefined ? undefined : sentences[code];
  if (sentence === undefined) return error;
  const advice = `Make room or access, or choose another folder with DATA_DIR (now ${folder}).`;
  return new EmbeddedError(`cannot use ${path ?? folder}: ${sentence}. ${advice}`, { cause: error });
}

/** The last sentence of an error that PostgreSQL logged before it gave up, or null. */
export function lastFault(log: string): string | null {
  const faults = [...log.matchAll(/(?:FATAL|PANIC|ERROR|initdb: error): {1,2}(.+)/g)];
  return faults.at(-1)?.[1] ?? null;
}

/** Says why PostgreSQL did not start, from its log; the log itself is named, never printed. */
export function startFailure(log: string, logPath: string): EmbeddedError {
  if (/No space left on device/.test(log)) return new EmbeddedError(`PostgreSQL did not start: the disk is full`);
  const fault = lastFault(log) ?? 'it ended without a word';
  return new EmbeddedError(`PostgreSQL did not start: ${fault} (log: ${logPath})`);
}
