import test from 'ava';
import fc from 'fast-check';
import { DocumentCache } from '#control-plane/publishing/status-pages/serve/document-cache.ts';

test('the bodies used last are cached, up to a number of bytes', t => {
  const cache = new DocumentCache(10);
  cache.set('a', '1', Buffer.alloc(4));
  cache.set('b', '1', Buffer.alloc(4));
  t.truthy(cache.get('a', '1'));
  cache.set('c', '1', Buffer.alloc(4));
  t.deepEqual(
    ['a', 'b', 'c'].map(path => cache.get(path, '1')?.length),
    [4, undefined, 4],
  );
  cache.set('d', '1', Buffer.alloc(11));
  t.is(cache.get('d', '1'), undefined);
});

test('only the version that is asked for is found', t => {
  const cache = new DocumentCache(100);
  cache.set('a', '1', Buffer.from('one'));
  cache.set('a', '2', Buffer.from('two'));
  t.is(cache.get('a', '1'), undefined);
  t.is(cache.get('a', '2')?.toString(), 'two');
  cache.delete('a');
  t.is(cache.get('a', '2'), undefined);
});

test('whatever is set and deleted, the cache never has more bytes than its maximum', t => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 60 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const cache = new DocumentCache(100);
      for (const [path, length, isDeleted] of steps) {
        if (isDeleted) cache.delete(path);
        else cache.set(path, 'v', Buffer.alloc(length));
        const bytes = ['a', 'b', 'c', 'd'].reduce((sum, name) => sum + (cache.get(name, 'v')?.length ?? 0), 0);
        t.true(bytes <= 100);
        if (!isDeleted) t.is(cache.get(path, 'v')?.length, length);
      }
    }),
  );
});
