import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Action } from '../../session/action.ts';
import { fieldError } from '../../session/error.ts';
import type { Choices } from '../labels.ts';
import { readDraft, writeDraft } from './drafts.ts';
import { useServerChecked, useServerValue } from './typed.ts';

/** The submitted values, trimmed: `text` of one field ('' if missing), `all` of fields that share a name. */
export type Values = { text(name: string): string; all(name: string): string[] };

type FormProps = {
  action: Action;
  submit(values: Values, form: HTMLFormElement): Promise<void>;
  label?: string;
  class?: string;
  /** Keeps what is typed into text fields under this key until it was sent. */
  draft?: string;
  children: ComponentChildren;
};

/** A form whose submission runs `submit` as the action instead of leaving the page. */
export function Form({ action, submit, label, class: name, draft, children }: FormProps) {
  const host = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (draft !== undefined && host.current !== null) restoreDraft(host.current, draft);
  }, [draft]);
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const text = (value: FormDataEntryValue | null) => (typeof value === 'string' ? value.trim() : '');
    const values = {
      text: (field: string) => text(data.get(field)),
      all: (field: string) => data.getAll(field).map(text),
    };
    const isSent = await action.run(() => submit(values, form));
    if (isSent && draft !== undefined) writeDraft(draft, {});
  };
  const onInput = (event: Event) => {
    if (draft !== undefined) writeDraft(draft, typedText(event.currentTarget as HTMLFormElement));
  };
  // Cancelled: what was typed is not wanted.
  const onReset = () => {
    if (draft !== undefined) writeDraft(draft, {});
  };
  return (
    <form ref={host} class={name} aria-label={label} noValidate onSubmit={onSubmit} onInput={onInput} onReset={onReset}>
      {children}
    </form>
  );
}

const textFields = 'input:not([type]), input[type="text"], input[type="url"], input[type="number"], textarea';

function typedText(form: HTMLFormElement): Record<string, string> {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(textFields);
  return Object.fromEntries([...fields].filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
}

function restoreDraft(form: HTMLFormElement, key: string): void {
  const draft = readDraft(key);
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(textFields)) {
    const typed = draft[field.name];
    if (typed === undefined || typed === '' || typed === field.value) continue;
    typeInto(field, typed);
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function typeInto(field: Field, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Fills a field as if somebody had typed into it. */
export function writeField(form: HTMLFormElement, name: string, text: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)
    typeInto(field, text);
}

type FieldProps = { label: string; name: string; hint?: ComponentChildren; action: Action; id?: string };

type Described = {
  id: string;
  name: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
};

/** A label, a control, its hint and, after a rejected submission, its error. */
export function Labelled(props: FieldProps & { control(described: Described): JSX.Element }) {
  const { label, name, hint, action, id = `field-${name}`, control } = props;
  const error = fieldError(action.problem, name);
  const described = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-fault`].join(' ').trim();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        id,
        name,
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

type InputProps = FieldProps & { value?: string; input?: InputHTMLAttributes<HTMLInputElement>; focus?: boolean };

export function TextField({ value = '', input = {}, focus = false, ...field }: InputProps) {
  const host = useServerValue<HTMLInputElement>(value);
  useEffect(() => {
    if (focus) host.current?.focus();
  }, [focus, host]);
  return <Labelled {...field} control={described => <input ref={host} {...input} {...described} />} />;
}

type TextAreaProps = FieldProps & {
  value?: string;
  rows: number;
  maxLength?: number;
  onInput?: (event: Event) => void;
};

export function TextArea({ value = '', rows, maxLength, onInput, ...field }: TextAreaProps) {
  const host = useServerValue<HTMLTextAreaElement>(value);
  return (
    <Labelled
      {...field}
      control={described => <textarea ref={host} rows={rows} maxLength={maxLength} onInput={onInput} {...described} />}
    />
  );
}

type ChoiceProps = FieldProps & { value: string; choices: Choices; onChange?: (value: string) => void };

/** A field to choose one of several values. */
export function Choice({ value, choices, onChange, ...field }: ChoiceProps) {
  const host = useServerValue<HTMLSelectElement>(value);
  return (
    <Labelled
      {...field}
      control={described => (
        <select ref={host} onChange={event => onChange?.(event.currentTarget.value)} {...described}>
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

type FilterProps = { label: string; value: string; choices: Choices; onChange(value: string): void };

/** A compact select above a list. */
export function Filter({ label, value, choices, onChange }: FilterProps) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={event => onChange(event.currentTarget.value)}>
        <Options choices={choices} />
      </select>
    </label>
  );
}

type BoxesProps = { legend: string; name: string; choices: Choices; checked: readonly string[]; empty?: string };

/** A group of checkboxes; the checked values are read by `values.all(name)`. */
export function Boxes({ legend, name, choices, checked, empty }: BoxesProps) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {choices.length === 0 && empty !== undefined && <p class="hint">{empty}</p>}
      <div class="boxes">
        {choices.map(([value, label]) => (
          <Box key={value} name={name} value={value} label={label} checked={checked.includes(value)} />
        ))}
      </div>
    </fieldset>
  );
}

function Box({ name, value, label, checked }: { name: string; value: string; label: string; checked: boolean }) {
  const host = useServerChecked(checked);
  return (
    <label class="box">
      <input ref={host} type="checkbox" name={name} value={value} />
      <span>{label}</span>
    </label>
  );
}
