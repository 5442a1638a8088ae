import { PickMany } from '../../../kit/form/pick-many.tsx';
import { SelectorField } from '../../../kit/form/selector-field.tsx';
import { fieldError } from '../../../session/error.ts';
import type { Choosable, FieldsProps } from './fields-props.ts';

const choicesOf = (items: readonly { id: string; name: string }[]) => items.map(({ id, name }) => [id, name] as const);

/** What is in maintenance: all that is chosen here together. */
export function ScopeFields({ draft, change, action, choosable }: FieldsProps & { choosable: Choosable }) {
  const { monitors, components, pages } = choosable;
  const error = fieldError(action.problem, 'scope');
  return (
    <section class="card">
      <h2>Scope</h2>
      <p class="hint">All of these together. Components and status pages bring their monitors.</p>
      <SelectorField
        label="Monitors by their labels"
        name="scope/selector"
        action={action}
        value={draft.selector}
        onText={selector => change({ selector })}
      />
      {monitors.length > 0 && (
        <PickMany
          legend="Single monitors"
          choices={choicesOf(monitors)}
          picked={draft.monitorIds}
          onChange={monitorIds => change({ monitorIds })}
        />
      )}
      {components.length > 0 && (
        <PickMany
          legend="Components"
          choices={choicesOf(components)}
          picked={draft.componentIds}
          onChange={componentIds => change({ componentIds })}
        />
      )}
      {pages.length > 0 && (
        <PickMany
          legend="Whole status pages"
          choices={choicesOf(pages)}
          picked={draft.pageIds}
          onChange={pageIds => change({ pageIds })}
        />
      )}
      {error !== null && <p class="fault">{error}</p>}
    </section>
  );
}
