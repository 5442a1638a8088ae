import { Options } from '../../kit/form/form.tsx';
import {
  type ConditionDraft,
  emptyStep,
  type Operator,
  operatorChoices,
  type StepDraft,
  stepErrors,
  takesValue,
} from './flow-draft.ts';

const stepsMin = 2;
const stepsMax = 20;
const newCondition: ConditionDraft = { prop: '', op: 'eq', value: '' };

type StepFieldsProps = {
  steps: readonly StepDraft[];
  /** Names of recent events. */
  names: readonly string[];
  /** Why the flow was refused. */
  problem: Error | null;
  onChange(steps: readonly StepDraft[]): void;
};

/** The steps of a flow in their order, each an event with conditions on its properties. */
export function StepFields({ steps, names, problem, onChange }: StepFieldsProps) {
  const replace = (index: number, step: StepDraft) => onChange(steps.with(index, step));
  const move = (index: number, by: number): void => {
    const [step, other] = [steps[index], steps[index + by]];
    if (step !== undefined && other !== undefined) onChange(steps.with(index, other).with(index + by, step));
  };
  return (
    <section class="card">
      <h2>Steps</h2>
      <datalist id="event-names">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <ol class="steps">
        {steps.map((step, index) => (
          <li key={index}>
            <fieldset>
              <legend>Step {index + 1}</legend>
              <div class="step-row">
                <label class="field">
                  <span class="label">Event</span>
                  <input
                    list="event-names"
                    maxLength={200}
                    value={step.event}
                    onInput={event => replace(index, { ...step, event: event.currentTarget.value })}
                  />
                </label>
                <label class="field">
                  <span class="label">Shown as</span>
                  <input
                    maxLength={200}
                    placeholder={step.event}
                    value={step.name}
                    onInput={event => replace(index, { ...step, name: event.currentTarget.value })}
                  />
                </label>
                <div class="step-buttons">
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Move step ${index + 1} up`}
                    disabled={index === 0}
                    onClick={() => move(index, -1)}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Move step ${index + 1} down`}
                    disabled={index === steps.length - 1}
                    onClick={() => move(index, 1)}
                  >
                    ↓
                  </button>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove step ${index + 1}`}
                    disabled={steps.length <= stepsMin}
                    onClick={() => onChange(steps.toSpliced(index, 1))}
                  >
                    Remove
                  </button>
                </div>
              </div>
              {stepErrors(problem, index).map(text => (
                <p key={text} class="fault">
                  {text}
                </p>
              ))}
              <Conditions step={index + 1} where={step.where} onChange={where => replace(index, { ...step, where })} />
            </fieldset>
          </li>
        ))}
      </ol>
      {steps.length < stepsMax && (
        <button type="button" onClick={() => onChange([...steps, emptyStep])}>
          Add step
        </button>
      )}
    </section>
  );
}

type ConditionsProps = {
  step: number;
  where: readonly ConditionDraft[];
  onChange(where: readonly ConditionDraft[]): void;
};

/** Conditions on properties, all of which must hold. */
function Conditions({ step, where, onChange }: ConditionsProps) {
  const replace = (index: number, condition: ConditionDraft) => onChange(where.with(index, condition));
  return (
    <>
      {where.map((condition, index) => (
        <div key={index} class="condition">
          <span class="hint">{index === 0 ? 'where' : 'and'}</span>
          <input
            aria-label={`Property ${index + 1} of step ${step}`}
            placeholder="property"
            maxLength={200}
            value={condition.prop}
            onInput={event => replace(index, { ...condition, prop: event.currentTarget.value })}
          />
          <select
            aria-label={`Operator ${index + 1} of step ${step}`}
            value={condition.op}
            onChange={event => replace(index, { ...condition, op: event.currentTarget.value as Operator })}
          >
            <Options choices={operatorChoices} />
          </select>
          {takesValue(condition.op) && (
            <input
              aria-label={`Value ${index + 1} of step ${step}`}
              placeholder={condition.op === 'in' || condition.op === 'not_in' ? 'a, b, 3' : 'value'}
              value={condition.value}
              onInput={event => replace(index, { ...condition, value: event.currentTarget.value })}
            />
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove condition ${index + 1} of step ${step}`}
            onClick={() => onChange(where.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="link" onClick={() => onChange([...where, newCondition])}>
        Add a condition on a property
      </button>
    </>
  );
}
