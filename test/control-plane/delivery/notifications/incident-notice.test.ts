import test from 'ava';
import { type IncidentNotice, noticePayload } from '#control-plane/delivery/notifications/incident-notice.ts';

const notice: IncidentNotice = {
  update: { id: 'upd_1', state: 'resolved', body: 'Fixed.', postedAt: 3000, rendered: null },
  incident: {
    id: 'inc_1',
    title: 'Checkout fails',
    impact: 'major',
    startedAt: 1000,
    resolvedAt: 3000,
    components: [{ id: 'comp_1', name: 'API' }],
  },
  page: { id: 'sp_1', name: 'Acme', slug: 'acme', domain: null, timezone: 'UTC', locale: 'en' },
};

test('a subscriber’s webhook gets what the public page shows, and no more', t => {
  t.deepEqual(noticePayload(notice, 'https://up.example'), {
    type: 'incident.updated',
    timestamp: '1970-01-01T00:00:03.000Z',
    data: {
      status_page: { id: 'sp_1', name: 'Acme', url: 'https://up.example/status/acme' },
      incident: {
        id: 'inc_1',
        title: 'Checkout fails',
        impact: 'major',
        components: [{ id: 'comp_1', name: 'API' }],
        started_at: '1970-01-01T00:00:01.000Z',
        resolved_at: '1970-01-01T00:00:03.000Z',
        url: 'https://up.example/status/acme/incidents/inc_1',
      },
      update: { id: 'upd_1', state: 'resolved', body: 'Fixed.', posted_at: '1970-01-01T00:00:03.000Z' },
    },
  });
});

test('an open incident has no end', t => {
  const open = { ...notice, incident: { ...notice.incident, resolvedAt: null } };
  t.is(noticePayload(open, '').data.incident.resolved_at, null);
});
