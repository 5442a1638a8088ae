import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { readDraft, writeDraft } from '../../kit/form/drafts.ts';
import { Form } from '../../kit/form/form.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { type PageDraft, pageChanges, pageDraftOf } from './page-draft.ts';
import { LanguageFields, LookFields, NameFields } from './settings-fields.tsx';

type Typed = Partial<PageDraft>;
type SettingsProps = {
  page: StatusPage;
  components: readonly Component[];
  /** Shows settings that are not saved. */
  preview(changes: Readonly<Record<string, unknown>>): void;
  refresh(): Promise<void>;
};

const shownErrors = [
  ...['name', 'slug', 'description', 'home_url', 'support_url', 'locale', 'timezone', 'history_days', 'theme', 'color'],
];

/** How a page is called, where it is and how it looks. Only what was typed is sent. */
export function Settings({ page, components, preview, refresh }: SettingsProps) {
  const app = useApp();
  const action = useAction();
  const key = `status page ${page.id}`;
  const [typed, setTyped] = useState<Typed>(() => restored(key));
  const draft = { ...pageDraftOf(page), ...typed };
  const changes = pageChanges(page, draft);
  const isChanged = Object.keys(changes).length > 0;
  const wanted = JSON.stringify(changes);
  useLayoutEffect(() => writeDraft(key, isChanged ? { page: JSON.stringify(typed) } : {}), [wanted]);
  useEffect(() => preview(JSON.parse(wanted)), [wanted]);
  useEffect(() => () => preview({}), []);
  const change = (edited: Typed) => setTyped(before => ({ ...before, ...edited }));
  const save = async (): Promise<void> => {
    if (!isChanged) return;
    const params = { path: { id: page.id } };
    await read(app.api.client.PATCH('/v0/status-pages/{id}', { params, body: changes }));
    await refresh();
    setTyped({});
    app.announce('Saved. The page is published within seconds.');
  };
  if (!app.can('status-pages:write')) return <ReadOnly page={page} />;
  const fields = { page, draft, change, action };
  return (
    <>
      <Form label="Page settings" class="column" action={action} submit={save}>
        <NameFields {...fields} />
        <LookFields {...fields} />
        <LanguageFields {...fields} />
        <ProblemNote problem={action.problem} fields={shownErrors} />
        <div class="buttons sticky">
          <SubmitButton action={action} disabled={!isChanged}>
            Save
          </SubmitButton>
          <button type="button" disabled={!isChanged} onClick={() => setTyped({})}>
            Discard changes
          </button>
        </div>
      </Form>
      <DeletePage page={page} components={components} />
    </>
  );
}

function restored(key: string): Typed {
  const { page } = readDraft(key);
  return page === undefined ? {} : (JSON.parse(page) as Typed);
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

function DeletePage({ page, components }: { page: StatusPage; components: readonly Component[] }) {
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
