import { SelectorField } from '../../../kit/form/selector-field.tsx';
import type { Choosable, FieldsProps } from './fields-props.ts';

const choicesOf = (items: readonly { id: string; name: string }[]) => items.map(({ id, name }) => [id, name] as const);

/** What is in maintenance: all that is chosen here together. */
export function ScopeFields({ form, choosable }: FieldsProps & { choosable: Choosable }) {
  const { monitors, components, pages } = choosable;
  return (
    <section class="card">
      <h2>Scope</h2>
      <p class="hint">All of these together. Components and status pages bring their monitors.</p>
      <SelectorField field={form.text('selector', 'scope/selector')} label="Monitors by their labels" />
      {monitors.length > 0 && (
        <form.Many name="monitorIds" at="scope/monitor_ids" legend="Single monitors" choices={choicesOf(monitors)} />
      )}
      {components.length > 0 && (
        <form.Many name="componentIds" at="scope/component_ids" legend="Components" choices={choicesOf(components)} />
      )}
      {pages.length > 0 && (
        <form.Many name="pageIds" at="scope/status_page_ids" legend="Whole status pages" choices={choicesOf(pages)} />
      )}
    </section>
  );
}
