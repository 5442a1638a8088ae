import test from 'ava';
import fc from 'fast-check';
import { controlCharacterErrors } from '#control-plane/platform/http/bodies/control-characters.ts';
import { useDatabase } from '#test/support/database.ts';
import { faultsOf } from '#test/support/problem.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test('each text with control characters or half a character is named, at every depth, and no other', t => {
  const clean = fc.string({ unit: 'grapheme' }).filter(text => !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(text));
  const bad = fc.constantFrom('\0', 'a\x07', '\x1b[0m', '\x7f', '\x80', 'a\x9f', '\ud800', 'a\udc00b');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), clean, bad), { maxLength: 20 }), items => {
      const body = { list: items.map(([isBad, good, wrong]) => ({ deep: [isBad ? wrong : good] })) };
      t.deepEqual(
        controlCharacterErrors(body).map(error => ('pointer' in error ? error.pointer : '')),
        items.flatMap(([isBad], index) => (isBad ? [`/list/${index}/deep/0`] : [])),
      );
    }),
  );
});

for (const [key, shown] of [
  ['a\0b', 'a\ufffdb'],
  ['\ud800', '\ufffd'],
  ['\x85', '\x85'],
] as const)
  test(`a key is refused as a text is: ${JSON.stringify(key)}`, t => {
    const detail = 'must not contain control characters in its key';
    t.deepEqual(controlCharacterErrors({ value: [{ [key]: { b: '\0' } }] }), [
      { pointer: `/value/0/${shown}`, code: 'format', detail },
      { pointer: `/value/0/${shown}/b`, code: 'format', detail: 'must not contain control characters' },
    ]);
  });

test.serial('configuration is refused with control characters; a text that is published is cleaned', async t => {
  const { api, page, monitor } = await openStatusWorld(t, databaseOf());
  for (const [method, path, body] of [
    ['PATCH', '/v0/project', { name: 'a\0b' }],
    ['POST', '/v0/tokens', { name: 'a\0b', scopes: ['*'] }],
    ['POST', '/v0/components', { status_page_id: page.id, name: 'a\0b' }],
    ['PATCH', `/v0/monitors/${monitor.id}`, { name: 'a\x85b' }],
  ] as const)
    t.deepEqual(faultsOf(await api(method, path, body)), ['/name format'], path);
  for (const key of ['a\0b', 'a\ud800b', 'a\x85b']) {
    const assertions = [{ type: 'json_path', path: '$', operator: 'eq', value: { [key]: 1 } }];
    const answer = await api('PATCH', `/v0/monitors/${monitor.id}`, { assertions });
    t.deepEqual(faultsOf(answer), [`/assertions/0/value/${key.replace(/[\0\ud800]/, '\ufffd')} format`]);
  }
  const incident = { title: 'Slow\0 pages', severity: 'p3', status_page_id: page.id };
  t.is((await api('POST', '/v0/incidents', incident)).body.title, 'Slow\ufffd pages');
});
