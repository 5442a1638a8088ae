import type { FieldsProps } from './fields-props.ts';

const number = { type: 'number', inputMode: 'numeric' } as const;

/** When a job is expected to report, and by which addresses it may. */
export function HeartbeatFields({ form }: FieldsProps) {
  const hasCron = form.draft.cron.trim() !== '';
  return (
    <>
      <div class="pair">
        {!hasCron && (
          <form.Line
            name="interval"
            at="interval_seconds"
            label="A success each (seconds)"
            input={{ ...number, min: 30, max: 31_622_400 }}
          />
        )}
        <form.Line
          name="cron"
          at="heartbeat/cron"
          label="or at the times of cron"
          hint="Five fields: minute, hour, day, month, weekday."
          input={{ placeholder: '30 2 * * 1-5' }}
        />
        {hasCron && <form.Line name="timezone" at="heartbeat/timezone" label="Time zone" />}
      </div>
      <div class="pair">
        <form.Line
          name="grace"
          at="heartbeat/grace_seconds"
          label="Grace (seconds)"
          hint="How late it may be."
          input={{ ...number, placeholder: 'a fifth of the interval' }}
        />
        <form.Line
          name="maxRun"
          at="heartbeat/max_run_seconds"
          label="Longest run (seconds)"
          hint="From its start signal to its end."
          input={{ ...number, placeholder: 'any' }}
        />
      </div>
      <details>
        <summary>Addresses and output</summary>
        <div class="pair">
          <form.Line
            name="slug"
            at="heartbeat/slug"
            label="Slug"
            hint="For the project’s signal key: /hb/KEY/SLUG."
            input={{ placeholder: 'nightly-backup' }}
          />
          <form.Line
            name="aliases"
            at="heartbeat/aliases"
            label="Aliases"
            hint="UUIDs and push tokens that senders from elsewhere use; ******** is one that is set."
          />
        </div>
        <form.Check name="postOnly" label="Take POST alone" hint="Previews of links then send no signals." />
        <form.Check name="keepOutput" label="Keep the output" hint="The last 8 KiB, encrypted, for 30 days." />
      </details>
    </>
  );
}
