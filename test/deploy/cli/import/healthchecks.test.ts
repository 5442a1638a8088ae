import test from 'ava';
import { importHealthchecks } from '#deploy/cli/import/healthchecks/healthchecks.ts';
import { SourceError } from '#deploy/cli/import/imported.ts';
import { choices, errorsOf, reported, resource } from './documents.ts';

// Written after the answers in healthchecks/healthchecks `templates/docs/api.md`.

const uuid = '31365bce-8da9-4729-8ff3-aaa71d56b712';
const read = (checks: object[]) =>
  importHealthchecks({ path: 'checks.json', text: JSON.stringify({ checks }) }, { ...choices, regions: [] });

test('checks become heartbeats, to which senders change only the host', t => {
  const imported = read([
    {
      name: 'Backups',
      slug: 'backups',
      tags: 'Prod www',
      desc: '',
      grace: 60,
      status: 'up',
      timeout: 3600,
      methods: '',
      channels: '',
      ping_url: `https://hc-ping.com/${uuid}`,
      uuid,
    },
    {
      name: 'Backups',
      slug: 'backups',
      grace: 2_000_000,
      status: 'paused',
      schedule: '15 5 * * *',
      tz: 'Europe/Riga',
      methods: 'POST',
      channels: 'a,b',
      uuid: '803f680d-e89b-492b-82ef-2be7b774a92d',
      success_kw: 'OK',
    },
    { name: 'Calendar', grace: 60, schedule: 'Mon 05:00', tz: 'UTC' },
    { name: 'Read only', grace: 60, timeout: 10, unique_key: 'a6c7b0a8a66bed0df66abfdab3c77736861703ee' },
  ]);
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual(imported.env, {
    MONITORS_BACKUPS_ALIAS: uuid,
    MONITORS_BACKUPS_2_ALIAS: '803f680d-e89b-492b-82ef-2be7b774a92d',
  });
  t.deepEqual(resource(imported, 'monitors', 'backups'), {
    key: 'backups',
    name: 'Backups',
    kind: 'heartbeat',
    interval_seconds: 3600,
    heartbeat: { grace_seconds: 60, slug: 'backups', aliases: [{ $env: 'MONITORS_BACKUPS_ALIAS' }] },
    labels: { prod: 'true', www: 'true' },
  });
  t.deepEqual(resource(imported, 'monitors', 'backups-2'), {
    key: 'backups-2',
    name: 'Backups',
    kind: 'heartbeat',
    heartbeat: {
      cron: '15 5 * * *',
      timezone: 'Europe/Riga',
      grace_seconds: 604_800,
      post_only: true,
      aliases: [{ $env: 'MONITORS_BACKUPS_2_ALIAS' }],
    },
    enabled: false,
  });
  t.deepEqual(
    imported.items[1]?.details.map(({ field }) => field),
    ['grace', 'slug', 'channels', 'success_kw'],
  );
  t.is(reported(imported, 'check', 'Calendar')?.outcome, 'left_out');
  t.like(reported(imported, 'check', 'Read only'), { outcome: 'changed', key: 'read-only' });
});

test('another file is refused in a sentence', t => {
  t.throws(() => importHealthchecks({ path: 'x', text: '[' }, choices), { instanceOf: SourceError });
});
