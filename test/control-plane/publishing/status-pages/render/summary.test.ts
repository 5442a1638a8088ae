import test from 'ava';
import { renderSummary } from '#control-plane/publishing/status-pages/render/summary.ts';
import { shownStatuses } from '#shared/vocabulary.ts';
import { outageModel, sampleComponent, sampleIncident, sampleModel } from '#test/support/page-model.ts';

type Summary = {
  page: Record<string, unknown>;
  status: { indicator: string; description: string };
  components: Record<string, unknown>[];
  incidents: (Record<string, unknown> & { incident_updates: Record<string, unknown>[]; components: unknown[] })[];
  scheduled_maintenances: unknown[];
};
const read = (model = outageModel()) => JSON.parse(renderSummary(model)) as Summary;

test('the summary has the shape that status-page clients read', t => {
  const summary = read();
  t.deepEqual(Object.keys(summary), ['page', 'status', 'components', 'incidents', 'scheduled_maintenances']);
  t.deepEqual(summary.page, {
    id: 'sp_01jd6q4m3v8y0x9w2t5r7n1k3h',
    name: 'Acme Payments',
    url: 'https://status.example/status/acme',
    time_zone: 'UTC',
    updated_at: '2026-11-21T14:05:00.000Z',
  });
  t.deepEqual(summary.status, { indicator: 'critical', description: 'Some systems are down' });
  t.deepEqual(summary.scheduled_maintenances, []);
  const [incident] = summary.incidents;
  t.like(incident, {
    id: 'inc_staged',
    name: 'Card payments fail in Europe',
    status: 'identified',
    impact: 'critical',
    started_at: '2026-11-21T13:08:00.000Z',
    resolved_at: null,
    page_id: 'sp_01jd6q4m3v8y0x9w2t5r7n1k3h',
    shortlink: 'https://status.example/status/acme/incidents/inc_staged',
  });
  t.deepEqual(
    incident?.incident_updates.map(({ id }) => id),
    ['upd_staged_1', 'upd_staged_0'],
  );
  t.like(incident?.incident_updates[0], {
    status: 'identified',
    incident_id: 'inc_staged',
    created_at: '2026-11-21T13:35:00.000Z',
    display_at: '2026-11-21T13:35:00.000Z',
    updated_at: '2026-11-21T13:43:00.000Z',
  });
  t.is(incident?.components.length, 2);
});

test('groups are components that name their members', t => {
  const { components } = read();
  const groups = components.filter(({ group }) => group === true);
  t.deepEqual(
    groups.map(({ name, status }) => [name, status]),
    [
      ['Payments', 'major_outage'],
      ['Platform', 'degraded_performance'],
    ],
  );
  for (const group of groups) {
    const members = components.filter(({ group_id }) => group_id === group.id).map(({ id }) => id);
    t.deepEqual(group.components, members);
    t.true(members.length > 0);
  }
  t.is(new Set(components.map(({ id }) => id)).size, components.length);
});

const indicators = {
  operational: 'none',
  unknown: 'minor',
  under_maintenance: 'maintenance',
  degraded_performance: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
};
for (const status of shownStatuses)
  test(`a component that is ${status} makes the page ${indicators[status]}`, t => {
    const summary = read(sampleModel({ components: [sampleComponent({ status }), sampleComponent({ id: 'comp_1' })] }));
    t.is(summary.status.indicator, indicators[status]);
    t.is(summary.components[0]?.status, status);
    t.is(summary.status.description === 'All systems operational', status === 'operational');
  });

test('impact is in the words of the format', t => {
  const impacts = (['none', 'degraded', 'partial', 'major'] as const).map(impact => sampleIncident({ impact }));
  t.deepEqual(
    read(sampleModel({ openIncidents: impacts })).incidents.map(({ impact }) => impact),
    ['none', 'minor', 'major', 'critical'],
  );
});
