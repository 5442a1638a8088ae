import { useEffect, useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import type { Fields } from '../../kit/form/fields.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { SelectorField } from '../../kit/form/selector-field.tsx';
import { componentStatusChoices } from '../../kit/labels.ts';
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

type ComponentDraft = ReturnType<typeof draftOf>;

function bodyOf({ group, monitor_selector: selector, monitor_ids, name, ...rest }: ComponentDraft) {
  return {
    ...rest,
    name: name.trim(),
    group: group.trim() === '' ? null : group.trim(),
    monitor_selector: selector.trim() === '' ? null : selector.trim(),
    monitor_ids: [...monitor_ids],
  };
}

/** Everything that can be set on a component: its words, and what drives its status. */
export function ComponentDialog({ page, component, groups, close, refresh }: DialogProps) {
  const app = useApp();
  const { client } = app.api;
  const [isDeleting, setDeleting] = useState(false);
  const form = useForm(`component ${component?.id ?? `of ${page.id}`}`, draftOf(component), async draft => {
    const body = bodyOf(draft);
    if (component === null) await read(client.POST('/v0/components', { body: { ...body, status_page_id: page.id } }));
    else await read(client.PATCH('/v0/components/{id}', { params: { path: { id: component.id } }, body }));
    app.announce(`${body.name}: saved`);
    await refresh();
    close();
  });
  if (component !== null && isDeleting)
    return <DeleteComponent component={component} back={() => setDeleting(false)} close={close} refresh={refresh} />;
  const deletion = component !== null && (
    <button type="button" class="danger end" onClick={() => setDeleting(true)}>
      Delete component…
    </button>
  );
  return (
    <Dialog title={component === null ? 'New component' : `Edit ${component.name}`} close={close} class="wide">
      <form.Form label={component === null ? 'New component' : 'Component'}>
        <WordFields form={form} groups={groups} />
        <SourceFields form={form} />
        <form.Check name="show_uptime" label="Show its uptime and its days" />
        <form.Footer submit={component === null ? 'Create component' : 'Save'} cancel={close} end={deletion} />
      </form.Form>
    </Dialog>
  );
}

function WordFields({ form, groups }: { form: Fields<ComponentDraft>; groups: readonly string[] }) {
  return (
    <>
      <div class="pair">
        <form.Line name="name" label="Name" input={{ required: true, maxLength: 200 }} />
        <form.Line
          name="group"
          label="Group"
          hint="Components in the same group are shown together."
          input={{ list: 'component-groups', maxLength: 200, placeholder: 'none' }}
        />
      </div>
      <datalist id="component-groups">
        {groups.map(group => (
          <option key={group} value={group} />
        ))}
      </datalist>
      <form.Lines name="description" label="Description" rows={2} />
    </>
  );
}

function SourceFields({ form }: { form: Fields<ComponentDraft> }) {
  const monitors = useMonitors();
  return (
    <fieldset>
      <legend>Status source</legend>
      <p class="hint">Visitors see the worst of three: the monitors, open incidents, and the manual status.</p>
      {monitors.length > 0 && (
        <form.Many
          name="monitor_ids"
          legend="These monitors"
          choices={monitors.map(({ id, name }) => [id, name] as const)}
        />
      )}
      <SelectorField field={form.text('monitor_selector')} label="And all monitors that match this selector" />
      <form.Choice name="status" label="Manual status" choices={componentStatusChoices} />
    </fieldset>
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
