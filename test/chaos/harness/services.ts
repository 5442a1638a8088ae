import type { RowRun } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';
import { type Api, until, withSql } from '../../support/control-plane.ts';
import { startTarget } from '../../support/target.ts';

/** One monitored service. Its requests are counted, so that results can be compared with what was really checked. */
export type Service = {
  monitorId: string;
  /** From now on it answers 500. */
  fail(): number;
  heal(): number;
  isFailing: boolean;
};

/** Services on one web server in this process, each with a monitor. */
export type Services = {
  list: readonly Service[];
  /** Requests received, by instant of arrival. */
  requests: { path: string; at: number }[];
  /** Waits until all monitors are up. */
  allUp(): Promise<void>;
};

type ServicesOptions = { count: number; regions: readonly string[]; monitor?: Record<string, unknown> };

/** Starts the server and creates the monitors, every ten seconds in the given regions. */
export async function openServices(
  site: Site,
  run: RowRun,
  api: Api,
  { count, regions, monitor }: ServicesOptions,
): Promise<Services> {
  const failing = new Set<string>();
  const requests: { path: string; at: number }[] = [];
  const target = run.opened.use(
    await startTarget((request, response) => {
      const path = request.url ?? '';
      requests.push({ path, at: Date.now() });
      response.statusCode = failing.has(path) ? 500 : 200;
      response.end('ok');
    }),
  );
  const list: Service[] = [];
  for (let index = 0; index < count; index++) {
    const path = `/service-${index}`;
    const made = await api('POST', '/v0/monitors', {
      name: `Service ${index}`,
      url: `${target.url.slice(0, -1)}${path}`,
      interval_seconds: 10,
      timeout_ms: 5000,
      regions,
      assertions: [{ type: 'status', operator: 'eq', value: 200 }],
      ...monitor,
    });
    if (made.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(made.body)}`);
    const service: Service = {
      monitorId: String(made.body.id),
      isFailing: false,
      fail: () => {
        failing.add(path);
        service.isFailing = true;
        return Date.now();
      },
      heal: () => {
        failing.delete(path);
        service.isFailing = false;
        return Date.now();
      },
    };
    list.push(service);
  }
  const ids = list.map(service => service.monitorId);
  return {
    list,
    requests,
    allUp: async () => {
      await until(
        () => countUp(site.databaseUrl, ids),
        up => up === ids.length,
        60_000,
      );
      run.progress(`${ids.length} monitors are up`);
    },
  };
}

function countUp(databaseUrl: string, ids: readonly string[]): Promise<number> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows`
      select 1
      from monitor_states
      where verdict = 'up'
        and monitor_id = any(${[...ids]}::text[])`;
    return rows.length;
  });
}
