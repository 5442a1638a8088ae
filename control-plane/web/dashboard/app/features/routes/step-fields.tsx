import { Line } from '../../kit/form/controlled.tsx';
import { PickMany } from '../../kit/form/pick-many.tsx';
import type { Channel } from '../../session/api-types.ts';
import { fieldError } from '../../session/error.ts';
import type { RouteFieldsProps } from './fields-props.ts';
import type { StepDraft } from './route-draft.ts';

const stepsMax = 10;

/** Who is notified first, and who next if nobody acknowledges. */
export function StepFields({ draft, change, action, channels }: RouteFieldsProps & { channels: readonly Channel[] }) {
  const { steps } = draft;
  const set = (index: number, changes: Partial<StepDraft>) =>
    change({ steps: steps.map((step, at) => (at === index ? { ...step, ...changes } : step)) });
  const add = (): void => {
    const last = Number(steps.at(-1)?.after ?? 0);
    change({ steps: [...steps, { after: String(last + 15), channelIds: [] }] });
  };
  const choices = channels.map(({ id, name, enabled }) => [id, enabled ? name : `${name} (disabled)`] as const);
  const own = fieldError(action.problem, 'steps');
  return (
    <section class="card">
      <h2>Who is notified</h2>
      {channels.length === 0 && (
        <p class="note">
          There are no channels yet. <a href="#/channels/new">Create one first.</a>
        </p>
      )}
      <ol class="step-drafts">
        {steps.map((step, index) => (
          <li key={index} class="step-draft">
            <div class="step-head">
              <strong>{index === 0 ? 'At once' : `Step ${index + 1}`}</strong>
              {index > 0 && (
                <>
                  <Line
                    label="Minutes after the start, if nobody has acknowledged"
                    name={`steps/${index}/after_minutes`}
                    action={action}
                    value={step.after}
                    onText={after => set(index, { after })}
                    input={{ type: 'number', inputMode: 'numeric', min: 1, max: 1440 }}
                  />
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove step ${index + 1}`}
                    onClick={() => change({ steps: steps.filter((_, at) => at !== index) })}
                  >
                    Remove
                  </button>
                </>
              )}
            </div>
            <PickMany
              legend={index === 0 ? 'Channels' : `Channels of step ${index + 1}`}
              choices={choices}
              picked={step.channelIds}
              onChange={channelIds => set(index, { channelIds })}
            />
            <Fault text={fieldError(action.problem, `steps/${index}/channel_ids`)} />
          </li>
        ))}
      </ol>
      {own !== null && steps.length === 0 && <Fault text={own} />}
      {steps.length < stepsMax && (
        <button type="button" onClick={add}>
          Add a step
        </button>
      )}
      <Line
        label="Remind every … minutes, until somebody acknowledges"
        name="remind_every_minutes"
        action={action}
        value={draft.remind}
        onText={remind => change({ remind })}
        input={{ type: 'number', inputMode: 'numeric', min: 5, max: 1440, placeholder: 'never' }}
      />
    </section>
  );
}

function Fault({ text }: { text: string | null }) {
  return text === null ? null : <p class="fault">{text}</p>;
}
