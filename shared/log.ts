import { type DestinationStream, type Logger, pino } from 'pino';

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

/** A JSON logger that names the program and blacks out fields that carry secrets, one and two levels down. */
export function createLog(options: { name: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      redact: { paths: secretNames.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
}
