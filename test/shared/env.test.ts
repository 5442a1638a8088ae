import test from 'ava';
import { ConfigError, type Env, EnvReader } from '#shared/env.ts';

/** Reads one value and gives the sentence of the error, if there was any. */
function read<Value>(env: Env, work: (reader: EnvReader) => Value): { value: Value; error: string | null } {
  const reader = new EnvReader(env);
  const value = work(reader);
  try {
    reader.check();
    return { value, error: null };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { value, error: error.message };
  }
}

const cases: [what: string, env: Env, work: (reader: EnvReader) => unknown, value: unknown, error: string | null][] = [
  ['text', { A: ' x ' }, reader => reader.text('A', 'f'), 'x', null],
  ['blank text', { A: '  ' }, reader => reader.text('A', 'f'), 'f', null],
  ['no text', {}, reader => reader.optional('A'), null, null],
  ['a required text', { A: 'x' }, reader => reader.required('A', 'a name'), 'x', null],
  ['a missing text', {}, reader => reader.required('A', 'a name'), '', 'A is not set: it must be a name'],
  ['a blank one', { A: '' }, reader => reader.required('A', 'a name'), '', 'A is not set: it must be a name'],
  ['the least number', { A: '1' }, reader => reader.integer('A', 5, 1, 9), 1, null],
  ['the greatest number', { A: '9' }, reader => reader.integer('A', 5, 1, 9), 9, null],
  ['no number', {}, reader => reader.integer('A', 5, 1, 9), 5, null],
  ['a smaller number', { A: '0' }, reader => reader.integer('A', 5, 1, 9), 5, 'A must be a whole number from 1 to 9'],
  ['a greater number', { A: '10' }, reader => reader.integer('A', 5, 1, 9), 5, 'A must be a whole number from 1 to 9'],
  ['a fraction', { A: '1.5' }, reader => reader.integer('A', 5, 1, 9), 5, 'A must be a whole number from 1 to 9'],
  ['a word', { A: 'one' }, reader => reader.integer('A', 5, 1, 9), 5, 'A must be a whole number from 1 to 9'],
  ['a choice', { A: 'y' }, reader => reader.oneOf('A', ['x', 'y'], 'x'), 'y', null],
  ['another choice', { A: 'Y' }, reader => reader.oneOf('A', ['x', 'y'], 'x'), 'x', 'A must be one of x, y'],
  ['the flag 1', { A: '1' }, reader => reader.flag('A', false), true, null],
  ['the flag true', { A: 'true' }, reader => reader.flag('A', false), true, null],
  ['the flag 0', { A: '0' }, reader => reader.flag('A', true), false, null],
  ['the flag false', { A: 'false' }, reader => reader.flag('A', true), false, null],
  ['no flag', {}, reader => reader.flag('A', true), true, null],
  ['the flag yes', { A: 'yes' }, reader => reader.flag('A', true), true, 'A must be one of 1, 0, true, false'],
  ['a list', { A: ' x, y,,z ,' }, reader => reader.list('A'), ['x', 'y', 'z'], null],
  ['no list', {}, reader => reader.list('A'), [], null],
  ['a URL', { A: 'https://x/' }, reader => reader.url('A', 'http://f', ['https:']), 'https://x/', null],
  ['no URL', {}, reader => reader.url('A', 'https://f', ['https:']), 'https://f', null],
  [
    'a URL with another protocol',
    { A: 'ftp://x' },
    reader => reader.url('A', 'http://f', ['http:', 'https:']),
    'http://f',
    'A must be a URL with http: or https:',
  ],
  [
    'a malformed URL',
    { A: '//' },
    reader => reader.url('A', 'http://f', ['http:']),
    'http://f',
    'A must be a URL with http:',
  ],
];
for (const [what, env, work, value, error] of cases)
  test(`${what} reads as ${JSON.stringify(value)}${error === null ? '' : ' with an error'}`, t => {
    t.deepEqual(read(env, work), { value, error });
  });

const even = (text: string) => (Number(text) % 2 === 0 ? Number(text) : null);

test('the items of a list are parsed, and each that cannot be is named', t => {
  t.deepEqual(
    read({ A: '2,4' }, reader => reader.listOf('A', even, 'not even')),
    { value: [2, 4], error: null },
  );
  t.deepEqual(
    read({ A: '2,3,x' }, reader => reader.listOf('A', even, 'not even')),
    { value: [2], error: 'A contains "3", which is not even; A contains "x", which is not even' },
  );
});

test('all errors are in one line, including those the caller found', t => {
  const { error } = read({ B: 'x' }, reader => {
    reader.required('A', 'a name');
    reader.integer('B', 1, 1, 2);
    reader.fault('C and D exclude each other');
  });
  t.is(error, 'A is not set: it must be a name; B must be a whole number from 1 to 2; C and D exclude each other');
});
