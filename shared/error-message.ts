/** What an error says on one line. An attempt at several addresses failed as its first one did. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0)
    return errorMessage(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
