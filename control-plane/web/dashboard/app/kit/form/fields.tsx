import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import {
  Check,
  Checks,
  type ChecksProps,
  ChoiceControl,
  type ChoiceProps,
  Fault,
  type Field,
  type FormState,
  LineControl,
  type LineProps,
  LinesControl,
  type LinesProps,
  SealedControl,
  type SealedProps,
} from './controls.tsx';
import { PickMany } from './pick-many.tsx';
import { type Draft, useDraft } from './use-draft.ts';

/** The names of the members that hold such a value. */
type NamesOf<Value, Kind> = {
  [Name in keyof Value & string]-?: Value[Name] extends Kind ? Name : never;
}[keyof Value & string];
type Texts<Value> = NamesOf<Value, string>;
type Lists<Value> = NamesOf<Value, readonly string[]>;
type ItemOf<List> = List extends readonly (infer Item extends object)[] ? Item : never;

/** A field says its name once. `at` is where the API says what is wrong with it, where that differs from its name. */
type Named<Name> = { name: Name; at?: string };

type Controls<Value> = {
  Line(props: Named<Texts<Value>> & LineProps): JSX.Element;
  Lines(props: Named<Texts<Value>> & LinesProps): JSX.Element;
  /** A secret, which is never shown once it is stored. */
  Sealed(props: Named<Texts<Value>> & SealedProps): JSX.Element;
  /** One of several values, which the member may have. */
  Choice(props: Named<Texts<Value>> & ChoiceProps): JSX.Element;
  Check(props: Named<NamesOf<Value, boolean>> & { label: string; hint?: string }): JSX.Element;
  /** Some of a few, in their order. */
  Checks(props: Named<Lists<Value>> & ChecksProps): JSX.Element;
  /** Some of many, which are found by typing. */
  Many(props: Named<Lists<Value>> & ChecksProps): JSX.Element;
  /** What is wrong with something that has no field of its own. */
  Fault(props: { at: string; texts?: readonly string[] }): JSX.Element;
};

/** The fields of a draft, or of a part of one. */
export type Fields<Value> = Controls<Value> & {
  draft: Value;
  change(changes: Partial<Value>): void;
  /** A text for a field of another kind, such as `MarkdownField`. */
  text(name: Texts<Value>, at?: string): Field<string>;
  /** The fields of a member that is an object; for one that may be null, while it is not. */
  part<Name extends NamesOf<Value, object | null>>(name: Name, at?: string): Fields<NonNullable<Value[Name]>>;
  /** The fields of each item of a list. */
  rows<Name extends NamesOf<Value, readonly object[]>>(name: Name, at?: string): Row<ItemOf<Value[Name]>>[];
};
type Row<Item> = Fields<Item> & { remove(): void };

type Scope<Value> = Pick<Draft<Value>, 'get' | 'set'> & {
  form: FormState;
  /** Before the names of members in ids, and where the API names them: '' or `rules/`. */
  id: string;
  at: string;
  controls: Controls<Value>;
  children: Map<string, unknown>;
};

/** Fields that are not sent: they ask something. */
export function useFields<Value extends object>(start: Value): Fields<Value> {
  const draft = useDraft(null, start);
  const id = useId();
  const [scope] = useState(() => openScope(draft, { problem: null, shown: new Set() }, `${id}-`, ''));
  return fieldsOf(scope);
}

/** Kept as long as its form is, since a control that is made anew would lose the focus. */
export function openScope<Value>(
  { get, set }: Pick<Draft<Value>, 'get' | 'set'>,
  form: FormState,
  id: string,
  at: string,
): Scope<Value> {
  const fieldOf = <Kind,>(name: keyof Value & string, place: string = name): Field<Kind> => ({
    form,
    id: id + name,
    at: at + place,
    value: get()[name] as Kind,
    set: value => set({ ...get(), [name]: value }),
  });
  const controls: Controls<Value> = {
    Line: ({ name, at, ...props }) => <LineControl {...props} field={fieldOf(name, at)} />,
    Lines: ({ name, at, ...props }) => <LinesControl {...props} field={fieldOf(name, at)} />,
    Sealed: ({ name, at, ...props }) => <SealedControl {...props} field={fieldOf(name, at)} />,
    Choice: ({ name, at, ...props }) => <ChoiceControl {...props} field={fieldOf(name, at)} />,
    Check: ({ name, at, ...props }) => {
      const { value, set } = fieldOf<boolean>(name, at);
      return <Check {...props} checked={value} onCheck={set} />;
    },
    Checks: ({ name, at, ...props }) => {
      const field = fieldOf<readonly string[]>(name, at);
      return <Chosen field={field} list={<Checks {...props} chosen={field.value} onChange={field.set} />} />;
    },
    Many: ({ name, at, ...props }) => {
      const field = fieldOf<readonly string[]>(name, at);
      return <Chosen field={field} list={<PickMany {...props} picked={field.value} onChange={field.set} />} />;
    },
    Fault: ({ at: place, texts }) => (
      <Fault field={{ form, id: '', at: at + place, value: null, set: () => undefined }} texts={texts} />
    ),
  };
  return { get, set, form, id, at, controls, children: new Map() };
}

function Chosen({ field, list }: { field: Field<unknown>; list: JSX.Element }) {
  return (
    <>
      {list}
      <Fault field={field} />
    </>
  );
}

export function fieldsOf<Value>(scope: Scope<Value>): Fields<Value> {
  const { get, set, form, id, at, controls } = scope;
  return {
    ...controls,
    draft: get(),
    change: changes => set({ ...get(), ...changes }),
    text: (name, place = name) => ({
      form,
      id: id + name,
      at: at + place,
      value: String(get()[name]),
      set: text => set({ ...get(), [name]: text }),
    }),
    part: (name, place = name) => fieldsOf(memberScope(scope, name, place) as Scope<NonNullable<Value[typeof name]>>),
    rows: (name, place = name) => rowsOf(memberScope(scope, name, place)),
  };
}

function memberScope<Value, Name extends keyof Value & string>(
  scope: Scope<Value>,
  name: Name,
  place: string,
): Scope<Value[Name]> {
  const { get, set } = scope;
  const member = { get: () => get()[name], set: (value: Value[Name]) => set({ ...get(), [name]: value }) };
  return childOf(scope, name, place, member);
}

function childOf<Value>(
  { children, form, id, at }: Pick<Scope<unknown>, 'children' | 'form' | 'id' | 'at'>,
  name: string,
  place: string,
  member: Pick<Draft<Value>, 'get' | 'set'>,
): Scope<Value> {
  const key = `${name} ${place}`;
  const known = children.get(key) as Scope<Value> | undefined;
  const scope = known ?? openScope(member, form, `${id}${name}/`, `${at}${place}/`);
  children.set(key, scope);
  return scope;
}

function rowsOf<List>(scope: Scope<List>): Row<ItemOf<List>>[] {
  const items = () => scope.get() as readonly ItemOf<List>[];
  const set = (changed: readonly ItemOf<List>[]) => scope.set(changed as List);
  return items().map((_, index) => {
    const item = {
      get: () => items()[index] as ItemOf<List>,
      set: (value: ItemOf<List>) => set(items().with(index, value)),
    };
    const fields = fieldsOf(childOf(scope, String(index), String(index), item));
    return { ...fields, remove: () => set(items().toSpliced(index, 1)) };
  });
}
