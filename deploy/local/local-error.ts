/** A failure that one sentence explains; no stack is shown. */
export class LocalError extends Error {
  override name = 'LocalError';
}
