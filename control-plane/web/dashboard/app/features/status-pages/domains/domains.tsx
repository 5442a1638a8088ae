import { useState } from 'preact/hooks';
import { useForm } from '../../../kit/form/form.tsx';
import { Skeleton } from '../../../kit/page.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { read } from '../../../session/api.ts';
import type { PageDomain, StatusPage } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { DomainCard } from './domain-card.tsx';
import { RemoveDomain } from './remove-domain.tsx';

type DomainsProps = { page: StatusPage; refresh(): Promise<void> };
const topics = ['status_pages'] as const;

/** Own domains of the page: how to prove them, and by which the page is known. */
export function Domains({ page, refresh }: DomainsProps) {
  const app = useApp();
  const [removed, setRemoved] = useState<PageDomain | null>(null);
  const load = useLoad<readonly PageDomain[]>(page.id, () => readDomains(app, page.id), 10_000, topics);
  const changed = async (): Promise<void> => {
    await Promise.all([load.refresh(), refresh()]);
  };
  const domains = load.value ?? [];
  return (
    <>
      {app.can('status-pages:write') && <AddDomain page={page} changed={changed} />}
      {load.value === null && load.freshness.error === null && <Skeleton rows={3} />}
      {load.value === null && <ProblemNote problem={load.freshness.error} retry={() => void load.refresh()} />}
      {load.value !== null && domains.length === 0 && <p class="empty">The page has no domain of its own.</p>}
      {domains.map(domain => (
        <DomainCard key={domain.id} page={page} domain={domain} changed={changed} remove={setRemoved} />
      ))}
      {removed !== null && (
        <RemoveDomain page={page} domain={removed} close={() => setRemoved(null)} changed={changed} />
      )}
    </>
  );
}

function readDomains({ api }: App, id: string): Promise<PageDomain[]> {
  return readAll(query => api.client.GET('/v0/status-pages/{id}/domains', { params: { path: { id }, query } }));
}

function AddDomain({ page, changed }: { page: StatusPage; changed(): Promise<void> }) {
  const app = useApp();
  const form = useForm(`domain of page ${page.id}`, { domain: '' }, async ({ domain }) => {
    const [params, body] = [{ path: { id: page.id } }, { domain: domain.trim() }];
    await read(app.api.client.POST('/v0/status-pages/{id}/domains', { params, body }));
    form.reset();
    app.announce('Domain added. Now make its records.');
    await changed();
  });
  return (
    <section class="card">
      <h2>Add a domain</h2>
      <form.Form label="Add a domain">
        <form.Line
          name="domain"
          label="Domain"
          hint="Such as status.example.com. You need to be able to make DNS records for it."
          input={{ required: true, autocomplete: 'off', autocapitalize: 'none', inputMode: 'url', maxLength: 253 }}
        />
        <form.Footer submit="Add domain" />
      </form.Form>
    </section>
  );
}
