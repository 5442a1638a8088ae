import type { Monitor } from '../../data/api-types.ts';
import { type Action, actionButton, problemNote } from '../../dom/action.ts';
import { type Description, element } from '../../dom/element.ts';
import { badge } from '../../parts/badge.ts';
import { presentation } from '../../parts/labels.ts';
import { ago, at } from '../../parts/time.ts';
import { voteList } from '../../parts/votes.ts';

/** Status, target and votes of a monitor. `pauseOrResume` is null if the token may not change it. */
export function renderHead(
  monitor: Monitor,
  nowMs: number,
  action: Action,
  pauseOrResume: ((monitor: Monitor) => Promise<void>) | null,
): Description {
  const { enabled, status, status_since, votes } = monitor;
  const state = presentation('verdicts', status);
  const label = enabled ? 'Pause' : 'Resume';
  return element(
    'section',
    { class: `card monitor-head ${state.tone}`, key: 'head' },
    element(
      'div',
      { class: 'state' },
      badge(state),
      element('span', {}, 'since ', at(status_since), ', ', ago(status_since, nowMs)),
    ),
    renderTarget(monitor),
    voteList(votes, nowMs),
    pauseOrResume !== null && actionButton(label, action, () => pauseOrResume(monitor), { class: 'corner' }),
    problemNote(action.problem),
  );
}

function renderTarget({ interval_seconds, method, quorum, regions, url }: Monitor): Description {
  return element(
    'p',
    { class: 'url' },
    `${method} `,
    element('a', { href: url, rel: 'noreferrer', target: '_blank' }, url),
    ` every ${interval_seconds} s; down when ${quorum} of ${regions.length} regions agree`,
  );
}
