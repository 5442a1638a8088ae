/** A failure that its message explains; no stack is printed. */
export class LocalError extends Error {
  override name = 'LocalError';
}
