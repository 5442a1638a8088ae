import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import type { Action } from '../state/action.ts';
import { Labelled, Options } from './form.tsx';
import type { Choices } from './labels.ts';

type ValueProps = {
  label: string;
  name: string;
  value: string;
  change(value: string): void;
  action: Action;
  id?: string;
  hint?: ComponentChildren;
};

/** A field whose text the view itself keeps: it follows what is typed. */
export function ValueField({
  value,
  change,
  input = {},
  ...field
}: ValueProps & { input?: InputHTMLAttributes<HTMLInputElement> }) {
  return (
    <Labelled
      {...field}
      control={described => (
        <input {...input} {...described} value={value} onInput={event => change(event.currentTarget.value)} />
      )}
    />
  );
}

export function ValueArea({ value, change, rows, ...field }: ValueProps & { rows: number }) {
  return (
    <Labelled
      {...field}
      control={described => (
        <textarea {...described} rows={rows} value={value} onInput={event => change(event.currentTarget.value)} />
      )}
    />
  );
}

export function ValueChoice({ value, change, choices, ...field }: ValueProps & { choices: Choices }) {
  return (
    <Labelled
      {...field}
      control={described => (
        <select {...described} value={value} onChange={event => change(event.currentTarget.value)}>
          <Options choices={choices} />
        </select>
      )}
    />
  );
}
