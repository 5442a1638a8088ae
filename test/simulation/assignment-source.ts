import type { LoadedAssignment } from '#control-plane/assignments/load.ts';
import type { PlannedMonitor } from '#control-plane/assignments/store.ts';
import type { Sql } from '#control-plane/db/sql.ts';
import { offsetMs } from '#shared/slots.ts';
import type { Database } from './database.ts';
import type { Process } from './process.ts';
import type { MonitorRow, Rows } from './rows.ts';

/** Answers the statements of `assignments/catalogue.ts` from the rows. */
export function catalogueSql(database: Database, process: Process): Sql {
  const answer = (statement: string, values: readonly unknown[]) => (rows: Rows) => {
    const since = Number(values[0]);
    if (statement.includes('join agents')) return withXid(rows, agentsSince(rows, since));
    if (statement.includes('join monitors')) return withXid(rows, plannedSince(rows, since));
    return plannedSince(rows, 0).filter(({ active, id }) => active && id > String(values[0]));
  };
  return {
    once: async () => [],
    run: async () => 0,
    rows: async <Row>(text: TemplateStringsArray | string, ...values: readonly unknown[]) =>
      (await database.transact(process, answer(String(text), values))) as Row[],
    row: async <Row>() => (await database.transact(process, ({ xid }) => ({ xid: String(xid) }))) as Row,
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
  return found.map(({ id, region, online, sessionId }) => ({
    id,
    region,
    online,
    revoked: false,
    session_id: sessionId,
  }));
}

type PlannedRow = Omit<PlannedMonitor, 'version' | 'configuredAt'> & { config_version: number; configured_at: number };

function plannedSince(rows: Rows, xid: number): PlannedRow[] {
  return [...rows.monitors.values()].filter(row => row.xid >= xid).map(planned);
}

function planned({ id, configuredAt, versions }: MonitorRow): PlannedRow {
  const rules = versions.at(-1)?.stored.rules;
  const { configVersion = 0, regions = [], enabled = false } = rules ?? {};
  return { id, config_version: configVersion, configured_at: configuredAt, regions, active: enabled };
}

function withXid({ xid }: Rows, found: readonly object[]) {
  return (found.length === 0 ? [{ id: null }] : found).map(row => ({ ...row, next_xid: String(xid) }));
}
