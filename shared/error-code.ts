/** The machine's name for a failure (`ECONNRESET`, an SQLSTATE, …), from whatever was thrown; null if it has none. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
