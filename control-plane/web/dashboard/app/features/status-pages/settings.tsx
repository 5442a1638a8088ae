import { useEffect, useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { plural } from '../../kit/plural.ts';
import { read } from '../../session/api.ts';
import type { Component, StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { pageChanges, pageDraftOf } from './page-draft.ts';
import { LanguageFields, LookFields, NameFields } from './settings-fields.tsx';

type SettingsProps = {
  page: StatusPage;
  components: readonly Component[];
  /** Shows settings that are not saved. */
  preview(changes: Readonly<Record<string, unknown>>): void;
  refresh(): Promise<void>;
};

/** How a page is called, where it is and how it looks. Only what was typed is sent. */
export function Settings(props: SettingsProps) {
  const { can } = useApp();
  if (!can('status-pages:write')) return <ReadOnly page={props.page} />;
  return (
    <>
      <SettingsForm {...props} />
      <DeletePage {...props} />
    </>
  );
}

function SettingsForm({ page, preview, refresh }: SettingsProps) {
  const app = useApp();
  const form = useForm(`status page ${page.id}`, pageDraftOf(page), async draft => {
    const body = pageChanges(page, draft);
    if (Object.keys(body).length === 0) return;
    const params = { path: { id: page.id } };
    await read(app.api.client.PATCH('/v0/status-pages/{id}', { params, body }));
    await refresh();
    form.reset();
    app.announce('Saved. The page is published within seconds.');
  });
  const changes = JSON.stringify(pageChanges(page, form.draft));
  const isChanged = changes !== '{}';
  useEffect(() => preview(JSON.parse(changes)), [changes]);
  useEffect(() => () => preview({}), []);
  return (
    <form.Form label="Page settings" class="column">
      <NameFields form={form} page={page} />
      <LookFields form={form} page={page} />
      <LanguageFields form={form} />
      <form.Footer class="sticky" submit="Save" disabled={!isChanged}>
        <button type="button" disabled={!isChanged} onClick={form.reset}>
          Discard changes
        </button>
      </form.Footer>
    </form.Form>
  );
}

function ReadOnly({ page }: { page: StatusPage }) {
  const { slug, description, locale, timezone, theme, history_days, color, home_url, support_url } = page;
  const rows = {
    ...{ Slug: slug, Description: description, Language: locale, 'Time zone': timezone, Theme: theme },
    ...{ 'Days of history': String(history_days), Colour: color, 'Home link': home_url, 'Support link': support_url },
  };
  return (
    <section class="card">
      <h2>Settings</h2>
      <dl>
        {Object.entries(rows).map(([name, value]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name}>{value === null || value === '' ? '–' : value}</dd>,
        ])}
      </dl>
    </section>
  );
}

function DeletePage({ page, components }: Pick<SettingsProps, 'page' | 'components'>) {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const count = components.length;
  if (count > 0 && !app.can('components:write')) return null;
  const remove = async (): Promise<void> => {
    const query = count > 0 ? ({ components: 'delete' } as const) : {};
    await app.api.client.DELETE('/v0/status-pages/{id}', { params: { path: { id: page.id }, query } });
    app.announce(`${page.name}: deleted`);
    app.go('#/status-pages');
  };
  return (
    <section class="card">
      <h2>Delete this page</h2>
      <p class="hint">The page goes offline at once. Its slug stays reserved for this project for a year.</p>
      <div class="buttons">
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Delete page…
        </button>
      </div>
      {isOpen && (
        <ConfirmDialog
          title={`Delete ${page.name}?`}
          button="Delete page"
          typed={page.slug}
          close={() => setOpen(false)}
          work={remove}
        >
          <p>
            Its address {page.url} stops working, {plural(count, 'component')} and all subscribers are deleted. This
            cannot be undone. Open incidents must be resolved first.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
