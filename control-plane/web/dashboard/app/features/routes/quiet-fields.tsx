import { Check } from '../../kit/form/controls.tsx';
import type { Fields } from '../../kit/form/fields.tsx';
import { ZoneField } from '../../kit/form/zone-field.tsx';
import { severityNames } from '../../kit/labels.ts';
import { useApp } from '../../session/app.ts';
import { zoneNameOf } from '../../session/zoned-time.ts';
import { describeQuiet, newQuietHours, type RouteDraft, weekdays } from './route-draft.ts';

/** When nothing is sent, but what is excepted; a digest follows. */
export function QuietFields({ form }: { form: Fields<RouteDraft> }) {
  const { zone } = useApp();
  const { draft, change } = form;
  return (
    <section class="card">
      <h2>Quiet hours</h2>
      <Check
        label="Hold messages in quiet hours"
        hint="At their end each channel gets one digest."
        checked={draft.quiet !== null}
        onCheck={isQuiet => change({ quiet: isQuiet ? newQuietHours(zoneNameOf(zone.value)) : null })}
      />
      {draft.quiet !== null && <Hours form={form.part('quiet', 'quiet_hours')} />}
    </section>
  );
}

function Hours({ form }: { form: Fields<NonNullable<RouteDraft['quiet']>> }) {
  return (
    <>
      <div class="pair">
        <form.Line name="from" label="From" input={{ type: 'time' }} />
        <form.Line name="to" label="To" input={{ type: 'time' }} />
        <ZoneField field={form.text('timezone')} />
      </div>
      <div class="pair">
        <form.Checks name="days" legend="Days on which they begin" choices={weekdays} />
        <form.Checks name="except_severities" legend="Always send immediately" choices={severityNames} />
      </div>
      <p class="hint">{describeQuiet(form.draft)}.</p>
    </>
  );
}
