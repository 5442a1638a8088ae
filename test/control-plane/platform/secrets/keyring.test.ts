import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { hashBearer, isBearer, newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { createKeyring, newSecretKey } from '#control-plane/platform/secrets/keyring.ts';
import { isId, newId } from '#shared/ids.ts';

test('a sealed text opens again, in its own context only, and not after a change', t => {
  const ring = createKeyring([newSecretKey()]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, index) => {
      const sealed = ring.seal(text, 'row 1');
      t.is(ring.open(sealed, 'row 1'), text);
      t.throws(() => ring.open(sealed, 'row 2'));
      const changed = Uint8Array.from(sealed);
      changed[index % changed.length] = (changed[index % changed.length] ?? 0) ^ 1;
      t.throws(() => ring.open(changed, 'row 1'));
    }),
  );
});

test('what 0.3 sealed with the key itself opens', t => {
  const secret = randomBytes(32);
  const [nonce, id] = [randomBytes(12), createHash('sha256').update(secret).digest().subarray(0, 4)];
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from('row 1'));
  const text = Buffer.concat([cipher.update('old', 'utf8'), cipher.final()]);
  const sealed = Buffer.concat([id, nonce, cipher.getAuthTag(), text]);
  const ring = createKeyring([newSecretKey(), secret.toString('base64')]);
  t.is(ring.open(sealed, 'row 1'), 'old');
  t.throws(() => ring.open(sealed, 'row 2'));
  t.throws(() => ring.open(sealed.subarray(0, 20), 'row 1'), undefined, 'a short tag');
});

test('each purpose has a key of its own, and none is the key of the configuration', t => {
  const secret = newSecretKey();
  // Long enough that a wrong key does not give it by chance.
  const text = 'a text of many letters';
  const sealed = Buffer.from(createKeyring([secret]).seal(text, 'answer 1'));
  const openWith = (key: Uint8Array) =>
    createDecipheriv('aes-256-gcm', key, sealed.subarray(4, 16))
      .setAAD(Buffer.from('answer 1'))
      .setAuthTag(sealed.subarray(16, 32))
      .update(sealed.subarray(32))
      .toString();
  const keyOf = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', `upquorum purpose ${purpose}`, 32));
  t.is(openWith(keyOf('answer')), text);
  for (const other of [keyOf('monitor'), Buffer.from(secret, 'base64')]) t.not(openWith(other), text);
});

test('keys rotate: the first seals, all open', t => {
  const [old, fresh] = [newSecretKey(), randomBytes(32).toString('hex')];
  const sealed = createKeyring([old]).seal('x', 'c');
  t.is(createKeyring([fresh, old]).open(sealed, 'c'), 'x');
  t.throws(() => createKeyring([fresh]).open(sealed, 'c'), { message: /no key in SECRETS_KEYS can decrypt/ });
  const again = createKeyring([fresh, old]).seal('x', 'c');
  t.is(createKeyring([fresh]).open(again, 'c'), 'x');
  t.throws(() => createKeyring(['short']), { message: /32 bytes/ });
  t.throws(() => createKeyring([]));
});

test('a bearer secret is recognised by its checksum, and no two are alike', t => {
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

test('ids sort by their time and are recognised by their prefix', t => {
  const [older, newer] = [newId('mon', 1_700_000_000_000), newId('mon', 1_700_000_000_001)];
  t.true(older < newer);
  t.true(isId('mon', older));
  t.false(isId('alt', older));
});
