import { useState } from 'preact/hooks';
import { ProblemNote } from '../../kit/problem.tsx';
import type { Component, StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { ComponentDialog } from './component-dialog.tsx';
import { groupsOf } from './component-order.ts';
import { ComponentRow } from './component-row.tsx';
import { useOrder } from './use-order.ts';

type ComponentsProps = { page: StatusPage; components: readonly Component[]; refresh(): Promise<void> };

/** The components of a page in their order, which is changed by dragging or by the arrow keys on a handle. */
export function Components({ page, components, refresh }: ComponentsProps) {
  const app = useApp();
  const order = useOrder(page, components, refresh);
  const [edited, setEdited] = useState<Component | 'new' | null>(null);
  const canWrite = app.can('components:write');
  const byId = new Map(components.map(component => [component.id, component]));
  const shown = order.places.flatMap(({ id, group }) => {
    const component = byId.get(id);
    return component === undefined ? [] : [{ ...component, group }];
  });
  return (
    <section class="card" ref={order.list}>
      <div class="card-head">
        <h2>Components</h2>
        {canWrite && (
          <button type="button" class="primary" onClick={() => setEdited('new')}>
            New component
          </button>
        )}
      </div>
      {shown.length === 0 && (
        <p class="empty">
          No components yet. A component is a part of your service that users know, such as “Checkout”.
        </p>
      )}
      {canWrite && shown.length > 1 && (
        <p class="hint" id="order-hint">
          Drag a handle, or focus it and press the arrow keys, to change order and groups.
        </p>
      )}
      <ProblemNote problem={order.problem} />
      {groupsOf(shown).map(({ group, members }) => (
        <div key={group ?? members[0]?.id} class={group === null ? undefined : 'component-group'}>
          {group !== null && <h3>{group}</h3>}
          <ul class="components">
            {members.map(component => (
              <ComponentRow
                key={component.id}
                component={component}
                order={canWrite && shown.length > 1 ? order : null}
                edit={canWrite ? () => setEdited(byId.get(component.id) ?? component) : null}
                refresh={refresh}
              />
            ))}
          </ul>
        </div>
      ))}
      {edited !== null && (
        <ComponentDialog
          page={page}
          component={edited === 'new' ? null : edited}
          groups={[...new Set(components.flatMap(({ group }) => (group === null ? [] : [group])))]}
          close={() => setEdited(null)}
          refresh={refresh}
        />
      )}
    </section>
  );
}
