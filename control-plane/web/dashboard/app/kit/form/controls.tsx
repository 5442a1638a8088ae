import type { ComponentChildren, InputHTMLAttributes, JSX, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fieldError } from '../../session/error.ts';
import type { Choices } from '../labels.ts';
import { SealedInput, type SealedInputProps } from './sealed.tsx';

// The fields of forms. They are used by their forms: `<form.Line name="title" label="Title" />`.

/** What the fields of a form share. */
export type FormState = {
  problem: Error | null;
  /** Where the fields that are shown look for their errors. */
  shown: Set<string>;
};

/** A member of a draft as its field sees it. */
export type Field<Value> = {
  form: FormState;
  id: string;
  /** Where the API says what is wrong with it, such as `alert_rules/flap/changes`. */
  at: string;
  value: Value;
  set(value: Value): void;
};

/** The error of a field after a refusal; whoever asks shows it. */
function useError({ form, at }: Field<unknown>): string | null {
  const { shown, problem } = form;
  shown.add(at);
  // Before anything else is shown: the error of a field that is gone belongs below the form.
  useLayoutEffect(() => () => void shown.delete(at), [shown, at]);
  return fieldError(problem, at);
}

type LabelProps = { label: string; hint?: ComponentChildren };
type Described = Readonly<Record<'id' | 'name' | 'aria-describedby', string | undefined>> & {
  'aria-invalid': 'true' | undefined;
};
type LabelledProps = LabelProps & { field: Field<unknown>; control(described: Described): JSX.Element };

/** A label, a control, its hint and, after a refusal, its error. */
function Labelled({ label, hint, field, control }: LabelledProps) {
  const { id, at } = field;
  const error = useError(field);
  const described = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-fault`].join(' ').trim();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        id,
        name: at,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === null ? undefined : 'true',
      })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== null && (
        <p class="fault" id={`${id}-fault`}>
          {error}
        </p>
      )}
    </div>
  );
}

export type LineProps = LabelProps & {
  input?: InputHTMLAttributes<HTMLInputElement>;
  /** Takes the focus when it appears. */
  focus?: boolean;
};

export function LineControl({ field, input = {}, focus = false, ...props }: LineProps & { field: Field<string> }) {
  const host = useRef<HTMLInputElement>(null);
  // Before it is painted: whoever sees the field and types at once would type into nothing.
  useLayoutEffect(() => {
    if (focus) host.current?.focus();
  }, [focus]);
  const onInput = (event: TargetedEvent<HTMLInputElement>) => field.set(event.currentTarget.value);
  return (
    <Labelled
      {...props}
      field={field}
      control={described => <input ref={host} {...input} {...described} value={field.value} onInput={onInput} />}
    />
  );
}

export type LinesProps = LabelProps & { rows: number; placeholder?: string | undefined; maxLength?: number };

export function LinesControl({ field, rows, placeholder, maxLength, ...props }: LinesProps & { field: Field<string> }) {
  const text = { rows, placeholder, maxLength, value: field.value };
  const onInput = (event: TargetedEvent<HTMLTextAreaElement>) => field.set(event.currentTarget.value);
  return (
    <Labelled {...props} field={field} control={described => <textarea {...text} {...described} onInput={onInput} />} />
  );
}

export type SealedProps = LabelProps & Pick<SealedInputProps, 'isStored' | 'rows' | 'input'>;

export function SealedControl({ field, isStored, rows, input, ...props }: SealedProps & { field: Field<string> }) {
  const sealed = { label: props.label, value: field.value, onChange: field.set, isStored, rows, input };
  return <Labelled {...props} field={field} control={described => <SealedInput {...sealed} described={described} />} />;
}

export type ChoiceProps = LabelProps & { choices: Choices };

export function ChoiceControl({ field, choices, ...props }: ChoiceProps & { field: Field<string> }) {
  const onChange = (event: TargetedEvent<HTMLSelectElement>) => field.set(event.currentTarget.value);
  return (
    <Labelled
      {...props}
      field={field}
      control={described => (
        <select {...described} value={field.value} onChange={onChange}>
          <Options choices={choices} />
        </select>
      )}
    />
  );
}

export function Options({ choices }: { choices: Choices }) {
  return (
    <>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  );
}

type CheckProps = { label: string; checked: boolean; onCheck(checked: boolean): void; hint?: string | undefined };

export function Check({ label, checked, onCheck, hint }: CheckProps) {
  return (
    <label class="box">
      <input type="checkbox" checked={checked} onChange={event => onCheck(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <small class="hint"> {hint}</small>}
      </span>
    </label>
  );
}

export type ChecksProps = { legend: string; choices: Choices; hint?: string | undefined };
type ChosenProps<Value extends string> = Omit<ChecksProps, 'choices'> & {
  choices: readonly (readonly [Value, string])[];
  chosen: readonly string[];
  onChange(chosen: Value[]): void;
};

/** A few choices that stay where they are; what is chosen keeps their order. */
export function Checks<Value extends string>({ legend, choices, chosen, onChange, hint }: ChosenProps<Value>) {
  const toggle = (value: Value, isOn: boolean) =>
    onChange(choices.flatMap(([each]) => ((each === value ? isOn : chosen.includes(each)) ? [each] : [])));
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="boxes">
        {choices.map(([value, label]) => (
          <Check key={value} label={label} checked={chosen.includes(value)} onCheck={isOn => toggle(value, isOn)} />
        ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </fieldset>
  );
}

type FaultProps = { field: Field<unknown>; texts?: readonly string[] | undefined };

/** What is wrong with a field that does not say it itself; in other words than the API's, if there are some. */
export function Fault({ field, texts }: FaultProps) {
  const error = useError(field);
  return (
    <>
      {(texts ?? (error === null ? [] : [error])).map(text => (
        <p key={text} class="fault">
          {text}
        </p>
      ))}
    </>
  );
}
