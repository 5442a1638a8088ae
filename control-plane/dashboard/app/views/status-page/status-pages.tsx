import type { Component, Monitor, Named, StatusPage } from '../../data/api-types.ts';
import { componentsOf } from '../../data/components.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { Form, TextField, type Values } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { type App, useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';
import { ComponentRow } from './component-row.tsx';
import { NewComponent } from './new-component.tsx';

type Loaded = {
  pages: readonly StatusPage[];
  components: readonly Component[];
  monitors: readonly Named[];
};

export function StatusPages() {
  const app = useApp();
  const load = useLoad<Loaded>('', previous => read(app, previous), 5000);
  const { pages, components, monitors } = load.value ?? { pages: [], components: [], monitors: [] };
  const canWrite = app.can('components:write');
  return (
    <Page title="Status pages" freshness={load.freshness} refresh={load.refresh}>
      {pages.length === 0 && <p class="empty">No status pages yet. A status page keeps your users informed.</p>}
      {pages.map(page => (
        <section key={page.id} class="card">
          <h2>{page.name}</h2>
          <p>
            <a href={page.url} target="_blank" rel="noreferrer">
              {page.url}
            </a>
          </p>
          <Components page={page} components={componentsOf(page, components)} refresh={load.refresh} />
          {canWrite && <NewComponent page={page} monitors={monitors} refresh={load.refresh} />}
        </section>
      ))}
      {app.can('status-pages:write') && <NewPage isOpen={pages.length === 0} refresh={load.refresh} />}
    </Page>
  );
}

async function read({ api, can }: App, previous: Loaded | null): Promise<Loaded> {
  const known = previous?.monitors ?? [];
  const [pages, components, monitors] = await Promise.all([
    api.all<StatusPage>('/v0/status-pages'),
    can('components:read') ? api.all<Component>('/v0/components') : [],
    known.length === 0 && can('monitors:read') ? api.all<Monitor>('/v0/monitors') : known,
  ]);
  return { pages, components, monitors };
}

type ComponentsProps = { page: StatusPage; components: readonly Component[]; refresh(): Promise<void> };

function Components({ components, refresh }: ComponentsProps) {
  if (components.length === 0) return <p class="hint">No components yet.</p>;
  return (
    <ul class="components">
      {components.map(component => (
        <ComponentRow key={component.id} component={component} refresh={refresh} />
      ))}
    </ul>
  );
}

function NewPage({ isOpen, refresh }: { isOpen: boolean; refresh(): Promise<void> }) {
  const { api } = useApp();
  const action = useAction();
  const create = async (values: Values, form: HTMLFormElement): Promise<void> => {
    await api.send('POST', '/v0/status-pages', { name: values.text('name'), slug: values.text('slug') });
    form.reset();
    await refresh();
  };
  return (
    <details class="card" open={isOpen}>
      <summary>
        <h2>New status page</h2>
      </summary>
      <Form label="New status page" action={action} submit={create}>
        <TextField label="Name" name="name" action={action} input={{ required: true, maxLength: 200 }} />
        <TextField
          label="Slug"
          name="slug"
          action={action}
          hint="The page will be public at /status/ followed by its slug."
          input={{ required: true, placeholder: 'acme', autocapitalize: 'none' }}
        />
        <ProblemNote problem={action.problem} fields={['name', 'slug']} />
        <div class="buttons">
          <SubmitButton action={action}>Create page</SubmitButton>
        </div>
      </Form>
    </details>
  );
}
