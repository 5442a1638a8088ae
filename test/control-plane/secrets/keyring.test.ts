import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { hashBearer, isBearer, newBearer } from '#control-plane/secrets/bearer.ts';
import { createKeyring, newSecretKey } from '#control-plane/secrets/keyring.ts';
import { isId, newId } from '#shared/ids.ts';

test('what is sealed opens again, for its own context only, and not after a change', t => {
  const ring = createKeyring([newSecretKey()]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, place) => {
      const sealed = ring.seal(text, 'row 1');
      t.is(ring.open(sealed, 'row 1'), text);
      t.throws(() => ring.open(sealed, 'row 2'));
      const changed = Uint8Array.from(sealed);
      changed[place % changed.length] = (changed[place % changed.length] ?? 0) ^ 1;
      t.throws(() => ring.open(changed, 'row 1'));
    }),
  );
});

test('keys rotate: the first seals, all open', t => {
  const [old, fresh] = [newSecretKey(), randomBytes(32).toString('hex')];
  const sealed = createKeyring([old]).seal('x', 'c');
  t.is(createKeyring([fresh, old]).open(sealed, 'c'), 'x');
  t.throws(() => createKeyring([fresh]).open(sealed, 'c'), { message: /no key/ });
  const again = createKeyring([fresh, old]).seal('x', 'c');
  t.is(createKeyring([fresh]).open(again, 'c'), 'x');
  t.throws(() => createKeyring(['short']), { message: /32 bytes/ });
  t.throws(() => createKeyring([]));
});

test('a bearer is recognised by its checksum, and no two are alike', t => {
  const bearers = Array.from({ length: 200 }, () => newBearer('upq'));
  t.is(new Set(bearers).size, 200);
  for (const bearer of bearers) {
    t.true(isBearer('upq', bearer));
    t.false(isBearer('upa', bearer));
    const typo = bearer.replace(/.$/, last => (last === 'x' ? 'y' : 'x'));
    t.false(isBearer('upq', typo));
  }
  t.is(hashBearer('a').length, 32);
});

test('ids sort by the time they were made and are told by their prefix', t => {
  const [older, newer] = [newId('mon', 1_700_000_000_000), newId('mon', 1_700_000_000_001)];
  t.true(older < newer);
  t.true(isId('mon', older));
  t.false(isId('alt', older));
});
