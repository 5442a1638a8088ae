import type { LoadedAssignment } from '#control-plane/monitoring/assignments/load.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { offsetMs } from '#shared/slots.ts';
import type { Database } from './database.ts';
import type { Process } from './process.ts';
import type { MonitorRow, Rows } from './rows.ts';

/** Answers the statements of `assignments/catalogue.ts` from the rows. */
export function catalogueSql(database: Database, process: Process): Sql {
  const changes = (statement: string, values: readonly unknown[]) => (rows: Rows) => {
    const since = Number(values.at(-1));
    const found = statement.includes('join agents') ? agentsSince(rows, since) : plannedSince(rows, since);
    const position = { xid: String(rows.xid), server: `start ${database.starts}` };
    return (found.length === 0 ? [{ id: null }] : found).map(row => ({ ...row, ...position }));
  };
  const page = (values: readonly unknown[]) => (rows: Rows) => {
    const [regions, after, limit] = [values.find(Array.isArray), values.at(-2), values.at(-1)];
    const active = plannedSince(rows, 0)
      .filter(row => row.active && row.id > String(after) && row.regions.some(code => [regions].flat().includes(code)))
      .sort((left, right) => (left.id < right.id ? -1 : 1))
      .slice(0, Number(limit));
    const ids = active.map(({ id }) => id);
    const versions = active.map(({ config_version }) => config_version);
    const needs = active.map(row => row.needs);
    return [{ ids, versions, regions: active.map(row => row.regions.join(' ')), needs }];
  };
  const answer = async <Row>(work: (rows: Rows) => object[]) => (await database.transact(process, work)) as Row[];
  return {
    run: async () => 0,
    row: async () => null,
    once: <Row>(_: TemplateStringsArray, ...values: readonly unknown[]) => answer<Row>(page(values)),
    rows: async <Row>(text: TemplateStringsArray, ...values: readonly unknown[]) => {
      const statement = String(text);
      if (statement.includes('from regions')) return [{ project_id: null }] as Row[];
      if (statement.includes('where configured_at')) return answer<Row>(configuredSince(Date.parse(String(values[0]))));
      return answer<Row>(changes(statement, values));
    },
  };
}

/** Reads monitors and prepares them for agents of a region, as `loadAssignments` does. */
export function loadAssignments(rows: Rows, ids: readonly string[], region: string): LoadedAssignment[] {
  return ids.flatMap(id => {
    const monitor = rows.monitors.get(id);
    const rules = monitor?.versions.at(-1)?.stored.rules;
    if (monitor === undefined || rules === undefined || !rules.enabled || !rules.regions.includes(region)) return [];
    const { intervalMs, timeoutMs, regions, configVersion } = rules;
    const assignment = {
      monitor_id: id,
      config_version: configVersion,
      lane: 'proj_1',
      url: `https://${id}.example.com/`,
      method: 'GET' as const,
      headers: {},
      body: null,
      interval_ms: intervalMs,
      timeout_ms: timeoutMs,
      offset_ms: offsetMs(id, intervalMs, region, regions),
      follow_redirects: true,
      assertions: [],
    };
    return [{ assignment, bytes: 300, projectId: 'proj_1', configuredAt: monitor.configuredAt }];
  });
}

function agentsSince(rows: Rows, xid: number) {
  const found = [...rows.agents.values()].filter(row => row.xid >= xid);
  return found.map(({ id, region, online, sessionId, lastSeenAt, able }) => ({
    id,
    region,
    online,
    revoked: false,
    session_id: sessionId,
    seen_ms: lastSeenAt,
    able,
  }));
}

function configuredSince(sinceMs: number): (rows: Rows) => object[] {
  return rows => [...rows.monitors.values()].filter(row => planned(row).active && row.configuredAt >= sinceMs);
}

type PlannedRow = { id: string; config_version: number; regions: readonly string[]; needs: string; active: boolean };

function plannedSince(rows: Rows, xid: number): PlannedRow[] {
  return [...rows.monitors.values()].filter(row => row.xid >= xid).map(planned);
}

function planned({ id, versions, needs }: MonitorRow): PlannedRow {
  const rules = versions.at(-1)?.stored.rules;
  const { configVersion = 0, regions = [], enabled = false } = rules ?? {};
  return { id, config_version: configVersion, regions, needs, active: enabled };
}
