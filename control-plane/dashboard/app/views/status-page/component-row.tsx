import type { Component } from '../../data/api-types.ts';
import { describeDrivers } from '../../data/components.ts';
import { Badge } from '../../parts/badge.tsx';
import { Options } from '../../parts/form.tsx';
import { componentStatusChoices, presentation } from '../../parts/labels.ts';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

/** A component with the status people see, what drives it, and the status that an operator set by hand. */
export function ComponentRow({ component, refresh }: { component: Component; refresh(): Promise<void> }) {
  const { can } = useApp();
  const action = useAction();
  return (
    <li class="component" data-row>
      <Badge state={presentation('components', component.shown_status)} />
      <span class="name">{component.name}</span>
      <span class="hint">{describeDrivers(component)}</span>
      {can('components:write') ? (
        <StatusSelect component={component} action={action} refresh={refresh} />
      ) : (
        <span class="hint">set to {presentation('components', component.status).label}</span>
      )}
      <ProblemNote problem={action.problem} />
    </li>
  );
}

type SelectProps = { component: Component; action: ReturnType<typeof useAction>; refresh(): Promise<void> };

function StatusSelect({ component, action, refresh }: SelectProps) {
  const app = useApp();
  const onChange = async (event: Event): Promise<void> => {
    const select = event.currentTarget as HTMLSelectElement;
    const status = select.value;
    const isSet = await action.run(async () => {
      await app.api.send('PATCH', `/v0/components/${component.id}`, { status });
      const label = componentStatusChoices.find(([value]) => value === status)?.[1] ?? status;
      app.announce(`${component.name}: ${label}`);
      await refresh();
    });
    if (!isSet) select.value = component.status;
  };
  return (
    <label class="filter">
      <span>Manual status</span>
      <select value={component.status} aria-label={`Status of ${component.name}`} onChange={onChange}>
        <Options choices={componentStatusChoices} />
      </select>
    </label>
  );
}
