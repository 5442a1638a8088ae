import test from 'ava';
import { explainStart } from '#control-plane/platform/db/start-error.ts';

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

const cases: readonly [error: Error, line: RegExp][] = [
  [withCode('28P01', 'password authentication failed for user "u"'), /^password .* "u"; check the user/],
  [withCode('3D000', 'database "d" does not exist'), /^database "d" does not exist; create it/],
  [withCode('42501', 'permission denied for schema public'), /must own its database/],
  [withCode('08P01', 'unsupported startup parameter: options'), /PgBouncer/],
  [withCode('42P05', 'prepared statement "s2" already exists'), /^the database refuses .*PgBouncer/],
  [withCode('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate'), /sslrootcert/],
  [new Error('migration 0007 was changed'), /^migration 0007 was changed$/],
  [new Error('several\n  lines'), /^several lines$/],
];

for (const [error, line] of cases)
  test(`a start that fails with "${error.message}" says so on one line`, t => {
    t.regex(explainStart(error, false), line);
    t.false(explainStart(error, false).includes('\n'));
    t.regex(explainStart(error, true), /\n {4}at /);
  });
