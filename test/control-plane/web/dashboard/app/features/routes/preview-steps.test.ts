import test from 'ava';
import { previewSteps } from '#control-plane/web/dashboard/app/features/routes/preview-steps.ts';

test('who would be notified is told by the time from the alert on', t => {
  const at = Date.parse('2026-11-21T10:00:00Z');
  const route = {
    id: 'rte_1',
    steps: [
      { due_at: '2026-11-21T10:00:05.000Z', channel_ids: ['a'] },
      { due_at: '2026-11-21T10:15:00.000Z', channel_ids: ['b', 'c'] },
      { due_at: null, channel_ids: ['a'] },
    ],
    reminders: [{ due_at: '2026-11-21T11:15:00.000Z' }],
    held_until: null,
  };
  t.deepEqual(
    previewSteps(route, at, id => id.toUpperCase()),
    [
      { when: 'at once', names: ['A'] },
      { when: 'after 15 min', names: ['B', 'C'] },
      { when: 'never', names: ['A'] },
      { when: 'after 1 h 15 min', names: ['reminder, if nobody acknowledges'] },
    ],
  );
});
