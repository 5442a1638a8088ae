import test from 'ava';
import fc from 'fast-check';
import type { Subscriber } from '#control-plane/dashboard/app/data/api-types.ts';
import { readAddresses, subscribersCsv } from '#control-plane/dashboard/app/data/subscriber-file.ts';

test('addresses are read from lines and from files with columns', t => {
  const cases: [string, string[]][] = [
    ['ada@a.example\ngrace@a.example', ['ada@a.example', 'grace@a.example']],
    ['\uFEFFEmail;Name\r\nada@a.example;Ada\r\n\r\n', ['ada@a.example']],
    ['name,email\n"Lovelace, Ada",ada@a.example', ['ada@a.example']],
    ['id\taddress\n1\tada@a.example', ['ada@a.example']],
    ['"ada@a.example"', ['ada@a.example']],
    ['', []],
  ];
  for (const [text, emails] of cases) t.deepEqual(readAddresses(text).emails, emails, text);
});

test('what is no address is reported with its line, and a repeated one is counted', t => {
  const read = readAddresses('email\nada@a.example\nnobody\nADA@a.example\n<x>@y.example\n');
  t.deepEqual(read.emails, ['ada@a.example']);
  t.deepEqual(
    read.refused.map(({ line }) => line),
    [3, 5],
  );
  t.is(read.repeated, 1);
});

test('any text is read without an error, and in bounded time', t => {
  fc.assert(fc.property(fc.string({ maxLength: 2000 }), text => readAddresses(text).emails.length >= 0));
  const started = performance.now();
  readAddresses(`${'"'.repeat(50_000)}\n${'a,'.repeat(50_000)}\n`);
  t.true(performance.now() - started < 10_000);
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
  t.deepEqual(readAddresses(subscribersCsv([{ ...subscriber, email: 'ada@a.example' }])).emails, ['ada@a.example']);
});
