import test from 'ava';
import fc from 'fast-check';
import { instantOfLocal } from '#control-plane/platform/local-time.ts';
import { instantOf, localOf, zoneNameOf, zoneNames } from '#control-plane/web/dashboard/app/session/zoned-time.ts';
import { isFull } from '#test/support/full.ts';
import { nowMs } from '../samples.ts';

const numRuns = isFull ? 1000 : 60;

const start = fc
  .integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 })
  .map(minutes => new Date(minutes * 60_000).toISOString().slice(0, 16));

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

const zone = fc.constantFrom(...zones);

test('a local time leads back to itself in every zone, but where a clock change skips it', t => {
  const zones = zoneNames();
  t.is(zones[0], 'UTC');
  t.is(new Set(zones).size, zones.length);
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 1.7e12, max: 1.95e12 }), (zone, ms) => {
      const minute = Math.floor(ms / 60_000) * 60_000;
      const again = instantOf(localOf(minute, zone), zone) ?? Number.NaN;
      // An hour that exists twice is read as its first one.
      t.true(again === minute || (again < minute && minute - again <= 86_400_000), `${zone} ${minute}`);
      t.is(localOf(again, zone), localOf(minute, zone));
    }),
    { numRuns },
  );
  for (const text of ['', 'tomorrow', '2026-13-01T00:00', '2026-12-01T25:00']) t.is(instantOf(text, 'UTC'), null);
  t.is(instantOf('2026-12-01T02:00', 'Mars/Olympus'), null);
  t.is(localOf(nowMs, 'Mars/Olympus'), '');
});

test('a local time is the same instant as in the API, also across clock changes', t => {
  fc.assert(
    fc.property(start, zone, (local, name) => {
      const ms = instantOf(local, name);
      t.is(ms, instantOfLocal(Date.parse(`${local}Z`), name));
    }),
  );
  t.is(localOf(instantOf('2026-12-01T02:00', 'Europe/Berlin') ?? 0, 'Europe/Berlin'), '2026-12-01T02:00');
  t.is(instantOf('2026-03-29T02:30', 'Europe/Berlin'), Date.UTC(2026, 2, 29, 1, 30), 'skipped: with the offset before');
  t.is(instantOf('2026-10-25T02:30', 'Europe/Berlin'), Date.UTC(2026, 9, 25, 0, 30), 'twice: the first');
  t.is(instantOf('', 'UTC'), null);
  t.is(instantOf('2026-12-01T02:00', 'Europe/Atlantis'), null);
  t.is(localOf(0, 'Europe/Atlantis'), '');
  t.is(zoneNameOf('utc'), 'UTC');
  t.is(zoneNames()[0], 'UTC');
  t.true(zoneNames().includes(zoneNameOf('local')) || zoneNameOf('local') === 'UTC');
});
