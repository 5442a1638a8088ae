import type { Fields } from '../../kit/form/fields.tsx';
import { Conditions } from './conditions.tsx';
import { emptyStep, type FlowDraft, type StepDraft, stepErrors } from './flow-draft.ts';

const stepsMin = 2;
const stepsMax = 20;

type StepFieldsProps = {
  form: Fields<FlowDraft>;
  /** Names of recent events. */
  names: readonly string[];
  /** Why the flow was refused. */
  problem: Error | null;
};

/** The steps of a flow in their order, each an event with conditions on its properties. */
export function StepFields({ form, names, problem }: StepFieldsProps) {
  const { steps } = form.draft;
  const change = (changed: readonly StepDraft[]) => form.change({ steps: changed });
  return (
    <section class="card">
      <h2>Steps</h2>
      <datalist id="event-names">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <ol class="steps">
        {form.rows('steps').map((step, index) => (
          <li key={index}>
            <fieldset>
              <legend>Step {index + 1}</legend>
              <div class="step-row">
                <EventFields step={step} />
                <StepButtons steps={steps} index={index} onChange={change} />
              </div>
              <form.Fault at={`steps/${index}`} texts={stepErrors(problem, index)} />
              <Conditions
                of={`step ${index + 1}`}
                where={step.draft.where}
                onChange={where => step.change({ where })}
              />
            </fieldset>
          </li>
        ))}
      </ol>
      {steps.length < stepsMax && (
        <button type="button" onClick={() => change([...steps, emptyStep])}>
          Add step
        </button>
      )}
    </section>
  );
}

function EventFields({ step: { draft, change } }: { step: Fields<StepDraft> }) {
  return (
    <>
      <label class="field">
        <span class="label">Event</span>
        <input
          list="event-names"
          maxLength={200}
          value={draft.event}
          onInput={event => change({ event: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span class="label">Shown as</span>
        <input
          maxLength={200}
          placeholder={draft.event}
          value={draft.name}
          onInput={event => change({ name: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

type StepButtonsProps = { steps: readonly StepDraft[]; index: number; onChange(steps: readonly StepDraft[]): void };

function StepButtons({ steps, index, onChange }: StepButtonsProps) {
  const move = (by: number): void => {
    const [step, other] = [steps[index], steps[index + by]];
    if (step !== undefined && other !== undefined) onChange(steps.with(index, other).with(index + by, step));
  };
  const button = (sign: string, says: string, disabled: boolean, onClick: () => void) => (
    <button type="button" class="quiet" aria-label={says} disabled={disabled} onClick={onClick}>
      {sign}
    </button>
  );
  const name = `step ${index + 1}`;
  return (
    <div class="step-buttons">
      {button('↑', `Move ${name} up`, index === 0, () => move(-1))}
      {button('↓', `Move ${name} down`, index === steps.length - 1, () => move(1))}
      {button('Remove', `Remove ${name}`, steps.length <= stepsMin, () => onChange(steps.toSpliced(index, 1)))}
    </div>
  );
}
