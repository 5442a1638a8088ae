import { errorCode } from '#shared/error-code.ts';

/**
 * What a caller can do about a database error: `retry` the transaction, wait for a server that is `away`, refuse the
 * `data`.
 */
export type DatabaseFault = 'retry' | 'away' | 'data' | 'other';

const retryable = new Set(['40001', '40P01']);
const awayClasses = new Set(['08', '53', '57']);
/** A protocol violation, which is how a pooler refuses our settings: waiting does not help. */
const protocolViolation = '08P01';
const dataClasses = new Set(['22', '23']);
const lockTimeoutCode = '55P03';
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ECONNRESET',
  'ENOENT',
  'ETIMEDOUT',
  'EPIPE',
  '25P03',
  '25006',
  lockTimeoutCode,
  '58030',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** What pg says when a connection does not answer within `query_timeout`. */
const silentMessage = 'Query read timeout';

const awayMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after',
  silentMessage,
];

/** The only place that interprets SQLSTATE codes and connection errors. */
export function classifyFault(error: unknown): DatabaseFault {
  if (!(error instanceof Error)) return 'other';
  const code = errorCode(error);
  if (code !== null) {
    if (retryable.has(code)) return 'retry';
    // 23514 also means that no partition exists for the row: our fault, not the data's.
    if (dataClasses.has(code.slice(0, 2)) && code.length === 5 && code !== '23514') return 'data';
    if (code === protocolViolation) return 'other';
    if (awayCodes.has(code) || (code.length === 5 && awayClasses.has(code.slice(0, 2)))) return 'away';
  }
  return awayMessages.some(message => error.message.includes(message)) ? 'away' : 'other';
}

/** Whether our own code failed on the data that it was given: it fails again, however often it is tried. */
export function isDefect(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

/** Whether the connection fell silent: it may not be used again, not even to roll back. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message.includes(silentMessage);
}

/** Whether the server ended a statement for the time it took or waited for a lock. */
export function isTimeout(error: unknown): boolean {
  return errorCode(error) === '57014' || isLockTimeout(error);
}

/** Whether the server takes no writes: a primary that became a standby. The address may lead to the new one by now. */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === '25006';
}

/** Whether a lock was not granted within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === lockTimeoutCode;
}

/** Whether a unique constraint rejected the row; `constraint` narrows it to one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (errorCode(error) !== '23505') return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}
