import type { PlanBacktest, PlannedAlert } from '../backtest/backtest.ts';
import type { Action, Plan } from './plan.ts';

const charactersMax = 60_000;
/** Left for what follows the table of changes. */
const tableMax = 40_000;

/** Pure: a plan as a comment on a pull request. Its first line names the manager, so that a CI replaces its comment. */
export function planMarkdown(plan: Plan): string {
  const { id, manager, counts, expires_at, applicable, reasons } = plan;
  const sums = (['create', 'update', 'adopt', 'delete', 'conflict'] as const).filter(name => counts[name] > 0);
  const sum = [...sums.map(name => `**${counts[name]}** ${sumWords[name]}`), `${counts.unchanged} unchanged`].join(
    ' · ',
  );
  const parts = [
    `<!-- upquorum-plan:${manager} -->`,
    `### Plan of ${escaped(manager)}: ${sum}`,
    applicable ? '' : `It cannot be applied: ${reasons.map(reason => reason.replaceAll('_', ' ')).join(', ')}.`,
    table(['', 'Type', 'Key', 'Name', 'Changes'], plan.actions.map(rowOf), tableMax),
    ...warningParts(plan),
    plan.remaining === 0 ? '' : `${plan.remaining} more changes follow when these are applied.`,
    ...backtestParts(plan),
    `Plan \`${id}\`, until ${expires_at.slice(0, 16).replace('T', ' ')} UTC.`,
  ].filter(part => part !== '');
  return bounded(parts);
}

const sumWords = {
  create: 'to create',
  update: 'to update',
  adopt: 'to adopt',
  delete: 'to delete',
  conflict: 'in conflict',
};

function warningParts({ warnings, applicable, reasons }: Plan): string[] {
  const lines = warnings.map(({ path, line, pointer, detail }) => {
    const where = path === null ? (pointer ?? '') : `${path}:${line}`;
    return `- ${code(where)} ${escaped(detail)}`;
  });
  const uncompared = reasons.includes('uncompared')
    ? 'Secrets and values of the environment were not compared: the token may only read.'
    : '';
  return [applicable ? '' : uncompared, lines.length === 0 ? '' : `Warnings:\n${cut(lines, 3000)}`];
}

function rowOf({ action, type, key, name, reason, changes, drift, drops_votes: dropsVotes }: Action): string {
  const by = drift === null ? [] : [`changed by ${escaped(drift.actor.name ?? drift.actor.id)}, ${time(drift.at)}`];
  const votes = dropsVotes ? ['its votes are dropped'] : [];
  const fields = changes.map(({ pointer, before, after }) => `${code(pointer)} ${shown(before)} → ${shown(after)}`);
  const texts = [...fields, ...votes, ...by];
  const what = reason === null ? texts.join('<br>') : escaped(reason.replaceAll('_', ' '));
  return `| ${action} | ${type.replaceAll('_', ' ')} | ${code(key)} | ${escaped(name ?? '')} | ${what} |`;
}

function backtestParts({ backtest, actions }: Plan): string[] {
  if (backtest === null) return [];
  const { days, monitors, skipped, new: added, gone, moved, uptime } = backtest;
  if (monitors === 0 && skipped === 0) return [];
  const when = days === 1 ? 'the last 24 hours' : `the last ${days} days`;
  const row = (what: string, alert: PlannedAlert, more: string) => {
    const { monitor_key, severity, opened_at } = alert;
    return `| ${[what, code(monitor_key), severity ?? '', time(opened_at), lengthOf(alert), more].join(' | ')} |`;
  };
  const rows = [
    ...added.map(alert => row('new', alert, '')),
    ...gone.map(alert => row('gone', alert, alert.alert_id === null ? '' : code(alert.alert_id))),
    ...moved.map(alert => row('moved', alert, `opened ${later(alert.opened_ms)}`)),
  ];
  const unproven = actions.flatMap(({ key, backtest: own }) => {
    if (own === null) return [];
    if ('skipped' in own) return [`- ${code(key)} was not judged again: ${own.skipped.replaceAll('_', ' ')}`];
    return own.not_replayable.map(
      ({ pointer, reason }) => `- ${code(key)} ${code(pointer)}: ${reason.replaceAll('_', ' ')}`,
    );
  });
  const by = monitors === 1 ? '1 monitor' : `${monitors} monitors`;
  const sum = `${alerts(added.length)} would be new, ${gone.length} gone, ${moved.length} moved`;
  return [
    `Of ${when}, by ${by}: ${sum}.`,
    rows.length === 0 ? '' : table(['', 'Monitor', 'Severity', 'Opened', 'Length', ''], rows, 10_000),
    uptime.length === 0 ? '' : `Uptime: ${uptime.slice(0, 20).map(uptimeOf).join(', ')}`,
    unproven.length === 0 ? '' : `Could not be replayed:\n${cut(unproven, 5000)}`,
  ];
}

function uptimeOf({ monitor_key, before, after }: PlanBacktest['uptime'][number]): string {
  return `${code(monitor_key)} ${percent(before)} → ${percent(after)}`;
}

function table(header: readonly string[], rows: readonly string[], most: number): string {
  if (rows.length === 0) return '';
  return [`| ${header.join(' | ')} |`, `|${' --- |'.repeat(header.length)}`, cut(rows, most)].join('\n');
}

/** Whole lines, and how many more there are. */
function cut(lines: readonly string[], most: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > most) return [...kept, '', `and ${lines.length - kept.length} more`].join('\n');
    kept.push(line);
  }
  return kept.join('\n');
}

function bounded(parts: readonly string[]): string {
  const text = `${parts.join('\n\n')}\n`;
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 2)}…\n`;
}

function alerts(count: number): string {
  return count === 1 ? '1 alert' : `${count} alerts`;
}

function later(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  return seconds === 0 ? 'at the same time' : `${seconds} s ${ms > 0 ? 'later' : 'earlier'}`;
}

function lengthOf({ opened_at, resolved_at }: PlannedAlert): string {
  return resolved_at === null ? 'open' : `${Math.round((Date.parse(resolved_at) - Date.parse(opened_at)) / 1000)} s`;
}

function time(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

function percent(share: number | null): string {
  return share === null ? 'unknown' : `${(share * 100).toFixed(3)} %`;
}

function shown(value: unknown): string {
  const text = value === null || value === undefined ? 'none' : JSON.stringify(value);
  return code(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/** Nothing ends a span of code, or a cell of a table. */
function code(text: string): string {
  return `\`${text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll('`', '´')
    .replaceAll('|', '\\|')}\``;
}

function escaped(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').replaceAll(/[\\`*_{}[\]<>#|@!~&:]/g, '\\$&');
}
