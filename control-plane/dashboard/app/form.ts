import { type Action, faultOf } from './action.ts';
import { type Attributes, type Content, type Description, element } from './element.ts';

export type Values = { text(name: string): string; all(name: string): string[] };

/** A form that hands its values on instead of leaving the page. */
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

export type FieldOptions = { label: string; name: string; hint?: string; action: Action; attributes?: Attributes };

/** A field with its label, its hint and, after a refusal, what is wrong with it. */
export function field(
  kind: 'input' | 'textarea' | 'select',
  options: FieldOptions,
  ...children: Content[]
): Description {
  const { label, name, hint, action, attributes } = options;
  const id = `${attributes?.id ?? `field-${name}`}`;
  const fault = faultOf(action.problem, name);
  const described = [hint === undefined ? '' : `${id}-hint`, fault === null ? '' : `${id}-fault`].join(' ').trim();
  return element(
    'div',
    { class: 'field', key: `field ${id}` },
    element('label', { for: id }, label),
    element(
      kind,
      {
        name,
        ...attributes,
        id,
        'aria-describedby': described === '' ? null : described,
        'aria-invalid': fault === null ? null : 'true',
      },
      children,
    ),
    hint !== undefined && element('p', { class: 'hint', id: `${id}-hint` }, hint),
    fault !== null && element('p', { class: 'fault', id: `${id}-fault` }, fault),
  );
}

export function option(value: string, label: string, selected = false): Description {
  return element('option', { value, selected }, label);
}

/** A select of known choices. */
export function choice(
  options: FieldOptions & { value: string; choices: readonly (readonly [string, string])[] },
): Description {
  const attributes = { ...options.attributes, value: options.value };
  const offered = options.choices.map(([value, label]) => option(value, label));
  return field('select', { ...options, attributes }, offered);
}

/** Boxes of which any number may be ticked; the ticked ones come in `all(name)`. */
export function boxes(
  legend: string,
  name: string,
  offered: readonly { value: string; label: Content }[],
  ticked: readonly string[],
): Description {
  const items = offered.map(({ value, label }) =>
    element(
      'label',
      { class: 'box', key: value },
      element('input', { type: 'checkbox', name, value, checked: ticked.includes(value) }),
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
