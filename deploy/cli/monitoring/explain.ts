import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/failure.ts';
import type { Terminal } from '../frame/terminal.ts';
import { wrap } from '../frame/text.ts';
import { findMonitor } from './find-monitor.ts';
import { durationText, stateCell, timeText } from './inks.ts';

type Explanation = Schemas['AlertExplanation'];

export const explainCommand: Command = {
  name: 'explain',
  summary: 'Say why an alert opened, and who was notified',
  args: 'ALERT|MONITOR',
  arity: [1, 1],
  notes: ['Of a monitor: its newest alert.'],
  examples: ['upquorum explain alt_…', 'upquorum explain "Checkout"'],
  run: async ({ connect, terminal, args }) => {
    const session = await connect();
    const id = await alertOf(session, args[0] ?? '');
    const explanation = await dataOf(session.client.GET('/v0/alerts/{id}/explanation', { params: { path: { id } } }));
    if (terminal.isJson) terminal.json(explanation);
    else show(terminal, explanation);
  },
};

async function alertOf(session: Session, given: string): Promise<string> {
  if (/^alt_[a-z0-9]{26}$/i.test(given)) return given;
  const monitor = await findMonitor(session, given);
  const query = { monitor_id: monitor.id, limit: 1 };
  const { data } = await dataOf(session.client.GET('/v0/alerts', { params: { query } }));
  const [alert] = data;
  if (alert === undefined)
    throw new CommandError(
      `${monitor.name} has no alert`,
      `It is ${monitor.status} since ${timeText(monitor.status_since)}.`,
    );
  return alert.id;
}

function show(terminal: Terminal, explanation: Explanation): void {
  const { sentence, votes, certificates, domain, flips, clock, deliveries, missing } = explanation;
  terminal.line(wrap(sentence, Math.min(terminal.width, 100)));
  section(terminal, 'Votes', votes.length);
  terminal.table(
    ['REGION', 'VOTE', 'SINCE', 'COUNTED', 'CHECK'],
    votes.map(({ region, vote, since, counted, why_not, check }) => [
      region,
      stateCell(vote),
      timeText(since),
      counted ? 'yes' : `no: ${(why_not ?? '').replaceAll('_', ' ')}`,
      check?.error?.message ?? '',
    ]),
  );
  for (const { region, days_left, valid_to } of certificates)
    terminal.line(`${region}: the certificate ends in ${days_left} days, at ${timeText(valid_to)}`);
  if (domain !== null)
    terminal.line(`the registration ends in ${domain.days_left.toFixed(1)} days, at ${timeText(domain.ends_at)}`);
  section(terminal, 'What would have been', flips.length);
  for (const { region, vote, verdict } of flips)
    terminal.line(`If ${region} had voted ${vote}, the monitor would have been ${verdict}.`);
  const instants = clockLines(clock);
  section(terminal, 'Clock', instants.length);
  terminal.table(['WHEN', 'WHAT', 'AFTER'], instants);
  section(terminal, 'Notified', deliveries.length);
  terminal.table(
    ['CHANNEL', 'STATE', 'SENT'],
    deliveries.map(({ channel, state, sent_at }) => [channel, state, timeText(sent_at)]),
  );
  for (const { what, why } of missing) terminal.note(`${what} is missing: ${why}`);
}

function section(terminal: Terminal, title: string, size: number): void {
  if (size > 0 && terminal.isRead) terminal.line(`\n${terminal.paint(title, 'bold')}`);
}

const steps = [
  ['last_good', 'the last check that was good'],
  ['failing', 'the first check that failed was due'],
  ['failed', 'it failed'],
  ['reported', 'its agent reported it'],
  ['confirm_asked', 'other regions were asked to confirm'],
  ['quorum', 'the quorum was reached'],
  ['opens', 'the alert was due to open'],
  ['created', 'it opened'],
  ['told', 'channels were chosen'],
  ['sent', 'the first message was sent'],
] as const;

/** Each instant, and how long after the one before it. */
function clockLines(clock: Explanation['clock']): string[][] {
  let before: number | null = null;
  return steps.flatMap(([name, text]) => {
    const at = clock[name];
    if (at === null) return [];
    const ms = Date.parse(at);
    const after = before === null ? '' : `+${durationText(ms - before)}`;
    before = ms;
    return [[`${timeText(at).slice(0, -1)}.${at.slice(20, 23)}Z`, text, after]];
  });
}
