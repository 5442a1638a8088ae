import { badge } from './badge.ts';
import { type Content, type Description, element } from './element.ts';
import type { Alert } from './shapes.ts';
import { ago, spellLong } from './time.ts';
import { lookOf } from './words.ts';

/** One alert in a list, with what can be done about it. */
export function alertRow(alert: Alert, nowMs: number, ...actions: Content[]): Description {
  const look = lookOf('alerts', alert.state);
  return element(
    'li',
    { key: alert.id, class: `card alert ${alert.state === 'resolved' ? 'quiet' : look.tone}` },
    element('div', { class: 'state' }, badge(look), badge(lookOf('severities', alert.severity))),
    element(
      'div',
      { class: 'what' },
      element('a', { class: 'name', href: `#/alerts/${alert.id}` }, alert.title),
      element('span', { class: 'reason' }, reasonOf(alert)),
    ),
    element('div', { class: 'times' }, lasting(alert, nowMs)),
    element('div', { class: 'do' }, actions),
  );
}

export function reasonOf({ reason, regions_failing, regions }: Alert): string {
  const from = reason.region === null ? '' : ` from ${reason.region}`;
  return `${reason.summary}${from}; ${regions_failing.length} of ${regions.length} regions: ${regions_failing.join(', ')}`;
}

function lasting(alert: Alert, nowMs: number): Content {
  if (alert.resolved_at === null) return ['began ', ago(alert.started_at, nowMs)];
  const lastedMs = Date.parse(alert.resolved_at) - Date.parse(alert.started_at);
  return ['began ', ago(alert.started_at, nowMs), `, lasted ${spellLong(lastedMs)}`];
}
