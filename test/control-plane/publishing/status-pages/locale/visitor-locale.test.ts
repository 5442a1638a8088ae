import test from 'ava';
import fc from 'fast-check';
import { type Locale, locales } from '#control-plane/publishing/status-pages/locale/language.ts';
import { visitorLocale } from '#control-plane/publishing/status-pages/locale/visitor-locale.ts';
import { anyText } from '#test/support/any-text.ts';

const cases: [header: string, locale: Locale][] = [
  ['', 'en'],
  ['*', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'fr'],
  ['ja, fr;q=0.4, de;q=0.6', 'de'],
  ['en-US,de;q=0.9', 'en'],
  ['de;q=0, fr;q=0.1', 'fr'],
  ['de;q=x, den, french', 'en'],
  ['DE', 'de'],
  ['de;q=2, fr;q=', 'en'],
];
for (const [header, locale] of cases)
  test(`a visitor who sends "${header}" reads ${locale}`, t => {
    t.is(visitorLocale(header), locale);
  });

test('whatever is sent, the answer is one of our languages', t => {
  fc.assert(fc.property(anyText({ maxLength: 400 }), header => locales.includes(visitorLocale(header))));
  t.pass();
});
