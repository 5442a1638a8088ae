import { useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { Choose, Line } from '../../kit/form/controlled.tsx';
import { Form, type Values } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { pageLocales } from './page-draft.ts';
import { TimeZones } from './settings-fields.tsx';

/** The page is public with the first click, so only what it needs is asked; all else follows with a preview. */
export function NewPage() {
  const app = useApp();
  const action = useAction();
  const [draft, setDraft] = useState({
    name: '',
    slug: '',
    locale: 'en',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const change = (changes: Partial<typeof draft>) => setDraft(before => ({ ...before, ...changes }));
  const create = async (_: Values): Promise<void> => {
    const { name, slug, timezone } = draft;
    const locale = pageLocales.find(([value]) => value === draft.locale)?.[0] ?? 'en';
    const body = {
      name: name.trim(),
      timezone: timezone.trim(),
      locale,
      ...(slug.trim() === '' ? {} : { slug: slug.trim() }),
    };
    const page = await read(app.api.client.POST('/v0/status-pages', { body }));
    app.announce(`${page.name}: created`);
    app.go(`#/status-pages/${page.id}`);
  };
  return (
    <Page
      title="New status page"
      crumbs={[{ label: 'Status pages', address: '#/status-pages' }]}
      freshness={{ asOf: 0, error: null }}
    >
      {app.can('status-pages:write') ? (
        <Form label="New status page" class="card narrow" action={action} submit={create}>
          <Line
            label="Name"
            name="name"
            action={action}
            value={draft.name}
            onText={name => change({ name })}
            input={{ required: true, maxLength: 200, placeholder: 'Acme status' }}
          />
          <Line
            label="Slug"
            name="slug"
            action={action}
            value={draft.slug}
            onText={slug => change({ slug })}
            hint={`Public at ${location.origin}/status/${draft.slug.trim() || 'acme'}. Empty: made from the name.`}
            input={{ placeholder: 'acme', autocapitalize: 'none' }}
          />
          <div class="pair">
            <Choose
              label="Language"
              name="locale"
              action={action}
              value={draft.locale}
              onText={locale => change({ locale })}
              choices={pageLocales}
            />
            <Line
              label="Time zone"
              name="timezone"
              action={action}
              value={draft.timezone}
              onText={timezone => change({ timezone })}
              input={{ list: 'time-zones', autocapitalize: 'none' }}
            />
          </div>
          <TimeZones />
          <ProblemNote problem={action.problem} fields={['name', 'slug', 'locale', 'timezone']} />
          <div class="buttons">
            <SubmitButton action={action}>Create page</SubmitButton>
            <a class="button" href="#/status-pages">
              Cancel
            </a>
          </div>
        </Form>
      ) : (
        <p class="note">This token does not have permission to create status pages.</p>
      )}
    </Page>
  );
}
