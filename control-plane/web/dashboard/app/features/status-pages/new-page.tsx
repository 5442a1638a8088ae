import { useForm } from '../../kit/form/form.tsx';
import { ZoneField } from '../../kit/form/zone-field.tsx';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { pageLocales } from './page-draft.ts';

type PageLocale = (typeof pageLocales)[number][0];

/** The page is public with the first click, so only what it needs is asked; all else follows with a preview. */
export function NewPage() {
  const { can } = useApp();
  return (
    <Page
      title="New status page"
      crumbs={[{ label: 'Status pages', address: '#/status-pages' }]}
      freshness={{ asOf: 0, error: null }}
    >
      {can('status-pages:write') ? (
        <NewPageForm />
      ) : (
        <p class="note">You do not have permission to create status pages.</p>
      )}
    </Page>
  );
}

function NewPageForm() {
  const app = useApp();
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const form = useForm(null, { name: '', slug: '', locale: 'en' as PageLocale, timezone }, async draft => {
    const slug = draft.slug.trim();
    const texts = { name: draft.name.trim(), timezone: draft.timezone.trim(), locale: draft.locale };
    const body = { ...texts, ...(slug === '' ? {} : { slug }) };
    const page = await read(app.api.client.POST('/v0/status-pages', { body }));
    app.announce(`${page.name}: created`);
    app.go(`#/status-pages/${page.id}`);
  });
  const example = form.draft.slug.trim() || 'acme';
  return (
    <form.Form label="New status page" class="card narrow">
      <form.Line name="name" label="Name" input={{ required: true, maxLength: 200, placeholder: 'Acme status' }} />
      <form.Line
        name="slug"
        label="Slug"
        hint={`Public at ${location.origin}/status/${example}. Empty: made from the name.`}
        input={{ placeholder: 'acme', autocapitalize: 'none' }}
      />
      <div class="pair">
        <form.Choice name="locale" label="Language" choices={pageLocales} />
        <ZoneField field={form.text('timezone')} />
      </div>
      <form.Footer submit="Create page" cancel="#/status-pages" />
    </form.Form>
  );
}
