import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { Options } from '../../kit/form/controls.tsx';
import { componentStatusChoices, presentation } from '../../kit/labels.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import type { Order } from './use-order.ts';
import { describeDrivers } from './words.ts';

type RowProps = {
  component: Component;
  /** Null where it cannot be changed. */
  order: Order | null;
  edit: (() => void) | null;
  refresh(): Promise<void>;
};

/** A component with the status people see, what drives it, and the status that an operator set by hand. */
export function ComponentRow({ component, order, edit, refresh }: RowProps) {
  const action = useAction();
  const [side, setSide] = useState<'before' | 'after' | null>(null);
  const onDragOver = (event: DragEvent) => {
    if (order?.dragged == null) return;
    event.preventDefault();
    const { top, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setSide(event.clientY < top + height / 2 ? 'before' : 'after');
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    if (side !== null) order?.dropAt(component.id, side);
    setSide(null);
  };
  return (
    <li
      class={`component${side === null ? '' : ` drop-${side}`}${order?.dragged === component.id ? ' dragged' : ''}`}
      data-row
      onDragOver={onDragOver}
      onDragLeave={() => setSide(null)}
      onDrop={onDrop}
    >
      {order !== null && <Handle component={component} order={order} />}
      <span class="what">
        <span class="state">
          <strong>{component.name}</strong>
          <Badge state={presentation('components', component.shown_status)} />
        </span>
        <span class="hint">{describeDrivers(component)}</span>
      </span>
      {edit === null ? (
        <span class="hint">set to {presentation('components', component.status).label}</span>
      ) : (
        <>
          <StatusSelect component={component} action={action} refresh={refresh} />
          <button type="button" aria-label={`Edit ${component.name}`} onClick={edit}>
            Edit
          </button>
        </>
      )}
      <ProblemNote problem={action.problem} />
    </li>
  );
}

function Handle({ component: { id, name }, order }: { component: Component; order: Order }) {
  const onKey = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    if (direction === null) return;
    event.preventDefault();
    order.move(id, name, direction);
  };
  return (
    <button
      {...order.handleProps(id)}
      type="button"
      class="handle"
      draggable
      aria-label={`Move ${name}`}
      aria-describedby="order-hint"
      onKeyDown={onKey}
      onDragStart={event => {
        event.dataTransfer?.setData('text/plain', name);
        order.drag(id);
      }}
      onDragEnd={() => order.drag(null)}
    >
      <svg viewBox="0 0 10 16" aria-hidden="true">
        <path d="M2 3h.1M8 3h.1M2 8h.1M8 8h.1M2 13h.1M8 13h.1" />
      </svg>
    </button>
  );
}

type SelectProps = { component: Component; action: ReturnType<typeof useAction>; refresh(): Promise<void> };

function StatusSelect({ component, action, refresh }: SelectProps) {
  const app = useApp();
  const onChange = async (event: Event): Promise<void> => {
    const select = event.currentTarget as HTMLSelectElement;
    const choice = componentStatusChoices.find(([value]) => value === select.value);
    const isSet = await action.run(async () => {
      const params = { path: { id: component.id } };
      const body = { status: select.value as Component['status'] };
      await read(app.api.client.PATCH('/v0/components/{id}', { params, body }));
      app.announce(`${component.name}: ${choice?.[1] ?? select.value}`);
      await refresh();
    });
    if (!isSet) select.value = component.status;
  };
  return (
    <select
      class="manual"
      value={component.status}
      aria-label={`Status of ${component.name}`}
      title="Manual status"
      onChange={onChange}
    >
      <Options choices={componentStatusChoices} />
    </select>
  );
}
