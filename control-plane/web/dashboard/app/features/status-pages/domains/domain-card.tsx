import { Badge } from '../../../kit/badge.tsx';
import { ActionButton } from '../../../kit/button.tsx';
import { CopyCode } from '../../../kit/copy-code.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { Ago } from '../../../kit/time.tsx';
import { useAction } from '../../../session/action.ts';
import { read } from '../../../session/api.ts';
import type { PageDomain, StatusPage } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { consequenceOf, domainStates, isServed, pointsHereText } from './domain-words.ts';

type CardProps = {
  page: StatusPage;
  domain: PageDomain;
  changed(): Promise<void>;
  remove(domain: PageDomain): void;
};

/** One domain: its state, the records it needs, and what can be done with it. */
export function DomainCard({ page, domain, changed, remove }: CardProps) {
  const { can } = useApp();
  const { record, target, error, checked_at } = domain;
  const isCanonical = page.canonical_domain === domain.domain;
  return (
    <section class="card" aria-label={domain.domain}>
      <div class="card-head">
        <h2>{domain.domain}</h2>
        <Badge state={domainStates[domain.state]} />
      </div>
      <p>{consequenceOf(domain.state, isCanonical)}</p>
      <CopyCode label={`Name of the ${record.type} record`} code={record.name} />
      <CopyCode
        label={`Value of the ${record.type} record`}
        code={record.value}
        hint="It proves that the domain is yours. Leave it in place: without it the domain is lost after three days."
      />
      <CopyCode label="Target of the domain" code={target} hint={pointsHereText(domain)} />
      <p class="hint">
        {checked_at === null ? 'Not looked for yet.' : 'Looked for the record '}
        {checked_at !== null && <Ago at={checked_at} />}
        {error !== null && `: ${error}`}
      </p>
      {can('status-pages:write') && (
        <DomainActions page={page} domain={domain} isCanonical={isCanonical} changed={changed} remove={remove} />
      )}
    </section>
  );
}

function DomainActions({ page, domain, isCanonical, changed, remove }: CardProps & { isCanonical: boolean }) {
  const app = useApp();
  const action = useAction();
  const look = async (): Promise<void> => {
    const params = { path: { id: page.id, domain_id: domain.id } };
    const { state } = await read(app.api.client.POST('/v0/status-pages/{id}/domains/{domain_id}/verify', { params }));
    app.announce(`${domain.domain}: ${domainStates[state].label}`);
    await changed();
  };
  const choose = async (): Promise<void> => {
    const [params, body] = [{ path: { id: page.id } }, { canonical_domain: isCanonical ? null : domain.domain }];
    await read(app.api.client.PATCH('/v0/status-pages/{id}', { params, body }));
    app.announce('Saved. It counts within seconds.');
    await changed();
  };
  return (
    <>
      <ProblemNote problem={action.problem} />
      <div class="buttons">
        <ActionButton action={action} work={look} label={`Look now: ${domain.domain}`}>
          Look now
        </ActionButton>
        {(isServed(domain.state) || isCanonical) && (
          <ActionButton action={action} work={choose}>
            {isCanonical ? `Use /status/${page.slug} instead` : 'Make it the address of the page'}
          </ActionButton>
        )}
        <button type="button" aria-label={`Remove ${domain.domain}`} onClick={() => remove(domain)}>
          Remove…
        </button>
      </div>
    </>
  );
}
