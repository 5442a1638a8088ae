import { type DestinationStream, type Logger, pino } from 'pino';
import { steadyDestination } from './log-destination.ts';
import { loggedError } from './logged-error.ts';

export type { Logger } from 'pino';

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'headers',
  'database_url',
  'connectionString',
];

/**
 * A JSON logger, to standard error by default, that redacts secret fields at the top and up to two levels down. Of an
 * error in `err` it writes what `loggedError` lists.
 */
export function createLog(options: { name: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      redact: { paths: secretNames.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
      serializers: { err: (error: unknown) => loggedError(error) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.destination ?? steadyDestination(2),
  );
}
