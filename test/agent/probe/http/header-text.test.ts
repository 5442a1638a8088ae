import test from 'ava';
import fc from 'fast-check';
import { headerAddress, headerText } from '#agent/probe/http/header-text.ts';

const asNodeReads = (bytes: Buffer) => bytes.toString('latin1');

test('any text sent as UTF-8 is read as that text', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      t.is(headerText(asNodeReads(Buffer.from(text))), text);
      t.is(headerAddress(asNodeReads(Buffer.from(text))), text);
    }),
  );
});

test('bytes that are not UTF-8 are Latin-1 as text, and escaped one by one in an address', t => {
  const value = asNodeReads(Buffer.from([0x2f, 0xe9, 0x62]));
  t.is(headerText(value), '/éb');
  t.is(headerAddress(value), '/%E9b');
});
