import test from 'ava';
import { chooseEdition, type Edition } from '#control-plane/platform/db/series/edition.ts';

type Case = [wanted: 'auto' | Edition, found: Edition, recorded: Edition | null, expected: Edition | RegExp];

const cases: readonly Case[] = [
  ['auto', 'plain', null, 'plain'],
  ['auto', 'apache', null, 'apache'],
  ['auto', 'community', null, 'community'],
  ['plain', 'community', null, 'plain'],
  ['apache', 'community', null, 'apache'],
  // A database created plain stays plain, also when TimescaleDB is installed later.
  ['auto', 'community', 'plain', 'plain'],
  ['auto', 'community', 'apache', 'community'],
  ['community', 'community', 'apache', 'community'],
  ['apache', 'plain', null, /STORAGE=apache is not available: this server offers plain/],
  ['community', 'apache', null, /STORAGE=community is not available/],
  ['auto', 'plain', 'apache', /created with STORAGE=apache and cannot be used with STORAGE=plain/],
  ['auto', 'apache', 'community', /created with STORAGE=community/],
  ['apache', 'apache', 'plain', /created with STORAGE=plain/],
];

for (const [wanted, found, recorded, expected] of cases)
  test(`${wanted} on a server with ${found}, database of ${recorded ?? 'no edition yet'}: ${expected}`, t => {
    const choose = () => chooseEdition(wanted, found, recorded);
    if (expected instanceof RegExp) t.throws(choose, { message: expected });
    else t.is(choose(), expected);
  });
