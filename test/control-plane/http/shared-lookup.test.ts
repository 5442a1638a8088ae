import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { callerAddress, limitKey } from '#control-plane/http/caller-address.ts';
import { sharedLookup } from '#control-plane/http/shared-lookup.ts';
import { parseRange } from '#shared/network/guard.ts';

test('lookups at once are shared, and an answer is never older than its question', async t => {
  const starts: number[] = [];
  const finish: (() => void)[] = [];
  const look = sharedLookup(
    () =>
      new Promise<number>(resolve => {
        const number = starts.push(starts.length);
        finish.push(() => resolve(number));
      }),
  );
  const first = look('k');
  const second = look('k');
  const third = look('k');
  t.is(starts.length, 1);
  finish[0]?.();
  t.is(await first, 1);
  await new Promise(setImmediate);
  t.is(starts.length, 2, 'who asked meanwhile shares one that began later');
  const fourth = look('k');
  finish[1]?.();
  t.deepEqual([await second, await third], [2, 2]);
  await new Promise(setImmediate);
  finish[2]?.();
  t.is(await fourth, 3);
});

test('a lookup that fails fails for those who share it, and the next is tried again', async t => {
  let count = 0;
  const look = sharedLookup(async key => {
    count += 1;
    await new Promise(setImmediate);
    if (count < 3) throw new Error(`${key} ${count}`);
    return count;
  });
  const [first, second, third] = await Promise.allSettled([look('k'), look('k'), look('k')]);
  t.deepEqual([first?.status, second?.status, third?.status], ['rejected', 'rejected', 'rejected']);
  t.is(await look('k'), 3);
});

test('the address of a caller is the socket’s, or what trusted proxies say from the nearest outwards', t => {
  const trusted = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'].flatMap(text => {
    const range = parseRange(text);
    return range === null ? [] : [range];
  });
  const cases: [socket: string, forwarded: string | undefined, expected: string][] = [
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '192.0.2.9, 198.51.100.1, 10.0.0.7', '198.51.100.1'],
    ['127.0.0.1', 'nonsense', '127.0.0.1'],
    ['fd00::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['', undefined, ''],
  ];
  for (const [remoteAddress, forwarded, expected] of cases) {
    const request = {
      socket: { remoteAddress },
      headers: { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage;
    t.is(limitKey(callerAddress(request, trusted)), expected);
  }
  t.is(parseRange('nowhere'), null);
});
