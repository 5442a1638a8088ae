import { type Action, fieldError } from './action.ts';
import { type Attributes, type Content, type Description, element } from './element.ts';

/** The submitted values, trimmed: `text` of one field ('' if missing), `all` of fields that share a name. */
export type Values = { text(name: string): string; all(name: string): string[] };

/** A form whose submission runs `submit` as the action instead of leaving the page. */
export function form(
  attributes: Attributes,
  action: Action,
  submit: (values: Values, form: HTMLFormElement) => Promise<void>,
  ...children: Content[]
): Description {
  const onsubmit = (event: Event) => {
    event.preventDefault();
    const host = event.currentTarget as HTMLFormElement;
    const data = new FormData(host);
    const text = (value: FormDataEntryValue | null) => (typeof value === 'string' ? value.trim() : '');
    void action.run(() =>
      submit({ text: name => text(data.get(name)), all: name => data.getAll(name).map(text) }, host),
    );
  };
  return element('form', { novalidate: true, ...attributes, onsubmit }, children);
}

type FieldOptions = { label: string; name: string; hint?: string; action: Action; attributes?: Attributes };

/** A field with its label, its hint and, after a rejected submission, its error. */
export function field(
  kind: 'input' | 'textarea' | 'select',
  options: FieldOptions,
  ...children: Content[]
): Description {
  const { label, name, hint, action, attributes } = options;
  const id = `${attributes?.id ?? `field-${name}`}`;
  const error = fieldError(action.problem, name);
  const described = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-fault`].join(' ').trim();
  const control = {
    name,
    ...attributes,
    id,
    'aria-describedby': described === '' ? null : described,
    'aria-invalid': error === null ? null : 'true',
  };
  return element(
    'div',
    { class: 'field', key: `field ${id}` },
    element('label', { for: id }, label),
    element(kind, control, children),
    hint !== undefined && element('p', { class: 'hint', id: `${id}-hint` }, hint),
    error !== null && element('p', { class: 'fault', id: `${id}-fault` }, error),
  );
}

/** Value and label of each option. */
export type Choices = readonly (readonly [value: string, label: string])[];

/** A field to choose one of several values. */
export function choice(options: FieldOptions & { value: string; choices: Choices }): Description {
  const attributes = { ...options.attributes, value: options.value };
  return field('select', { ...options, attributes }, choiceOptions(options.choices));
}

export function choiceOptions(choices: Choices): Description[] {
  return choices.map(([value, label]) => element('option', { value }, label));
}

/** A compact select above a list. `onChange` gets the new value. */
export function filterSelect(
  label: string,
  choices: Choices,
  onChange: (value: string) => void,
  attributes: Attributes = {},
): Description {
  const onchange = (event: Event) => onChange(selectedValue(event));
  return element('label', {}, `${label} `, element('select', { ...attributes, onchange }, choiceOptions(choices)));
}

/** The value chosen in the select whose change event this is. */
export function selectedValue(event: Event): string {
  return (event.currentTarget as HTMLSelectElement).value;
}

/** A group of checkboxes; the checked values are read by `values.all(name)`. */
export function checkboxes(legend: string, name: string, choices: Choices, checked: readonly string[]): Description {
  const items = choices.map(([value, label]) =>
    element(
      'label',
      { class: 'box', key: value },
      element('input', { type: 'checkbox', name, value, checked: checked.includes(value) }),
      element('span', {}, label),
    ),
  );
  return element(
    'fieldset',
    { key: `boxes ${name}` },
    element('legend', {}, legend),
    element('div', { class: 'boxes' }, items),
  );
}
