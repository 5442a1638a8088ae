import fc from 'fast-check';

const keys = ['env', 'team', 'a.b-c_d', 'in', 'constructor'];
const values = ['prod', 'Prod', 'x', 'back end', '', '"', 'é🔥', 'a:b/c+d', '__proto__'];
const blank = fc.constantFrom('', '', ' ', '\t ');

/** Labels that `selectors` are about. */
export const labels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), { maxKeys: 4 });

const key = fc.constantFrom(...keys, '@id', '@name', '@kind');
const value = fc
  .tuple(fc.constantFrom(...values, 'mon_1', 'http', 'Shop'), fc.boolean())
  .map(([text, bare]) => (bare && /^[A-Za-z0-9_.:/+-]+$/.test(text) ? text : JSON.stringify(text)));
const list = fc.array(value, { minLength: 1, maxLength: 3 });
const term = fc.oneof(
  key,
  fc.tuple(blank, key).map(([b, name]) => `!${b}${name}`),
  fc.tuple(key, blank, fc.constantFrom('=', '==', '!='), blank, value).map(parts => parts.join('')),
  fc
    .tuple(key, fc.constantFrom(' in (', '  notin\t( ', ' notin ('), list, blank)
    .map(([name, operator, items, b]) => `${name}${operator}${items.join(`${b},`)}${b})`),
);

/** Selectors of the grammar. */
export const selectors = fc.oneof(
  { arbitrary: fc.constantFrom('*', ' * '), weight: 1 },
  {
    arbitrary: fc
      .tuple(fc.array(term, { minLength: 1, maxLength: 4 }), blank)
      .map(([terms, b]) => `${b}${terms.join(`${b},${b}`)}${b}`),
    weight: 20,
  },
);

/** Texts of the grammar's tokens in any order, most of them wrong. */
export const almostSelectors = fc
  .array(
    fc.constantFrom(
      '*',
      '!',
      '=',
      '==',
      '!=',
      ',',
      '(',
      ')',
      ' ',
      ' in ',
      ' notin ',
      'a',
      'b.c',
      '@id',
      '"x y"',
      '"',
      '\\',
    ),
    {
      minLength: 1,
      maxLength: 9,
    },
  )
  .map(tokens => tokens.join(''));
