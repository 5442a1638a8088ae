import { wait } from '#shared/wait.ts';
import { audit } from '../bench/load/audit.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { openOutages } from './harness/outages.ts';

const outages = { small: 100, full: 1000 };
const target = { alertsNotOne: 0, slackNotOne: 0, webhooksNotOne: 0, twice: 0 };

/** R7: three replicas get the reports of three regions on the same outages at the same time, and on their ends. */
export async function raceReplicas(run: RowRun): Promise<Row> {
  const count = run.full ? outages.full : outages.small;
  const race = await openOutages(run, count);
  await race.report(race.monitorIds, 'ok');
  await wait(1500);
  await race.report(race.monitorIds, 'err');
  await race.alerts('open', count);
  run.progress(`${count} alerts are open`);
  await race.report(race.monitorIds, 'ok');
  await race.alerts('resolved', count);
  const counts = await race.count();
  const { twice, hoursOff, stored } = await audit(race.site.databaseUrl, []);
  const figure = { outages: count, ...counts, twice };
  const { alertsNotOne, slackNotOne, webhooksNotOne } = counts;
  return {
    name: 'R7',
    figure,
    target,
    pass: [alertsNotOne, slackNotOne, webhooksNotOne, twice, hoursOff].every(value => value === 0),
    versions: await race.site.versions(),
    samples: { stored, hoursOff },
  };
}
