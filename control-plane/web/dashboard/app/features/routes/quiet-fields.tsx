import { Check, Checks, Line } from '../../kit/form/controlled.tsx';
import { ZoneField } from '../../kit/form/zone-field.tsx';
import { severityNames } from '../../kit/labels.ts';
import { useApp } from '../../session/app.ts';
import { zoneNameOf } from '../../session/zoned-time.ts';
import type { RouteFieldsProps } from './fields-props.ts';
import { describeQuiet, newQuietHours, weekdays } from './route-draft.ts';

/** When nothing is sent, but what is excepted; a digest follows. */
export function QuietFields({ draft, change, action }: RouteFieldsProps) {
  const { zone } = useApp();
  const { quiet } = draft;
  const set = (changes: Partial<NonNullable<typeof quiet>>) =>
    quiet !== null && change({ quiet: { ...quiet, ...changes } });
  return (
    <section class="card">
      <h2>Quiet hours</h2>
      <Check
        label="Hold messages in quiet hours"
        hint="At their end each channel gets one digest."
        checked={quiet !== null}
        onCheck={isQuiet => change({ quiet: isQuiet ? newQuietHours(zoneNameOf(zone.value)) : null })}
      />
      {quiet !== null && (
        <>
          <div class="pair">
            <Line
              label="From"
              name="quiet_hours/from"
              action={action}
              value={quiet.from}
              onText={from => set({ from })}
              input={{ type: 'time' }}
            />
            <Line
              label="To"
              name="quiet_hours/to"
              action={action}
              value={quiet.to}
              onText={to => set({ to })}
              input={{ type: 'time' }}
            />
            <ZoneField
              name="quiet_hours/timezone"
              action={action}
              value={quiet.timezone}
              onText={timezone => set({ timezone })}
            />
          </div>
          <div class="pair">
            <Checks
              legend="Days on which they begin"
              choices={weekdays}
              checked={quiet.days}
              onChange={days => set({ days })}
            />
            <Checks
              legend="Always send immediately"
              choices={severityNames}
              checked={quiet.except_severities}
              onChange={except_severities => set({ except_severities })}
            />
          </div>
          <p class="hint">{describeQuiet(quiet)}.</p>
        </>
      )}
    </section>
  );
}
