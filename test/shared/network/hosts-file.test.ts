import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import test from 'ava';
import { HostsFile, parseHosts } from '#shared/network/hosts-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-hosts-'));
test.after.always(() => rmSync(folder, { recursive: true }));

const cases: [line: string, hosts: Record<string, string[]>][] = [
  ['', {}],
  ['# 127.0.0.1 comment', {}],
  ['127.0.0.1 localhost', { localhost: ['127.0.0.1'] }],
  ['  10.0.0.1\tone  two # three', { one: ['10.0.0.1'], two: ['10.0.0.1'] }],
  ['::1 Localhost LOOPBACK', { localhost: ['::1'], loopback: ['::1'] }],
  ['127.0.0.1 a\n::1 a\n10.0.0.1 a', { a: ['127.0.0.1', '::1', '10.0.0.1'] }],
  ['127.0.0.1 a\r\n::1 b\r\n', { a: ['127.0.0.1'], b: ['::1'] }],
  ['nonsense a', {}],
  ['10.0.0.1', {}],
  ['127.0.0.1#comment a', {}],
  ['fe80::1%lo a', { a: ['fe80::1%lo'] }],
];
for (const [text, hosts] of cases)
  test.serial(`the lines ${JSON.stringify(text)} name ${JSON.stringify(hosts)}`, t => {
    t.deepEqual(Object.fromEntries(parseHosts(text)), hosts);
  });

test.serial('a missing file names nothing', async t => {
  t.deepEqual(await new HostsFile(join(folder, 'missing')).addressesOf('a'), []);
});

test.serial('a changed file is read again after five seconds, and not before', async t => {
  const path = join(folder, 'hosts');
  writeFileSync(path, '10.0.0.1 a\n');
  let nowMs = 1000;
  const now = mock.method(performance, 'now', () => nowMs);
  t.teardown(() => now.mock.restore());
  const hosts = new HostsFile(path);
  t.deepEqual(await hosts.addressesOf('a'), ['10.0.0.1']);
  writeFileSync(path, '10.0.0.2 a\n');
  nowMs += 5000;
  t.deepEqual(await hosts.addressesOf('a'), ['10.0.0.1']);
  nowMs += 1;
  t.deepEqual(await hosts.addressesOf('a'), ['10.0.0.2']);
});
