import { useState } from 'preact/hooks';
import { CopyCode } from '../../../kit/copy-code.tsx';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { useForm } from '../../../kit/form/form.tsx';
import { read } from '../../../session/api.ts';
import type { StatusPage } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { accessBody, accessChoices, accessDraftOf, refusals, withoutPassword } from './access-draft.ts';

type AccessProps = { page: StatusPage; refresh(): Promise<void> };
/** What is shown once, after a change. */
type News = { link: string | null; warnings: readonly string[] };

/** Who may see the page. */
export function Access({ page, refresh }: AccessProps) {
  const { can } = useApp();
  const [news, setNews] = useState<News>({ link: null, warnings: [] });
  const changed = async (after: StatusPage & { warnings?: readonly string[] | undefined }): Promise<void> => {
    setNews({ link: after.access.url ?? null, warnings: after.warnings ?? [] });
    await refresh();
  };
  const { type, feed_url } = page.access;
  return (
    <>
      {can('status-pages:write') ? <AccessForm page={page} changed={changed} /> : <ReadOnly page={page} />}
      {news.warnings.map(text => (
        <p key={text} class="note" role="status">
          {text}
        </p>
      ))}
      {news.link !== null && (
        <section class="card">
          <CopyCode label="Link to the page" code={news.link} hint="Copy it now: it is not shown again." />
        </section>
      )}
      {type === 'link' && can('status-pages:write') && <NewLink page={page} changed={changed} />}
      {feed_url !== undefined && (
        <section class="card">
          <CopyCode label="Feed" code={feed_url} hint="For feed readers. Its key opens feeds, JSON and badge alone." />
        </section>
      )}
    </>
  );
}

type ChangeProps = { page: StatusPage; changed(after: StatusPage): Promise<void> };

function AccessForm({ page, changed }: ChangeProps) {
  const app = useApp();
  const [isAsking, setAsking] = useState(false);
  const submit = async (): Promise<void> => {
    if (form.draft.type === 'public' && page.access.type !== 'public') setAsking(true);
    else await save();
  };
  const form = useForm(`access of page ${page.id}`, accessDraftOf(page), submit, withoutPassword(page));
  const save = async (): Promise<void> => {
    const [params, body] = [{ path: { id: page.id } }, { access: accessBody(form.draft) }];
    const after = await read(app.api.client.PATCH('/v0/status-pages/{id}', { params, body }));
    await changed(after);
    form.reset();
    app.announce('Saved. It counts within seconds.');
  };
  const { type } = form.draft;
  return (
    <form.Form label="Access" class="column">
      <section class="card">
        <h2>Who may see the page</h2>
        <form.Choice name="type" at="access" label="Visitors" choices={accessChoices} />
        {type === 'password' && (
          <form.Sealed
            name="password"
            at="access/password"
            label="Password"
            hint="At least 8 characters. All visitors share it, and it opens nothing else."
            isStored={page.access.type === 'password'}
            input={{ plain: true, maxLength: 200 }}
          />
        )}
        {type === 'ip' && (
          <form.Lines name="ranges" at="access/ranges" label="Addresses" hint="One address or range a line." rows={4} />
        )}
        <p class="hint">Who is not let in sees: {refusals[type]}</p>
        {page.access.type === 'public' && type !== 'public' && (
          <p class="note" role="status">
            Subscribers stay and still get updates. What proxies and CDNs have stored of the page must be purged there.
          </p>
        )}
      </section>
      <form.Footer submit="Save" />
      {isAsking && (
        <ConfirmDialog
          title={`Make ${page.name} public?`}
          button="Make public"
          typed={page.name}
          close={() => setAsking(false)}
          work={save}
        >
          <p>Everybody will see the page with its whole history at {page.url}.</p>
        </ConfirmDialog>
      )}
    </form.Form>
  );
}

function NewLink({ page, changed }: ChangeProps) {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const rotate = async (): Promise<void> => {
    const params = { path: { id: page.id } };
    await changed(await read(app.api.client.POST('/v0/status-pages/{id}/rotate-link', { params })));
  };
  return (
    <section class="card">
      <h2>Link</h2>
      <p class="hint">The link was shown when it was made. Another one ends it, and lets nobody in who had it.</p>
      <div class="buttons">
        <button type="button" onClick={() => setOpen(true)}>
          New link…
        </button>
      </div>
      {isOpen && (
        <ConfirmDialog title="Make a new link?" button="Make a new link" close={() => setOpen(false)} work={rotate}>
          <p>The link of before, everybody who has opened it and the addresses of feeds stop working at once.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function ReadOnly({ page }: Pick<AccessProps, 'page'>) {
  const label = accessChoices.find(([type]) => type === page.access.type)?.[1];
  return (
    <section class="card">
      <h2>Who may see the page</h2>
      <p>{label}</p>
      <p class="hint">Who is not let in sees: {refusals[page.access.type]}</p>
    </section>
  );
}
