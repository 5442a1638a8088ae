import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Any character but half a surrogate pair. fast-check's own takes a second for each process to set up. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map(code => String.fromCodePoint(code < surrogates.first ? code : code + surrogates.count));

/** Text of any characters; lengths are counted in characters. */
export function anyText(lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: anyCharacter });
}
