import test from 'ava';
import { clearDrafts, readDraft, writeDraft } from '#control-plane/web/dashboard/app/kit/form/drafts.ts';

/** Items are own properties, as in a browser. */
function fakeStorage(): Storage {
  const items: Record<string, string> = {};
  return new Proxy({} as Storage, {
    get: (_, name) =>
      ({
        getItem: (key: string) => items[key] ?? null,
        setItem: (key: string, value: string) => {
          items[key] = value;
        },
        removeItem: (key: string) => delete items[key],
      })[String(name)],
    ownKeys: () => Object.keys(items),
    getOwnPropertyDescriptor: (_, key) => ({ value: items[String(key)], enumerable: true, configurable: true }),
  });
}

test('a draft survives until it is sent, and all are gone after signing out', t => {
  const storage = fakeStorage();
  writeDraft('update 1', { body: 'half' }, storage);
  writeDraft('update 2', { body: 'x' }, storage);
  storage.setItem('other', 'stays');
  t.deepEqual(readDraft('update 1', storage), { body: 'half' });
  writeDraft('update 1', { body: '' }, storage);
  t.deepEqual(readDraft('update 1', storage), {});
  storage.setItem('draft broken', '{');
  t.deepEqual(readDraft('broken', storage), {});
  writeDraft('large', { body: 'x'.repeat(200_000) }, storage);
  t.deepEqual(readDraft('large', storage), {});
  clearDrafts(storage);
  t.deepEqual(Object.keys(storage), ['other']);
});
