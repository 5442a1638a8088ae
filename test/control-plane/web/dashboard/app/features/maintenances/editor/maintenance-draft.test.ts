import test from 'ava';
import { maintenancePostSchema } from '#control-plane/monitoring/maintenances/maintenance.ts';
import {
  copyOfMaintenance,
  draftOfMaintenance,
  isRecurring,
  maintenanceBody,
  maintenanceChanges,
  newMaintenance,
  notifyOf,
} from '#control-plane/web/dashboard/app/features/maintenances/editor/maintenance-draft.ts';
import { noRecurrence } from '#control-plane/web/dashboard/app/features/maintenances/recurrence.ts';
import { nowMs, sampleMaintenance } from '../../../samples.ts';

test('a window that is opened and saved untouched changes nothing; a copy begins anew', t => {
  const once = sampleMaintenance();
  const draft = draftOfMaintenance(once, 'Europe/Berlin');
  t.is(draft.start, '2026-12-01T03:00');
  t.deepEqual(maintenanceChanges(draft, draft), {});
  const body = maintenanceBody(draft);
  t.like(body, { starts_at: once.starts_at, ends_at: once.ends_at, schedule: null, notify: once.notify });
  t.true(maintenancePostSchema.safeParse(body).success);
  const copy = copyOfMaintenance(once, nowMs + 1, 'UTC');
  t.like(copy, { title: 'Database upgrade (copy)', start: '2026-11-21T11:00', end: '2026-11-21T12:30' });

  const schedule = {
    start: '2026-12-06T02:30:00',
    timezone: 'Europe/Berlin',
    duration_seconds: 5400,
    rrule: 'FREQ=WEEKLY;BYDAY=SU',
    exclude: ['2026-12-27'],
  };
  const recurring = draftOfMaintenance(sampleMaintenance({ starts_at: null, ends_at: null, schedule }), 'UTC');
  t.true(isRecurring(recurring));
  t.deepEqual(maintenanceBody(recurring).schedule, schedule);
  t.true(maintenancePostSchema.safeParse(maintenanceBody(recurring)).success);
  t.is(copyOfMaintenance(sampleMaintenance({ schedule }), nowMs, 'UTC').start, '2026-12-06T02:30');
  const stopped = { ...recurring, recurrence: noRecurrence };
  t.deepEqual(maintenanceChanges(recurring, stopped), {
    starts_at: '2026-12-06T01:30:00.000Z',
    ends_at: '2026-12-06T03:00:00.000Z',
    schedule: null,
  });
});

test('a new window is valid but for its title and scope, and notifies as the API does by default', t => {
  const draft = { ...newMaintenance(nowMs + 1, 'UTC'), title: ' Upgrade ', selector: ' tier=db ' };
  t.like(draft, { start: '2026-11-21T11:00', end: '2026-11-21T12:00' });
  const body = maintenanceBody(draft);
  t.like(body, { title: 'Upgrade', notify: ['announced', 'updates'] });
  t.is(body.scope.selector, 'tier=db');
  t.true(maintenancePostSchema.safeParse(body).success);
  const weekly = { ...draft, recurrence: { ...noRecurrence, repeat: 'weekly' as const } };
  t.deepEqual(notifyOf(weekly), ['updates']);
  t.deepEqual(notifyOf({ ...weekly, notify: [] }), []);
  t.is(maintenanceBody({ ...draft, start: '' }).starts_at, null);
  t.is(JSON.stringify({ settle: maintenanceBody({ ...draft, settleSeconds: '' }).settle_seconds }), '{"settle":null}');
});
