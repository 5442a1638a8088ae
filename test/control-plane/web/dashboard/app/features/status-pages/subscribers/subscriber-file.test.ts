import test from 'ava';
import fc from 'fast-check';
import {
  readAddresses,
  subscribersCsv,
} from '#control-plane/web/dashboard/app/features/status-pages/subscribers/subscriber-file.ts';
import type { Subscriber } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const emailsIn = (text: string) => readAddresses(text).addresses.map(({ email }) => email);
const cases: [title: string, text: string, emails: string[]][] = [
  ['one a line', 'ada@a.example\ngrace@a.example', ['ada@a.example', 'grace@a.example']],
  ['a BOM, semicolons and CR LF', '\uFEFFEmail;Name\r\nada@a.example;Ada\r\n\r\n', ['ada@a.example']],
  ['a quoted comma', 'name,email\n"Lovelace, Ada",ada@a.example', ['ada@a.example']],
  ['tabs and no column email', 'id\taddress\n1\tada@a.example', ['ada@a.example']],
  ['quotation marks', '"ada@a.example"', ['ada@a.example']],
  ['nothing', '', []],
  [
    'empty cells before the address',
    'manager,phone,email\n,,ada@a.example\nboss@b.example,,grace@a.example\n',
    ['ada@a.example', 'grace@a.example'],
  ],
  ['an empty cell, and another column’s address', 'manager,email\nboss@b.example,\nboss@b.example,""\n', []],
  ['a row that is too short', 'manager,email\nboss@b.example\n', []],
  ['two addresses, and nothing says which', 'boss@b.example,ada@a.example\n', []],
  ['CR alone', 'email,x\rada@a.example,1\rgrace@a.example,2\r', ['ada@a.example', 'grace@a.example']],
  [
    'a quoted line break',
    'note,email\n"one\r\ntwo, ""three""",ada@a.example\n,b@a.example',
    ['ada@a.example', 'b@a.example'],
  ],
  ['a quoted head', '"Name";"E-Mail"\n"A, B";"ada@a.example"', ['ada@a.example']],
  ['blank lines before the head', '\n\nemail,name\nada@a.example,x', ['ada@a.example']],
  [
    'a guard against formulas',
    "email\n'+x@a.example\n'ada@a.example\n''=y@a.example",
    ['+x@a.example', "'ada@a.example", "'=y@a.example"],
  ],
  ['the address of a webhook', 'email,channel\nhttps://ada@a.example,webhook\n', []],
];
for (const [title, text, emails] of cases)
  test(`addresses are read from a file with ${title}`, t => t.deepEqual(emailsIn(text), emails));

test('a quotation mark that is never closed costs its line alone', t => {
  const read = readAddresses('email\na@a.example\n"b@a.example\nc@a.example\n"d@a.example"\n');
  t.deepEqual(
    read.addresses.map(({ email, line }) => [email, line]),
    [
      ['a@a.example', 2],
      ['c@a.example', 4],
      ['d@a.example', 5],
    ],
  );
  t.deepEqual(read.refused, [{ line: 3, text: '"b@a.example' }]);
});

test('what is no address is reported with its line, and a repeated one is counted', t => {
  const read = readAddresses('email\nada@a.example\nnobody\nADA@a.example\n"x\ny",\n<x>@y.example\n');
  t.deepEqual(
    read.addresses.map(({ email }) => email),
    ['ada@a.example'],
  );
  t.deepEqual(
    read.refused.map(({ line }) => line),
    [3, 5, 7],
  );
  t.is(read.repeated, 1);
});

test('a column with states is kept, and an unknown state is refused', t => {
  const lines = ['unsubscribed', 'ACTIVE', '', 'pending', 'quarantined', 'cleaned', 'subscribed'];
  const read = readAddresses(`email,state\n${lines.map((state, index) => `p${index}@a.example,${state}\n`).join('')}`);
  t.deepEqual(
    read.addresses.map(({ state }) => state),
    ['unsubscribed', 'active', 'active', 'pending', 'quarantined', 'active'],
  );
  t.deepEqual(
    read.refused.map(({ line }) => line),
    [7],
  );
});

test('any text is read without an error, and in bounded time', async t => {
  fc.assert(fc.property(fc.string({ maxLength: 2000 }), text => readAddresses(text).addresses.length >= 0));
  const ms = await leastThreadMs(20_000, () => {
    readAddresses(`${'"'.repeat(50_000)}\n${'a,'.repeat(50_000)}\n`);
    readAddresses(`"${'\na@b.example'.repeat(50_000)}`);
    const many = readAddresses('a@b.example\n'.repeat(150_000));
    t.deepEqual([many.repeated, many.refused.map(({ line }) => line)], [99_999, [100_001]], 'the rest is named');
  });
  t.true(ms < 20_000, `${ms} ms`);
});

test('exported cells are quoted, and none is calculated by a spreadsheet', t => {
  const subscriber: Subscriber = {
    id: 'sub_1',
    status_page_id: 'sp_1',
    channel: 'email',
    email: '=cmd@a.example',
    url: null,
    component_ids: ['comp_1', 'comp_2'],
    state: 'active',
    state_reason: null,
    consent: 'said "yes", twice',
    failures: 0,
    created_at: '2026-11-20T10:00:00.000Z',
    confirmed_at: null,
  };
  t.is(
    subscribersCsv([subscriber]).split('\r\n')[1],
    `'=cmd@a.example,email,active,2026-11-20T10:00:00.000Z,,"said ""yes"", twice",comp_1 comp_2`,
  );
  const emails = ['ada@a.example', '+x@a.example', "'+x@a.example", "''=x@a.example", "'ada@a.example"];
  const exported = subscribersCsv(emails.map(email => ({ ...subscriber, email, state: 'unsubscribed' as const })));
  t.deepEqual(
    readAddresses(exported).addresses.map(({ email, state }) => [email, state]),
    emails.map(email => [email, 'unsubscribed']),
    'an import reads them as they were',
  );
});
