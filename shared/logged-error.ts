/** What logs have of an error. */
export type LoggedError = {
  type: string;
  message?: string;
  stack?: string;
  code?: string | number;
  constraint?: string;
  table?: string;
  cause?: unknown;
};

const causesMax = 5;

/**
 * What of an error may be logged, and of its causes: a list of fields, since those of a database hold values of
 * customers in others, such as `detail` and `where`. What is no object stays as it is.
 */
export function loggedError(error: unknown, causes = causesMax): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const fields = error as Record<string, unknown>;
  const logged: LoggedError = { type: error.constructor?.name ?? 'Object' };
  for (const name of ['message', 'stack', 'constraint', 'table'] as const) {
    const value = fields[name];
    if (typeof value === 'string') logged[name] = value;
  }
  if (typeof fields.code === 'string' || typeof fields.code === 'number') logged.code = fields.code;
  if (fields.cause !== undefined && causes > 0) logged.cause = loggedError(fields.cause, causes - 1);
  return logged;
}
