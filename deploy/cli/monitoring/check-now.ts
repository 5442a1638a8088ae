import { setTimeout as wait } from 'node:timers/promises';
import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, itemsOf, queryOf, type Session } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError, exits } from '../frame/failure.ts';
import { findMonitor } from './find-monitor.ts';
import { stateCell, timeText } from './inks.ts';

type Result = Schemas['CheckResult'];

const waitMs = 60_000;
const pollMs = 1000;

export const checkNowCommand: Command = {
  name: 'monitors check-now',
  summary: 'Check a monitor now, in all of its regions',
  args: 'MONITOR',
  arity: [1, 1],
  flags: [{ name: 'wait', summary: 'until each region has answered, for at most 60 s' }],
  notes: ['With --wait, a check that fails ends with exit code 1.'],
  run: async ({ connect, terminal, args, has }) => {
    const session = await connect();
    const { id, name } = await findMonitor(session, args[0] ?? '');
    const asked = await dataOf(
      session.client.POST('/v0/monitors/{id}/check-now', { params: { path: { id } }, body: {} }),
    );
    for (const { region } of asked.unable_regions) terminal.note(`${region} has no agent that can check it.`);
    if (!has('wait')) {
      if (terminal.isJson) terminal.json(asked);
      else if (asked.regions.length > 0) terminal.note(`${name} is being checked in ${asked.regions.join(', ')}.`);
      return;
    }
    const results = await answersOf(session, id, asked.at, asked.regions);
    if (terminal.isJson) terminal.json({ data: results });
    else
      terminal.table(
        ['REGION', 'RESULT', 'AT', 'LATENCY', 'REASON'],
        results.map(({ region, status, latency_ms, started_at, error }) => [
          region,
          stateCell(status),
          timeText(started_at),
          latency_ms === null ? '' : `${latency_ms} ms`,
          error?.message ?? '',
        ]),
      );
    const missing = asked.regions.filter(region => !results.some(result => result.region === region));
    if (missing.length > 0) throw new CommandError(`no answer from ${missing.join(', ')} within 60 s`);
    return results.some(({ status }) => status === 'err') ? exits.error : 0;
  },
};

/** The first result of each region since the call; those that are there when time is up. */
async function answersOf(
  { client }: Session,
  id: string,
  since: string,
  regions: readonly string[],
): Promise<Result[]> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const all = await itemsOf<Result>(cursor =>
      client.GET('/v0/monitors/{id}/checks', { params: { path: { id }, query: queryOf(cursor, { from: since }) } }),
    );
    const first = regions.flatMap(region => all.findLast(result => result.region === region) ?? []);
    if (first.length === regions.length || performance.now() > untilMs) return first;
    await wait(pollMs);
  }
}
