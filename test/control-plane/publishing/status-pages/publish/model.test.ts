import test from 'ava';
import fc from 'fast-check';
import type { Row } from '#control-plane/monitoring/verdicts/spans.ts';
import { calendarOf } from '#control-plane/publishing/status-pages/publish/days.ts';
import type { IncidentSpan } from '#control-plane/publishing/status-pages/publish/incident-days.ts';
import { assembleModel } from '#control-plane/publishing/status-pages/publish/model.ts';
import type { PageIncident } from '#control-plane/publishing/status-pages/publish/page-model.ts';
import type { ComponentFacts } from '#control-plane/publishing/status-pages/read-store.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import type { ComponentStatus, Impact, ShownStatus, Verdict } from '#shared/vocabulary.ts';
import { sampleAsOf, sampleIncident, samplePage } from '#test/support/page-model.ts';

const page = samplePage({ historyDays: 3 });
const calendar = calendarOf('UTC', 3, sampleAsOf);

function factsOf(id: string, changes: Partial<ComponentFacts> = {}): ComponentFacts {
  const common = { description: '', group_name: null, position: 0, created_at: 0, updated_at: 0 };
  return {
    id,
    name: id,
    status: 'operational',
    show_uptime: true,
    monitors: [],
    in_scope: false,
    ...common,
    ...changes,
  };
}

function assemble(
  facts: readonly ComponentFacts[],
  current: readonly PageIncident[] = [],
  timelines: Record<string, Row[]> = {},
  spans: Record<string, IncidentSpan[]> = {},
) {
  const url = 'https://status.example/status/acme';
  return assembleModel({
    page,
    url,
    facts,
    current,
    calendar,
    timelines: new Map(Object.entries(timelines)),
    spans: new Map(Object.entries(spans)),
    logo: null,
    nowMs: sampleAsOf,
  });
}

const incidentOn = (ids: string[], impact: Impact, changes: Partial<PageIncident> = {}) =>
  sampleIncident({ components: ids.map(id => ({ id, name: id })), impact, ...changes });

const statuses: [title: string, set: ComponentStatus, impacts: Impact[], verdicts: Verdict[], shown: ShownStatus][] = [
  ['operational without monitors', 'operational', [], [], 'operational'],
  ['what the operator set', 'partial_outage', [], ['up'], 'partial_outage'],
  ['an open incident', 'operational', ['degraded'], ['up'], 'degraded_performance'],
  ['the worst of two incidents', 'operational', ['degraded', 'major'], ['up'], 'major_outage'],
  ['an incident without impact', 'operational', ['none'], ['up'], 'operational'],
  ['a monitor that is down', 'operational', [], ['up', 'down'], 'major_outage'],
  ['a monitor that cannot tell', 'operational', [], ['undetermined', 'up'], 'unknown'],
  ['a degraded monitor, worse than no data', 'operational', [], ['pending', 'degraded'], 'degraded_performance'],
];
for (const [title, set, impacts, verdicts, shown] of statuses)
  test(`a component shows ${title}: ${shown}`, t => {
    const monitors = verdicts.map((verdict, index) => ({ id: `mon_${index}`, verdict }));
    const incidents = impacts.map(impact => incidentOn(['comp_a'], impact));
    const model = assemble([factsOf('comp_a', { status: set, monitors })], incidents);
    t.is(model.components[0]?.status, shown);
    t.is(model.status, shown);
  });

test('an open incident without components of the page affects the page only', t => {
  for (const ids of [[], ['comp_deleted']]) {
    const model = assemble([factsOf('comp_a')], [incidentOn(ids, 'partial')]);
    t.is(model.components[0]?.status, 'operational');
    t.is(model.status, 'partial_outage');
  }
});

test('a resolved incident affects nothing and is listed as recent', t => {
  const open = incidentOn(['comp_a'], 'degraded', { id: 'inc_open' });
  const resolved = incidentOn(['comp_a'], 'major', { id: 'inc_resolved', resolvedAt: sampleAsOf - hourMs });
  const model = assemble([factsOf('comp_a')], [open, resolved]);
  t.is(model.components[0]?.status, 'degraded_performance');
  t.deepEqual([model.openIncidents, model.recentIncidents], [[open], [resolved]]);
});

test('days and uptime come from the monitors, and are null where none is measured or shown', t => {
  const since = sampleAsOf - 3 * dayMs;
  const timelines = {
    mon_a: [{ since, verdict: 'up' } as const],
    mon_b: [{ since, verdict: 'up' } as const, { since: sampleAsOf - 2 * hourMs, verdict: 'down' } as const],
  };
  const monitors = [
    { id: 'mon_a', verdict: 'up' },
    { id: 'mon_b', verdict: 'down' },
  ] as const;
  const model = assemble(
    [
      factsOf('comp_both', { monitors: [...monitors] }),
      factsOf('comp_hidden', { monitors: [...monitors], show_uptime: false }),
      factsOf('comp_unbound'),
      factsOf('comp_new', { monitors: [{ id: 'mon_new', verdict: 'pending' }] }),
    ],
    [],
    timelines,
  );
  const [both, hidden, unbound, fresh] = model.components;
  t.deepEqual(
    both?.days?.map(({ date, level, downMs }) => [date, level, downMs]),
    [
      ['2026-11-19', 'up', 0],
      ['2026-11-20', 'up', 0],
      ['2026-11-21', 'down', 2 * hourMs],
    ],
  );
  const measuredMs = sampleAsOf - (calendar.bounds[0] ?? 0);
  t.is(both?.uptime, (measuredMs - 2 * hourMs) / measuredMs);
  t.deepEqual([hidden?.days, hidden?.uptime, hidden?.incidentCount], [null, null, null]);
  t.deepEqual([unbound?.uptime, unbound?.incidentCount, both?.incidentCount], [null, 0, null]);
  t.deepEqual(
    fresh?.days?.map(({ level }) => level),
    ['none', 'none', 'none'],
  );
  t.is(fresh?.uptime, null);
});

