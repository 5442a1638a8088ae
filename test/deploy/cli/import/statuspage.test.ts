import test from 'ava';
import { type Item, SourceError } from '#deploy/cli/import/imported.ts';
import { importStatuspage } from '#deploy/cli/import/statuspage/statuspage.ts';
import { choices, errorsOf, reported } from './documents.ts';

// Written after Statuspage's reference of its API, and what public pages serve below `/api/v2`.

const file = (path: string, value: unknown) => ({ path, text: JSON.stringify(value) });
const page = { id: 'p1', name: 'Acme', url: 'https://status.acme.example', time_zone: 'Berlin' };
const components = [
  { id: 'g1', name: 'Apps', group: true, position: 2, status: 'operational', components: ['c1'] },
  {
    id: 'c1',
    name: 'Web',
    group: false,
    group_id: 'g1',
    position: 1,
    status: 'major_outage',
    description: 'The web',
    showcase: false,
  },
  { id: 'c2', name: 'API', group: false, group_id: null, position: 1, status: 'operational' },
];
const incident = {
  id: 'i1',
  name: 'Slow',
  status: 'postmortem',
  impact: 'major',
  created_at: '2026-09-01T10:00:00.000Z',
  components: [{ id: 'c1' }],
  incident_updates: [
    { status: 'postmortem', body: 'Why', created_at: '2026-09-02T10:00:00.000Z' },
    { status: 'resolved', body: 'Done', created_at: '2026-09-01T12:00:00.000Z' },
    { status: 'investigating', body: 'Looking', created_at: '2026-09-01T10:00:00.000Z' },
  ],
};

test('a page with its components, past incidents, windows and emails', t => {
  const imported = importStatuspage(
    [
      file('summary.json', {
        page,
        components,
        incidents: [],
        scheduled_maintenances: [
          {
            id: 'm1',
            name: 'Move',
            impact: 'maintenance',
            scheduled_for: '2026-12-01T02:00:00Z',
            scheduled_until: '2026-12-01T04:00:00Z',
            components: [{ id: 'c2' }],
            incident_updates: [{ body: 'We move.' }],
          },
          {
            id: 'm2',
            name: 'Moved',
            impact: 'maintenance',
            scheduled_for: '2026-01-01T02:00:00Z',
            scheduled_until: '2026-01-01T04:00:00Z',
          },
        ],
      }),
      file('components.json', components),
      file('incidents.json', [
        incident,
        { ...incident, id: 'i2', name: 'Open', incident_updates: incident.incident_updates.slice(2) },
      ]),
      file('subscribers.json', [
        { id: 's1', mode: 'email', email: 'ann@example.org' },
        { id: 's2', mode: 'webhook', endpoint: 'https://example.org/very-secret' },
      ]),
    ],
    { ...choices, regions: [] },
  );
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual((imported.document.status_pages as Item[])[0], {
    key: 'acme',
    name: 'Acme',
    slug: 'acme',
    timezone: 'Europe/Berlin',
    components: [
      { key: 'api', name: 'API' },
      { key: 'web', name: 'Web', description: 'The web', group: 'Apps', show_uptime: false },
    ],
  });
  t.like((imported.document.maintenances as Item[])[0], {
    title: 'Move',
    scope: { components: ['acme/api'] },
    announced: true,
  });
  t.is(reported(imported, 'maintenance', 'Moved')?.outcome, 'left_out');
  t.deepEqual(imported.incidents, [
    {
      status_page: 'acme',
      external_id: 'i1',
      title: 'Slow',
      severity: 'p2',
      impact: 'partial',
      affected_components: ['acme/web'],
      started_at: '2026-09-01T10:00:00.000Z',
      updates: [
        { state: 'investigating', body: 'Looking', posted_at: '2026-09-01T10:00:00.000Z' },
        { state: 'resolved', body: 'Done', posted_at: '2026-09-01T12:00:00.000Z' },
      ],
      postmortem_body: 'Why',
    },
  ]);
  t.is(reported(imported, 'incident', 'Open')?.outcome, 'left_out');
  t.deepEqual(imported.subscribers, [{ status_page: 'acme', email: 'ann@example.org' }]);
  t.false(JSON.stringify(imported.items).includes('ann@example.org'));
});

test('another file is refused in a sentence', t => {
  t.throws(() => importStatuspage([file('x.json', { a: 1 })], choices), { instanceOf: SourceError });
});
