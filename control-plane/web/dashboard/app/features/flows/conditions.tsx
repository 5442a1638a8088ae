import { Options } from '../../kit/form/controls.tsx';
import { type ConditionDraft, type Operator, operatorChoices, takesValue } from './flow-draft.ts';

const newCondition: ConditionDraft = { prop: '', op: 'eq', value: '' };

type ConditionsProps = {
  /** What they are about. */
  of: string;
  where: readonly ConditionDraft[];
  onChange(where: readonly ConditionDraft[]): void;
};

/** Conditions on properties, all of which must hold. */
export function Conditions({ of, where, onChange }: ConditionsProps) {
  const replace = (index: number, condition: ConditionDraft) => onChange(where.with(index, condition));
  return (
    <>
      {where.map((condition, index) => (
        <div key={index} class="condition">
          <span class="hint">{index === 0 ? 'where' : 'and'}</span>
          <input
            aria-label={`Property ${index + 1} of ${of}`}
            placeholder="property"
            maxLength={200}
            value={condition.prop}
            onInput={event => replace(index, { ...condition, prop: event.currentTarget.value })}
          />
          <select
            aria-label={`Operator ${index + 1} of ${of}`}
            value={condition.op}
            onChange={event => replace(index, { ...condition, op: event.currentTarget.value as Operator })}
          >
            <Options choices={operatorChoices} />
          </select>
          {takesValue(condition.op) && (
            <input
              aria-label={`Value ${index + 1} of ${of}`}
              placeholder={condition.op === 'in' || condition.op === 'not_in' ? 'a, b, 3' : 'value'}
              value={condition.value}
              onInput={event => replace(index, { ...condition, value: event.currentTarget.value })}
            />
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove condition ${index + 1} of ${of}`}
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
