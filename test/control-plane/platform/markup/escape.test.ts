import test from 'ava';
import fc from 'fast-check';
import { allowedText, escapeText, pathPart, toSafeJson, webAddress } from '#control-plane/platform/markup/escape.ts';
import { anyText } from '#test/support/any-text.ts';

test('text is escaped the same whether or not it is plain ASCII', t => {
  const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyText()), text => {
      const expected = [...allowedText(text)].map(character => references[character] ?? character).join('');
      t.is(escapeText(text), expected);
    }),
  );
  for (let code = 0; code < 0x100; code++) {
    const character = String.fromCharCode(code);
    t.is(escapeText(character), references[character] ?? allowedText(character), `character ${code}`);
  }
});

const allowed: [text: string, result: string][] = [
  ['a\tb\nc\rd', 'a\tb\nc\rd'],
  ['a\u0000\u0008\u000b\u000c\u001fb', 'ab'],
  ['\ud800a\udc00', 'a'],
  ['\u{1f44d}', '\u{1f44d}'],
  ['\ufffe\uffff\ufffd', '\ufffd'],
];
for (const [text, result] of allowed)
  test(`of ${JSON.stringify(text)} a document may contain ${JSON.stringify(result)}`, t => {
    t.is(allowedText(text), result);
  });

test('a part of a path is one segment that needs no escaping in markup', t => {
  t.is(pathPart("a/b?c#d'e <ü>"), 'a%2Fb%3Fc%23d%27e%20%3C%C3%BC%3E');
  fc.assert(
    fc.property(anyText({ minLength: 1 }), text => {
      const part = pathPart(text);
      t.is(escapeText(part), part);
      t.false(part.includes('/'));
      t.is(decodeURIComponent(part), allowedText(text));
    }),
  );
});

test('JSON stays the same value and has no characters that mean something in HTML or scripts', t => {
  t.is(toSafeJson({ a: '</script>&\u2028' }), '{"a":"\\u003c/script\\u003e\\u0026\\u2028"}');
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = toSafeJson(value);
      t.notRegex(text, /[<>&\u2028\u2029]/);
      t.is(JSON.stringify(JSON.parse(text)), JSON.stringify(JSON.parse(JSON.stringify(value))));
    }),
  );
});

const addresses: [text: string, address: string | null][] = [
  ['https://a.example', 'https://a.example/'],
  ['HTTP://A.example/b?c=d e', 'http://a.example/b?c=d%20e'],
  ['https://', null],
  ['javascript:alert(1)', null],
  [' https://a.example', null],
  ['//a.example', null],
  ['/a', null],
  ['data:text/html,x', null],
  ['', null],
];
for (const [text, address] of addresses)
  test(`${JSON.stringify(text)} is ${address === null ? 'not an address to link to' : `linked as ${address}`}`, t => {
    t.is(webAddress(text), address);
  });
