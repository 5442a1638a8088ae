import test from 'ava';
import { top } from '../repository/sources.ts';
import { filesToRepeat, settle } from './repeat.ts';

const names = ['costs', 'groups', 'outcome', 'repeat'];

test('the files of failed tests are run again, each on its edition', t => {
  const failures = [
    '3-plain › suite › costs › one',
    '3-plain › suite › costs › two › 2',
    '9-apache › suite › repeat › x',
  ];
  t.deepEqual(
    [...filesToRepeat(top, { passed: 0, failures })],
    [
      ['plain', ['test/suite/costs.test.ts']],
      ['apache', ['test/suite/repeat.test.ts']],
    ],
  );
});

test('many files that fail are no accident, and a failure without a file cannot be run again', t => {
  const failures = names.flatMap(name =>
    ['plain', 'apache', 'community'].map(edition => `1-${edition} › suite › ${name}`),
  );
  t.is(filesToRepeat(top, { passed: 0, failures }).size, 0);
  t.is(filesToRepeat(top, { passed: 0, failures: failures.slice(0, 9) }).size, 3);
  t.is(filesToRepeat(top, { passed: 0, failures: [...failures.slice(0, 9), 'an error outside of tests'] }).size, 0);
});

test('what passes when it is run again has passed, and what fails again has failed', t => {
  const first = { passed: 10, failures: ['one', 'two'] };
  t.deepEqual(settle(first, { passed: 8, failures: [] }), { passed: 12, failures: [] });
  t.deepEqual(settle(first, { passed: 7, failures: ['two'] }), { passed: 11, failures: ['two'] });
});
