import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import type { Action } from '../../session/action.ts';
import type { Choices } from '../labels.ts';
import { Labelled, Options } from './form.tsx';

// Fields whose values are kept by the view around them.

type LineProps = {
  label: string;
  name: string;
  action: Action;
  value: string;
  onText(text: string): void;
  hint?: ComponentChildren;
  id?: string;
  input?: InputHTMLAttributes<HTMLInputElement>;
};

export function Line({ value, onText, input = {}, hint, ...field }: LineProps) {
  return (
    <Labelled
      {...field}
      {...(hint === undefined ? {} : { hint })}
      control={described => (
        <input {...input} {...described} value={value} onInput={event => onText(event.currentTarget.value)} />
      )}
    />
  );
}

type LinesProps = Omit<LineProps, 'input'> & { rows: number; placeholder?: string | undefined };

export function Lines({ value, onText, hint, rows, placeholder, ...field }: LinesProps) {
  return (
    <Labelled
      {...field}
      {...(hint === undefined ? {} : { hint })}
      control={described => (
        <textarea
          rows={rows}
          placeholder={placeholder}
          {...described}
          value={value}
          onInput={event => onText(event.currentTarget.value)}
        />
      )}
    />
  );
}

/** A choice whose rejection is shown at it. */
export function Choose({ value, onText, choices, hint, ...field }: Omit<LineProps, 'input'> & { choices: Choices }) {
  return (
    <Labelled
      {...field}
      {...(hint === undefined ? {} : { hint })}
      control={described => (
        <select {...described} value={value} onChange={event => onText(event.currentTarget.value)}>
          <Options choices={choices} />
        </select>
      )}
    />
  );
}

type PickProps = { label: string; value: string; choices: Choices; onText(text: string): void };

export function Pick({ label, value, choices, onText }: PickProps) {
  return (
    <label class="field">
      <span class="label">{label}</span>
      <select value={value} onChange={event => onText(event.currentTarget.value)}>
        <Options choices={choices} />
      </select>
    </label>
  );
}

type CheckProps = { label: string; checked: boolean; onCheck(checked: boolean): void; hint?: string };

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

type ChecksProps<Value extends string> = {
  legend: string;
  choices: readonly (readonly [Value, string])[];
  checked: readonly Value[];
  onChange(checked: Value[]): void;
  hint?: string;
};

/** A few choices that stay where they are; `checked` keeps their order. */
export function Checks<Value extends string>({ legend, choices, checked, onChange, hint }: ChecksProps<Value>) {
  const toggle = (value: Value, isOn: boolean) =>
    onChange(choices.flatMap(([each]) => ((each === value ? isOn : checked.includes(each)) ? [each] : [])));
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="boxes">
        {choices.map(([value, label]) => (
          <Check key={value} label={label} checked={checked.includes(value)} onCheck={isOn => toggle(value, isOn)} />
        ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </fieldset>
  );
}
