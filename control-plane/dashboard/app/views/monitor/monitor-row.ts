import type { Monitor } from '../../data/api-types.ts';
import type { CachedDays } from '../../data/day-cache.ts';
import { type Action, actionButton, problemNote } from '../../dom/action.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { badge } from '../../parts/badge.ts';
import { uptimeHistory } from '../../parts/bars.ts';
import { presentation } from '../../parts/labels.ts';
import { ago } from '../../parts/time.ts';
import { voteList } from '../../parts/votes.ts';
import type { ViewContext } from '../../view.ts';

/** One monitor of the list: status, votes, 90 days, and a button to pause or resume it. */
export function renderMonitorRow(
  monitor: Monitor,
  days: CachedDays<Description> | null,
  context: ViewContext,
  action: Action,
): Description {
  const { id, name, status, status_since, url, votes } = monitor;
  const state = presentation('verdicts', status);
  const nowMs = context.api.nowMs();
  return element(
    'li',
    { key: id, class: `card monitor ${state.tone}` },
    element('div', { class: 'state' }, badge(state), ago(status_since, nowMs)),
    element(
      'div',
      { class: 'what' },
      element('a', { class: 'name', href: `#/monitors/${id}` }, name),
      element('span', { class: 'url', title: url }, url),
    ),
    voteList(votes, nowMs),
    uptimeHistory(days, '90 days: loading…'),
    element('div', { class: 'do' }, context.can('monitors:write') && switchButton(monitor, context, action)),
    problemNote(action.problem),
  );
}

function switchButton({ enabled, id, name }: Monitor, context: ViewContext, action: Action): Content {
  const [verb, label] = enabled ? ['pause', 'Pause'] : ['resume', 'Resume'];
  const run = async (): Promise<void> => {
    await context.api.send('POST', `/v0/monitors/${id}/${verb}`);
    context.announce(`${name}: ${verb}d`);
    await context.refresh();
  };
  return actionButton(label, action, run, { class: 'quiet', 'aria-label': `${label} ${name}` });
}
