import test from 'ava';
import { classifyFault, isUniqueViolation } from '#control-plane/platform/db/errors.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

const cases: readonly [error: unknown, fault: ReturnType<typeof classifyFault>, title: string][] = [
  [withCode('40001'), 'retry', 'a serialisation failure'],
  [withCode('40P01'), 'retry', 'a deadlock'],
  [withCode('22P02'), 'data', 'a malformed value'],
  [withCode('23503'), 'data', 'a violated foreign key'],
  [withCode('23514'), 'other', 'a row without a partition'],
  [withCode('57P01'), 'away', 'a shutdown'],
  [withCode('53300'), 'away', 'too many connections'],
  [withCode('08006'), 'away', 'a broken connection'],
  [withCode('08P01'), 'other', 'a pooler that refuses our settings'],
  [withCode('55P03'), 'away', 'a lock that was not granted in time'],
  [withCode('25006'), 'away', 'a read-only primary'],
  [withCode('ECONNREFUSED'), 'away', 'no server at the address'],
  [withCode('EHOSTUNREACH'), 'away', 'a host that is switched off'],
  [withCode('ENETUNREACH'), 'away', 'no route'],
  [withCode('ENOTFOUND'), 'away', 'an unknown host'],
  [new Error('Connection terminated unexpectedly'), 'away', 'a connection lost between two statements'],
  [withCode('42601'), 'other', 'a syntax error'],
  [withCode('28P01'), 'other', 'a wrong password'],
  [new Error('a fault of ours'), 'other', 'an error without a code'],
  ['Connection terminated', 'other', 'a thrown string'],
];

for (const [error, fault, title] of cases)
  test(`${title} is classified as ${fault}`, t => {
    t.is(classifyFault(error), fault);
  });

test('a unique violation is recognised, also by its constraint', t => {
  const error = Object.assign(withCode('23505'), { constraint: 'monitors_name' });
  t.true(isUniqueViolation(error));
  t.true(isUniqueViolation(error, 'monitors_name'));
  t.false(isUniqueViolation(error, 'monitors_pkey'));
  t.false(isUniqueViolation(withCode('23503')));
  t.false(isUniqueViolation(null));
});
