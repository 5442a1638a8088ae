import { At } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Monitor } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { describeEnd, earliestCertificate, seesCertificates } from './certificates.ts';

const checksMax = 40;

/** The certificate that the regions saw last. */
export function Certificate({ monitor }: { monitor: Pick<Monitor, 'id' | 'kind' | 'url'> }) {
  const { api } = useApp();
  const load = useLoad(
    `${monitor.id} ${monitor.url}`,
    async () => {
      if (!seesCertificates(monitor)) return null;
      const params = { path: { id: monitor.id }, query: { limit: checksMax } };
      const { data } = await read(api.client.GET('/v0/monitors/{id}/checks', { params }));
      return earliestCertificate(data);
    },
    60_000,
  );
  if (load.value === null) return null;
  const { issuer, protocol } = load.value;
  return (
    <section class="card">
      <h2>Certificate</h2>
      <dl class="facts">
        <End of={load.value} />
        {issuer !== null && [<dt key="by">Issued by</dt>, <dd key="issuer">{issuer}</dd>]}
        <dt>Protocol</dt>
        <dd>{protocol}</dd>
      </dl>
    </section>
  );
}

/** What the checks of a monitor show to its hosts; nothing if they show none. */
export function ClientCertificate({ shown }: { shown: Ending | null }) {
  if (shown === null || shown.valid_to === '') return null;
  return (
    <section class="card">
      <h2>Client certificate</h2>
      <dl class="facts">
        <End of={shown} />
      </dl>
    </section>
  );
}

type Ending = { valid_to: string; subject: string | null };

function End({ of }: { of: Ending }) {
  const { api } = useApp();
  return (
    <>
      <dt>Valid until</dt>
      <dd>
        <At at={of.valid_to} />, {describeEnd(of, api.nowMs())}
      </dd>
      {of.subject !== null && [<dt key="for">For</dt>, <dd key="subject">{of.subject}</dd>]}
    </>
  );
}
