import { Check, Checks, Line } from '../../../kit/form/controlled.tsx';
import type { FieldsProps } from './fields-props.ts';
import { type NotifyKind, notifyOf } from './maintenance-draft.ts';

const number = { type: 'number', inputMode: 'numeric', min: 0 } as const;
const notifyChoices: readonly (readonly [NotifyKind, string])[] = [
  ['announced', 'the announcement'],
  ['started', 'the start'],
  ['updates', 'updates'],
  ['completed', 'the end'],
];

/** What the window does to alerts and uptime. */
export function EffectFields({ draft, change, action }: FieldsProps) {
  const { alerts, excludeFromUptime } = draft;
  return (
    <section class="card">
      <h2>Effects</h2>
      <Check
        label="Hold alerts"
        hint="No notifications for alerts that open and resolve during the window."
        checked={alerts === 'hold'}
        onCheck={isHeld => change({ alerts: isHeld ? 'hold' : 'send' })}
      />
      <Check
        label="Exclude the time from uptime"
        checked={excludeFromUptime}
        onCheck={isLeftOut => change({ excludeFromUptime: isLeftOut })}
      />
      {alerts === 'hold' && (
        <Line
          label="Wait after the end (seconds)"
          name="settle_seconds"
          action={action}
          value={draft.settleSeconds}
          onText={settleSeconds => change({ settleSeconds })}
          hint="Alerts that are still open then are sent."
          input={{ ...number, max: 3600 }}
        />
      )}
    </section>
  );
}

/** What customers see and hear of it. */
export function PublicFields({ draft, change, action }: FieldsProps) {
  return (
    <section class="card">
      <h2>Status pages</h2>
      <Check
        label="Announce it"
        hint="Shown on the pages of its components, with updates when it begins and ends."
        checked={draft.announced}
        onCheck={announced => change({ announced })}
      />
      {draft.announced && (
        <>
          <Line
            label="Show it before the start (hours)"
            name="announce_before_hours"
            action={action}
            value={draft.announceBeforeHours}
            onText={announceBeforeHours => change({ announceBeforeHours })}
            input={{ ...number, max: 720 }}
          />
          <Checks
            legend="Subscribers are notified of"
            choices={notifyChoices}
            checked={notifyOf(draft)}
            onChange={notify => change({ notify })}
          />
        </>
      )}
    </section>
  );
}
