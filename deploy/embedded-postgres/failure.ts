/** A failure of the embedded server that a person can act on. The message is one or two sentences. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  // Node reports this when a folder cannot be created on a read-only file system.
  ENOENT: 'it cannot be created',
};

/** Turns an error of the file system into a sentence with the path; other errors pass unchanged. */
export function explainFailure(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof EmbeddedError) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const sentence = code === undefined ? undefined : sentences[code];
  if (sentence === undefined) return error;
  const advice = `Free up space or grant access, or choose another folder with DATA_DIR (currently ${folder}).`;
  return new EmbeddedError(`cannot use ${path ?? folder}: ${sentence}. ${advice}`, { cause: error });
}

function lastFault(log: string): string | null {
  const faults = [...log.matchAll(/(?:FATAL|PANIC|ERROR|initdb: error): {1,2}(.+)/g)];
  return faults.at(-1)?.[1] ?? null;
}

/** Says why PostgreSQL did not start: the last error in its log. The log itself is named, never printed. */
export function startFailure(log: string, logPath: string): EmbeddedError {
  if (/No space left on device/.test(log)) return new EmbeddedError('PostgreSQL did not start: the disk is full');
  const fault = lastFault(log) ?? 'it exited without an error message';
  return new EmbeddedError(`PostgreSQL did not start: ${fault} (log: ${logPath})`);
}
