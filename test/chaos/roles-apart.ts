import { wait } from '#shared/wait.ts';
import { audit } from '../bench/load/audit.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { apiOf, until } from '../support/control-plane.ts';
import { openOutages } from './harness/outages.ts';

const rounds = { small: 1, full: 10 };
const outagesPerStep = 5;
/** Longer than any lease, and than a session without a sign of life. */
const stoppedMs = 20_000;
const target = { alertsNotOne: 0, slackNotOne: 0, webhooksNotOne: 0, twice: 0, hoursOff: 0, slowestAlertMs: 20_000 };

/**
 * R17: three gateways, three fronts and three workers. Each in turn is stopped (SIGSTOP) in the middle of outages and
 * goes on, then each is restarted in the middle of outages. The alert of each outage opens meanwhile, exactly once.
 */
export async function stopEachRole(run: RowRun): Promise<Row> {
  const count = run.full ? rounds.full : rounds.small;
  const race = await openOutages(run, count * 2 * 9 * outagesPerStep, { rolesApart: true });
  await race.report(race.monitorIds, 'ok');
  let begun = 0;
  const alertMs: number[] = [];
  const failSome = async (act: () => void | Promise<void>) => {
    const ids = race.monitorIds.slice(begun, begun + outagesPerStep);
    begun += outagesPerStep;
    // A stopped gateway acknowledges later. Two regions are a quorum.
    const reported = race.report(ids, 'err');
    await wait(Math.random() * 40);
    const startedAt = performance.now();
    const acted = act();
    await race.alerts('open', outagesPerStep);
    alertMs.push(performance.now() - startedAt);
    await acted;
    return { ids, reported };
  };
  const recover = async ({ ids, reported }: Awaited<ReturnType<typeof failSome>>) => {
    await reported;
    await race.report(ids, 'ok');
    await race.alerts('resolved', begun);
  };
  for (let number = 0; number < count; number++) {
    for (const process of race.replicas.all) {
      const startedAt = performance.now();
      const failed = await failSome(() => process.stop());
      await wait(Math.max(0, stoppedMs - (performance.now() - startedAt)));
      process.resume();
      await recover(failed);
      run.progress(`${process.name} was stopped`);
    }
    for (const process of race.replicas.all) {
      const failed = await failSome(() => process.restart());
      await until(async () => (await apiOf(process.url(), '')('GET', '/readyz')).status, 200, 60_000);
      await recover(failed);
      run.progress(`${process.name} was restarted`);
    }
  }
  const counts = await race.count();
  const { twice, hoursOff, stored } = await audit(race.site.databaseUrl, []);
  const { alertsNotOne, slackNotOne, webhooksNotOne } = counts;
  const slowestAlertMs = Math.round(Math.max(...alertMs));
  const clean = [alertsNotOne, slackNotOne, webhooksNotOne, twice, hoursOff].every(value => value === 0);
  return {
    name: 'R17',
    figure: { stops: 9 * count, restarts: 9 * count, ...counts, twice, hoursOff, slowestAlertMs },
    target,
    pass: clean && slowestAlertMs < target.slowestAlertMs,
    versions: await race.site.versions(),
    samples: { stored, alertMs: alertMs.map(ms => Math.round(ms)) },
  };
}
