import type { Alert } from '../data/api-types.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { badge } from './badge.ts';
import { presentation } from './labels.ts';
import { startedAndLasted } from './time.ts';

/** One alert of a list, with its actions. */
export function alertRow(alert: Alert, nowMs: number, ...actions: Content[]): Description {
  const state = presentation('alerts', alert.state);
  return element(
    'li',
    { key: alert.id, class: `card alert ${alert.state === 'resolved' ? 'quiet' : state.tone}` },
    element('div', { class: 'state' }, badge(state), badge(presentation('severities', alert.severity))),
    element(
      'div',
      { class: 'what' },
      element('a', { class: 'name', href: `#/alerts/${alert.id}` }, alert.title),
      element('span', { class: 'reason' }, describeReason(alert)),
    ),
    element('div', { class: 'times' }, startedAndLasted(alert, nowMs)),
    element('div', { class: 'do' }, actions),
  );
}

/** `got 503 (us-east); failing in 2 of 3 regions: eu-west, us-east`. */
export function describeReason({ reason, regions_failing, regions }: Alert): string {
  const source = reason.region === null ? '' : ` (${reason.region})`;
  const count = `${regions_failing.length} of ${regions.length} ${regions.length === 1 ? 'region' : 'regions'}`;
  return `${reason.summary}${source}; failing in ${count}: ${regions_failing.join(', ')}`;
}
