import type { ComponentChildren } from 'preact';
import { Badge } from '../../kit/badge.tsx';
import { alertPresentation, presentation } from '../../kit/labels.ts';
import { Lasted } from '../../kit/time.tsx';
import type { Alert } from '../../session/api-types.ts';
import { describeHold, describeReason } from './words.ts';

/** One alert of a list, with its actions. */
export function AlertRow({
  alert,
  select,
  children,
}: {
  alert: Alert;
  select?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const state = alertPresentation(alert);
  const hold = describeHold(alert);
  return (
    <li class={`card row alert ${alert.state === 'resolved' ? 'quiet' : state.tone}`} data-row>
      {select}
      <div class="state">
        <Badge state={state} />
        <Badge state={presentation('severities', alert.severity)} />
      </div>
      <div class="what">
        <a class="name" href={`#/alerts/${alert.id}`}>
          {alert.title}
        </a>
        <span class="reason">{describeReason(alert)}</span>
        {hold !== null && <span class="reason">{hold}</span>}
      </div>
      <div class="times">
        <Lasted started_at={alert.started_at} resolved_at={alert.resolved_at} />
      </div>
      <div class="do">{children}</div>
    </li>
  );
}
