import type { Fields } from '../../kit/form/fields.tsx';
import type { Channel } from '../../session/api-types.ts';
import type { RouteDraft } from './route-draft.ts';

type StepFieldsProps = { form: Fields<RouteDraft>; channels: readonly Channel[] };
const stepsMax = 10;
const minutes = { type: 'number', inputMode: 'numeric', max: 1440 } as const;

/** Who is notified first, and who next if nobody acknowledges. */
export function StepFields({ form, channels }: StepFieldsProps) {
  const { steps } = form.draft;
  const add = (): void => {
    const last = Number(steps.at(-1)?.after ?? 0);
    form.change({ steps: [...steps, { after: String(last + 15), channelIds: [] }] });
  };
  return (
    <section class="card">
      <h2>Who is notified</h2>
      {channels.length === 0 && (
        <p class="note">
          There are no channels yet. <a href="#/channels/new">Create one first.</a>
        </p>
      )}
      <Steps form={form} channels={channels} />
      {steps.length === 0 && <form.Fault at="steps" />}
      {steps.length < stepsMax && (
        <button type="button" onClick={add}>
          Add a step
        </button>
      )}
      <form.Line
        name="remind"
        at="remind_every_minutes"
        label="Remind every … minutes, until somebody acknowledges"
        input={{ ...minutes, min: 5, placeholder: 'never' }}
      />
    </section>
  );
}

function Steps({ form, channels }: StepFieldsProps) {
  const choices = channels.map(({ id, name, enabled }) => [id, enabled ? name : `${name} (disabled)`] as const);
  return (
    <ol class="step-drafts">
      {form.rows('steps').map((step, index) => (
        <li key={index} class="step-draft">
          <div class="step-head">
            <strong>{index === 0 ? 'At once' : `Step ${index + 1}`}</strong>
            {index > 0 && (
              <>
                <step.Line
                  name="after"
                  at="after_minutes"
                  label="Minutes after the start, if nobody has acknowledged"
                  input={{ ...minutes, min: 1 }}
                />
                <button type="button" class="quiet" aria-label={`Remove step ${index + 1}`} onClick={step.remove}>
                  Remove
                </button>
              </>
            )}
          </div>
          <step.Many
            name="channelIds"
            at="channel_ids"
            legend={index === 0 ? 'Channels' : `Channels of step ${index + 1}`}
            choices={choices}
          />
        </li>
      ))}
    </ol>
  );
}
