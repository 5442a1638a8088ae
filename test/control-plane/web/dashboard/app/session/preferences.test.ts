import { signal } from '@preact/signals';
import test from 'ava';
import {
  followPerson,
  read,
  type Theme,
  timezoneOf,
  zoneOf,
} from '#control-plane/web/dashboard/app/session/preferences.ts';

test('a stored choice counts only if it is one of those offered', t => {
  const stored = (value: string | null) => read({ getItem: () => value }, 'zone', ['utc', 'local']);
  t.is(stored('local'), 'local');
  t.is(stored('mars'), 'utc');
  t.is(stored(null), 'utc');
});

test('zones are named as the server names them, and one that the browser does not know is its own', t => {
  const zones = ['utc', 'local', 'Asia/Kathmandu'];
  t.deepEqual(zones.map(timezoneOf), ['UTC', null, 'Asia/Kathmandu']);
  t.deepEqual(
    zones.map(zone => zoneOf(timezoneOf(zone))),
    zones,
  );
  t.is(zoneOf('Mars/Olympus'), 'local');
});

test('a person’s choices are taken, and only what they change is kept', t => {
  const own = { theme: signal<Theme>('light'), zone: signal('utc') };
  const kept: object[] = [];
  const end = followPerson(own, { theme: 'dark', timezone: null }, chosen => kept.push(chosen));
  t.deepEqual([own.theme.value, own.zone.value, kept], ['dark', 'local', []]);
  own.zone.value = 'Asia/Kathmandu';
  own.theme.value = 'dark';
  t.deepEqual(kept, [{ theme: 'dark', timezone: 'Asia/Kathmandu' }]);
  end();
  own.theme.value = 'system';
  t.is(kept.length, 1);
});
