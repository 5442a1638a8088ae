import { readFile } from 'node:fs/promises';
import type { Bodies, Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf } from '../connection/session.ts';
import type { Command, Invocation } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import type { Cell } from '../frame/table.ts';
import { findMonitor } from './find-monitor.ts';
import { durationText, timeText } from './inks.ts';

type Backtest = Schemas['Backtest'];
type Body = Bodies['backtestMonitor'];
type Alert = NonNullable<Backtest['diff']>['new'][number];

export const backtestCommand: Command = {
  name: 'backtest',
  summary: 'Judge stored results by other rules of a monitor',
  args: 'MONITOR',
  arity: [1, 1],
  flags: [
    { name: 'set', value: 'FIELD=JSON', isMany: true, summary: 'a field of the monitor; may be repeated' },
    { name: 'changes', value: 'FILE', summary: 'the changes as a JSON object; - reads stdin' },
    { name: 'from', value: 'TIME', summary: 'the first instant (7 days ago)' },
    { name: 'to', value: 'TIME', summary: 'the last instant (now)' },
  ],
  examples: [
    'upquorum backtest Checkout --set quorum=3 --from 2026-11-01T00:00:00Z',
    `upquorum backtest Checkout --set 'alert_rules={"confirm_seconds":120}'`,
  ],
  run: async invocation => {
    const { connect, terminal, args, value } = invocation;
    const changes = await changesOf(invocation);
    const session = await connect();
    const { id } = await findMonitor(session, args[0] ?? '');
    const [from, to] = [value('from'), value('to')];
    const body = { changes, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) } as Body;
    const call = session.client.POST('/v0/monitors/{id}/backtest', { params: { path: { id } }, body });
    const result = await terminal.during('Judging the results again', dataOf(call));
    if (terminal.isJson) return terminal.json(result);
    const rows = rowsOf(result);
    if (rows.length > 0) terminal.table(['CHANGE', 'KIND', 'OPENED', 'LENGTH', 'MOVED'], rows);
    else terminal.note('The alerts would be the same.');
    const { before, after, not_replayable } = result;
    terminal.note(
      `Uptime ${percent(before.uptime)} → ${percent(after?.uptime ?? null)}, of ${result.results} results.`,
    );
    for (const { pointer, reason } of not_replayable)
      terminal.note(`${pointer} could not be replayed: ${reason.replaceAll('_', ' ')}`);
  },
};

async function changesOf({ values, value, terminal }: Invocation): Promise<Record<string, unknown>> {
  const file = value('changes');
  const given = values('set');
  if ((file === null) === (given.length === 0))
    throw new UsageError('`backtest` needs --set or --changes, one of them', 'See `upquorum help backtest`.');
  if (file !== null) {
    const read: unknown = parse(file === '-' ? await terminal.input() : await readFile(file, 'utf8'), file);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read };
    throw new CommandError(`${file} is no JSON object`);
  }
  return Object.fromEntries(
    given.map(text => {
      const [, field, json] = /^([a-z_]+)=([\s\S]*)$/.exec(text) ?? [];
      if (field === undefined || json === undefined)
        throw new UsageError(`${text} is not FIELD=JSON`, 'Such as quorum=3');
      return [field, parse(json, field)];
    }),
  );
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${name} is not JSON`, `Texts need quotes: --set 'url="https://example.com/"'`);
  }
}

function rowsOf({ diff }: Backtest): Cell[][] {
  if (diff === null) return [];
  const row = (what: Cell, alert: Alert, moved = ''): Cell[] => {
    const length =
      alert.resolved_at === null ? 'open' : durationText(Date.parse(alert.resolved_at) - Date.parse(alert.opened_at));
    return [what, alert.kind, timeText(alert.opened_at), length, moved];
  };
  return [
    ...diff.new.map(alert => row({ text: 'new', ink: 'red' }, alert)),
    ...diff.gone.map(alert => row({ text: 'gone', ink: 'green' }, alert)),
    ...diff.moved.map(({ after, opened_ms }) => {
      const later = opened_ms >= 0 ? 'later' : 'earlier';
      return row({ text: 'moved', ink: 'yellow' }, after, `${durationText(Math.abs(opened_ms))} ${later}`);
    }),
  ];
}

function percent(share: number | null): string {
  return share === null ? 'unknown' : `${(share * 100).toFixed(3)} %`;
}
