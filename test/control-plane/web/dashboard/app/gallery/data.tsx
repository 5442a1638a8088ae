import { AlertRow } from '#control-plane/web/dashboard/app/features/alerts/alert-row.tsx';
import { foldChecks } from '#control-plane/web/dashboard/app/features/monitors/checks/check-groups.ts';
import { CheckTable } from '#control-plane/web/dashboard/app/features/monitors/checks/check-table.tsx';
import { AgentTable } from '#control-plane/web/dashboard/app/features/regions/agent-table.tsx';
import { Markdown } from '#control-plane/web/dashboard/app/kit/markdown.tsx';
import { UptimeBars } from '#control-plane/web/dashboard/app/kit/plot/bars.tsx';
import { type Day, dateBefore } from '#control-plane/web/dashboard/app/kit/plot/days.ts';
import { LinePlot } from '#control-plane/web/dashboard/app/kit/plot/plot.tsx';
import type { Agent, CheckResult } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { nowMs, sampleAlert, sampleCheck } from '../samples.ts';

const levels = ['none', 'up', 'up', 'degraded', 'up', 'partial', 'up', 'down'] as const;
const days: readonly Day[] = Array.from({ length: 90 }, (_, index) => ({
  date: dateBefore(nowMs, 89 - index),
  level: levels[Math.floor(index / 12)] ?? 'up',
  bucket: null,
}));
const times = Array.from({ length: 120 }, (_, index) => nowMs / 1000 - (120 - index) * 60);
const plot = {
  times,
  lines: ['eu-west', 'us-east', 'ap-south'].map((label, line) => ({
    label,
    values: times.map((_, index) =>
      index > 60 && index < 70 ? null : 90 + line * 60 + 20 * Math.sin(index / 6 + line),
    ),
  })),
  joined: false,
  spans: [{ from: times[60] ?? 0, to: times[70] ?? 0 }],
};
const error = { code: 'timeout', message: 'no answer within 10 s' } as CheckResult['error'];
const checks = [
  sampleCheck({ id: 'a', status: 'err', status_code: null, latency_ms: null, error }),
  sampleCheck({ id: 'b', status: 'warn', region: 'us', attempt: 2 }),
  ...['c', 'd', 'e'].map(id => sampleCheck({ id, region: 'ap' })),
];
const agent: Agent = {
  id: 'agt_1',
  region: 'office',
  capabilities: ['tls.facts', 'probe.now'],
  incapable: [],
  name: 'office-1',
  version: '0.5.0',
  state: 'online',
  last_seen_at: '2026-11-21T09:59:58.000Z',
  clock_offset_ms: -3.2,
  assignments: 120,
  checks_per_second: 2,
  queue_depth: 0,
  missed_slots: 0,
  late_starts: 0,
  results_dropped: 0,
  spool_count: 0,
  spool_failing: false,
  private: true,
  created_at: '2026-11-20T10:00:00.000Z',
};
const bad = { missed_slots: 12, late_starts: 40, results_dropped: 3, spool_count: 4210, spool_failing: true };
const agents: readonly Agent[] = [
  agent,
  { ...agent, id: 'agt_2', name: 'office-2', ...bad, clock_offset_ms: 2400 },
  { ...agent, id: 'agt_3', name: 'rack-7', state: 'draining', last_seen_at: '2026-11-21T09:59:20.000Z' },
  { ...agent, id: 'agt_4', name: 'rack-8', state: 'offline', last_seen_at: '2026-11-19T10:00:00.000Z' },
  { ...agent, id: 'agt_5', name: 'rack-9', state: 'offline', last_seen_at: null, version: null, clock_offset_ms: null },
];

/** Parts that show data of the API. */
export function Data() {
  return (
    <>
      <ul class="cards">
        <AlertRow alert={sampleAlert()} />
        <AlertRow alert={sampleAlert({ id: 'b', kind: 'degraded', severity: 'p3', title: 'Search is slow' })} />
        <AlertRow alert={sampleAlert({ id: 'c', state: 'acknowledged', severity: 'p2' })} />
        <AlertRow alert={sampleAlert({ id: 'd', held: true, held_since: '2026-11-21T09:50:10.000Z' })} />
        <AlertRow alert={sampleAlert({ id: 'e', state: 'resolved', resolved_at: '2026-11-21T09:58:00.000Z' })} />
      </ul>
      <div class="card">
        <h3>Checks</h3>
        <CheckTable groups={foldChecks(checks)} />
        <h3>Days</h3>
        <UptimeBars days={days} />
        <h3>Latency</h3>
        <LinePlot name="Shop" plot={plot} />
        <h3>Agents</h3>
        <AgentTable agents={agents} refresh={async () => undefined} />
        <h3>Markdown</h3>
        <div class="markdown">
          <Markdown
            text={'A **bold** word, `code`, and a [link](https://up.example/).\n\n> Quoted.\n\n1. First\n2. Second'}
          />
        </div>
      </div>
    </>
  );
}