test('without monitors the days are those of the incidents, unless uptime is not shown', t => {
  const span = { impact: 'partial', startedAt: sampleAsOf - dayMs, resolvedAt: sampleAsOf - dayMs + hourMs } as const;
  const facts = [factsOf('comp_a'), factsOf('comp_hidden', { show_uptime: false })];
  const [shown, hidden] = assemble(facts, [], {}, { comp_a: [span], comp_hidden: [span] }).components;
  t.deepEqual(
    shown?.days?.map(({ level }) => level),
    ['up', 'partial', 'up'],
  );
  t.deepEqual([shown?.uptime, shown?.incidentCount, hidden?.days], [null, 1, null]);
});

test('open incidents stand in the order of their weight: impact, severity, latest start', t => {
  const hoursAgo = (hours: number) => sampleAsOf - hours * hourMs;
  const incidents = [
    incidentOn([], 'none', { id: 'none', severity: 'p1', startedAt: hoursAgo(1) }),
    incidentOn([], 'degraded', { id: 'slow', severity: 'p3', startedAt: hoursAgo(2) }),
    incidentOn([], 'major', { id: 'old p1', severity: 'p1', startedAt: hoursAgo(9) }),
    incidentOn([], 'major', { id: 'p2', severity: 'p2', startedAt: hoursAgo(3) }),
    incidentOn([], 'major', { id: 'new p1', severity: 'p1', startedAt: hoursAgo(4) }),
  ];
  t.deepEqual(
    assemble([], incidents).openIncidents.map(({ id }) => id),
    ['new p1', 'old p1', 'p2', 'slow', 'none'],
  );
});

test('components of a group are adjacent, where the first of them is', t => {
  const groups = { a: null, b: 'One', c: 'Two', d: null, e: 'One', f: 'Two', g: null };
  const model = assemble(Object.entries(groups).map(([id, group_name]) => factsOf(id, { group_name })));
  t.is(model.components.map(({ id }) => id).join(''), 'abecfdg');
});

test('grouping loses no component and keeps the order within and outside of groups', t => {
  const names = fc.array(fc.constantFrom(null, 'One', 'Two', 'Three'), { maxLength: 12 });
  fc.assert(
    fc.property(names, groups => {
      const facts = groups.map((group_name, index) => factsOf(`comp_${index}`, { group_name, position: index }));
      const { components } = assemble(facts);
      t.deepEqual(components.map(({ id }) => id).toSorted(), facts.map(({ id }) => id).toSorted());
      for (const name of new Set(groups)) {
        const positions = components.filter(({ group }) => group === name).map(({ position }) => position);
        t.deepEqual(
          positions,
          positions.toSorted((left, right) => left - right),
        );
      }
      const runs = components.filter(({ group }, index) => group !== null && group !== components[index - 1]?.group);
      t.is(runs.length, new Set(groups.filter(group => group !== null)).size);
    }),
  );
});

test('what is read is carried over', t => {
  const model = assemble([factsOf('comp_a', { name: 'API', description: 'v2', created_at: 5, updated_at: 6 })]);
  t.like(model, { page, url: 'https://status.example/status/acme', asOf: sampleAsOf });
  t.like(model.components[0], { name: 'API', description: 'v2', createdAt: 5, updatedAt: 6, group: null });
});

test('no name turns round the words after it', t => {
  const model = assemble([factsOf('comp_a', { name: 'API\u202e', group_name: '\u2067One' })]);
  t.like(model.components[0], { name: 'API', group: 'One' });
});

test('the timelines of components with the same monitors are merged once', t => {
  const ids = Array.from({ length: 20 }, (_, index) => `mon_${index}`);
  let reads = 0;
  class CountedMap extends Map<string, Row[]> {
    override get(id: string): Row[] | undefined {
      reads += 1;
      return super.get(id);
    }
  }
  const timelines = new CountedMap(ids.map(id => [id, [{ since: sampleAsOf - dayMs, verdict: 'up' }]]));
  const monitors = ids.map(id => ({ id, verdict: 'up' as const }));
  const facts = Array.from({ length: 300 }, (_, index) => factsOf(`comp_${index}`, { monitors }));
  const fewer = factsOf('comp_fewer', { monitors: monitors.slice(1) });
  const empty = { page, url: '', current: [], spans: new Map(), logo: null };
  const model = assembleModel({ ...empty, facts: [...facts, fewer], calendar, timelines, nowMs: sampleAsOf });
  t.is(reads, 20 + 19);
  t.is(model.components.length, 301);
  for (const { uptime } of model.components) t.is(uptime, 1);
});
