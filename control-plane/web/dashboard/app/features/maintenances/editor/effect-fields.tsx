import { Check, Checks } from '../../../kit/form/controls.tsx';
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
export function EffectFields({ form }: FieldsProps) {
  const { draft, change } = form;
  return (
    <section class="card">
      <h2>Effects</h2>
      <Check
        label="Hold alerts"
        hint="No notifications for alerts that open and resolve during the window."
        checked={draft.alerts === 'hold'}
        onCheck={isHeld => change({ alerts: isHeld ? 'hold' : 'send' })}
      />
      <form.Check name="excludeFromUptime" label="Exclude the time from uptime" />
      {draft.alerts === 'hold' && (
        <form.Line
          name="settleSeconds"
          at="settle_seconds"
          label="Wait after the end (seconds)"
          hint="Alerts that are still open then are sent."
          input={{ ...number, max: 3600 }}
        />
      )}
    </section>
  );
}

/** What customers see and hear of it. */
export function PublicFields({ form }: FieldsProps) {
  return (
    <section class="card">
      <h2>Status pages</h2>
      <form.Check
        name="announced"
        label="Announce it"
        hint="Shown on the pages of its components, with updates when it begins and ends."
      />
      {form.draft.announced && (
        <>
          <form.Line
            name="announceBeforeHours"
            at="announce_before_hours"
            label="Show it before the start (hours)"
            input={{ ...number, max: 720 }}
          />
          <Checks
            legend="Subscribers are notified of"
            choices={notifyChoices}
            chosen={notifyOf(form.draft)}
            onChange={notify => form.change({ notify })}
          />
        </>
      )}
    </section>
  );
}
