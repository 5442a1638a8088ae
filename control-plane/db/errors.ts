/** What a database error means to the caller: `retry` the transaction, the server is `away`, the `data` is refused, or none of these. */
export type DatabaseFault = 'retry' | 'away' | 'data' | 'other';

const retryable = new Set(['40001', '40P01']);
const awayClasses = new Set(['08', '53', '57']);
const dataClasses = new Set(['22', '23']);
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ETIMEDOUT',
  'EPIPE',
  '25P03',
  '25006',
  '55P03',
  '58030',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const awayMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Cannot use a pool after',
];

/** The one place where SQLSTATE classes and connection errors get a meaning. */
export function classifyFault(error: unknown): DatabaseFault {
  if (!(error instanceof Error)) return 'other';
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (retryable.has(code)) return 'retry';
    // No partition for the row is our own omission, not the row's.
    if (dataClasses.has(code.slice(0, 2)) && code.length === 5 && code !== '23514') return 'data';
    if (awayCodes.has(code) || (code.length === 5 && awayClasses.has(code.slice(0, 2)))) return 'away';
  }
  return awayMessages.some(message => error.message.includes(message)) ? 'away' : 'other';
}

/** True when a unique constraint refused the row; `constraint` narrows it to one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint: name } = error as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || name === constraint);
}
