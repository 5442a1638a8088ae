import test from 'ava';
import { EmbeddedError, explainFailure, startFailure } from '#deploy/embedded-postgres/failure.ts';

const folder = '/srv/upquorum';
const withCode = (code: string, path?: string) => Object.assign(new Error(code), { code, path });

const explained: readonly [error: Error, message: RegExp][] = [
  [withCode('ENOSPC', '/srv/upquorum/postgres'), /^cannot use \/srv\/upquorum\/postgres: the disk is full\. /],
  [withCode('EDQUOT'), /^cannot use \/srv\/upquorum: the disk quota is used up\. /],
  [withCode('EACCES'), /no permission/],
  [withCode('EROFS'), /the file system is read-only/],
];

for (const [error, message] of explained)
  test(`${error.message} is explained with its path and a remedy`, t => {
    const failure = explainFailure(error, folder);
    t.true(failure instanceof EmbeddedError);
    t.regex((failure as Error).message, message);
    t.regex((failure as Error).message, /DATA_DIR \(currently \/srv\/upquorum\)/);
  });

test('other errors, and those explained already, pass unchanged', t => {
  for (const error of [new Error('odd'), withCode('EBUSY'), new EmbeddedError('explained'), 'a string'])
    t.is(explainFailure(error, folder), error);
});

const logs: readonly [log: string, message: RegExp][] = [
  ['LOG:  starting\nFATAL:  could not map memory\n', /did not start: could not map memory \(log: \/srv\/log\)/],
  ['ERROR:  first\nPANIC:  second\n', /did not start: second /],
  ['PANIC:  could not write: No space left on device\n', /^PostgreSQL did not start: the disk is full$/],
  ['', /exited without an error message/],
];

for (const [log, message] of logs)
  test(`a start that logged ${JSON.stringify(log)} says why`, t => {
    t.regex(startFailure(log, '/srv/log').message, message);
  });
