import { useEffect, useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Choose, Line, Lines } from '../../kit/form/controlled.tsx';
import { Form } from '../../kit/form/form.tsx';
import { PickMany } from '../../kit/form/pick-many.tsx';
import { SelectorField } from '../../kit/form/selector-field.tsx';
import { useDraft } from '../../kit/form/use-draft.ts';
import { componentStatusChoices } from '../../kit/labels.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Named, StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { readAll } from '../../session/read-all.ts';

type DialogProps = {
  page: StatusPage;
  /** Null: a new one. */
  component: Component | null;
  groups: readonly string[];
  close(): void;
  refresh(): Promise<void>;
};

const shownErrors = ['name', 'description', 'group', 'status', 'monitor_selector'];

function draftOf(component: Component | null) {
  return {
    name: component?.name ?? '',
    description: component?.description ?? '',
    group: component?.group ?? '',
    status: component?.status ?? ('operational' as const),
    show_uptime: component?.show_uptime ?? true,
    monitor_selector: component?.monitor_selector ?? '',
    monitor_ids: component?.monitor_ids ?? [],
  };
}

/** Everything that can be set on a component: its words, and what drives its status. */
export function ComponentDialog({ page, component, groups, close, refresh }: DialogProps) {
  const app = useApp();
  const action = useAction();
  const key = `component ${component?.id ?? `of ${page.id}`}`;
  const { draft, change, discard } = useDraft(key, draftOf(component));
  const [isDeleting, setDeleting] = useState(false);
  const monitors = useMonitors();
  const save = async (): Promise<void> => {
    const { group, monitor_selector: selector, monitor_ids, ...rest } = draft;
    const body = {
      ...rest,
      name: rest.name.trim(),
      group: group.trim() === '' ? null : group.trim(),
      monitor_selector: selector.trim() === '' ? null : selector.trim(),
      monitor_ids: [...monitor_ids],
    };
    const { client } = app.api;
    if (component === null) await read(client.POST('/v0/components', { body: { ...body, status_page_id: page.id } }));
    else await read(client.PATCH('/v0/components/{id}', { params: { path: { id: component.id } }, body }));
    discard();
    app.announce(`${body.name}: saved`);
    await refresh();
    close();
  };
  const cancel = () => {
    discard();
    close();
  };
  if (component !== null && isDeleting)
    return <DeleteComponent component={component} back={() => setDeleting(false)} close={close} refresh={refresh} />;
  return (
    <Dialog title={component === null ? 'New component' : `Edit ${component.name}`} close={close} class="wide">
      <Form label={component === null ? 'New component' : 'Component'} action={action} submit={save}>
        <div class="pair">
          <Line
            label="Name"
            name="name"
            id="component-name"
            action={action}
            value={draft.name}
            onText={name => change({ name })}
            input={{ required: true, maxLength: 200 }}
          />
          <Line
            label="Group"
            name="group"
            id="component-group"
            action={action}
            value={draft.group}
            onText={group => change({ group })}
            hint="Components in the same group are shown together."
            input={{ list: 'component-groups', maxLength: 200, placeholder: 'none' }}
          />
        </div>
        <datalist id="component-groups">
          {groups.map(group => (
            <option key={group} value={group} />
          ))}
        </datalist>
        <Lines
          label="Description"
          name="description"
          id="component-description"
          action={action}
          value={draft.description}
          onText={description => change({ description })}
          rows={2}
        />
        <fieldset>
          <legend>Status source</legend>
          <p class="hint">Visitors see the worst of three: the monitors, open incidents, and the manual status.</p>
          {monitors.length > 0 && (
            <PickMany
              legend="These monitors"
              choices={monitors.map(({ id, name }) => [id, name] as const)}
              picked={draft.monitor_ids}
              onChange={picked => change({ monitor_ids: [...picked] })}
            />
          )}
          <SelectorField
            id="component-selector"
            label="And all monitors that match this selector"
            name="monitor_selector"
            action={action}
            value={draft.monitor_selector}
            onText={monitor_selector => change({ monitor_selector })}
          />
          <Choose
            label="Manual status"
            name="status"
            id="component-status"
            action={action}
            value={draft.status}
            onText={status => change({ status: status as Component['status'] })}
            choices={componentStatusChoices}
          />
        </fieldset>
        <label class="box">
          <input
            type="checkbox"
            checked={draft.show_uptime}
            onChange={event => change({ show_uptime: event.currentTarget.checked })}
          />
          <span>Show its uptime and its days</span>
        </label>
        <ProblemNote problem={action.problem} fields={shownErrors} />
        <div class="buttons">
          <SubmitButton action={action}>{component === null ? 'Create component' : 'Save'}</SubmitButton>
          <button type="button" onClick={cancel}>
            Cancel
          </button>
          {component !== null && (
            <button type="button" class="danger end" onClick={() => setDeleting(true)}>
              Delete component…
            </button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}

/** Loaded when the dialog opens: a page with thousands of monitors needs them nowhere else. */
function useMonitors(): readonly Named[] {
  const { api, can } = useApp();
  const [monitors, setMonitors] = useState<readonly Named[]>([]);
  useEffect(() => {
    let isOpen = true;
    if (can('monitors:read'))
      readAll(query => api.client.GET('/v0/monitors', { params: { query } })).then(
        found => isOpen && setMonitors(found.toSorted((left, right) => left.name.localeCompare(right.name))),
        () => undefined,
      );
    return () => {
      isOpen = false;
    };
  }, []);
  return monitors;
}

type DeleteProps = { component: Component; back(): void; close(): void; refresh(): Promise<void> };

function DeleteComponent({ component, back, close, refresh }: DeleteProps) {
  const app = useApp();
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/components/{id}', { params: { path: { id: component.id } } });
    app.announce(`${component.name}: deleted`);
    await refresh();
    close();
  };
  return (
    <ConfirmDialog title={`Delete ${component.name}?`} button="Delete component" close={back} work={remove}>
      <p>It disappears from the page along with its history. Its monitors stay.</p>
    </ConfirmDialog>
  );
}
