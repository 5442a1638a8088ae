import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import type { PageDomain, StatusPage } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';

type RemoveProps = { page: StatusPage; domain: PageDomain; close(): void; changed(): Promise<void> };

export function RemoveDomain({ page, domain, close, changed }: RemoveProps) {
  const app = useApp();
  const remove = async (): Promise<void> => {
    const params = { path: { id: page.id, domain_id: domain.id } };
    await app.api.client.DELETE('/v0/status-pages/{id}/domains/{domain_id}', { params });
    app.announce(`${domain.domain}: removed`);
    await changed();
  };
  return (
    <ConfirmDialog title={`Remove ${domain.domain}?`} button="Remove domain" close={close} work={remove}>
      <p>
        Visitors find nothing there any more, and links of emails and feeds to it stop working. Take its DNS records
        away as well.
      </p>
    </ConfirmDialog>
  );
}
