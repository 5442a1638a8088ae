import { ApiProblem, type List } from '../../data/api.ts';
import type { Delivery } from '../../data/api-types.ts';
import { plural } from '../../data/plural.ts';
import { Badge } from '../../parts/badge.tsx';
import { ActionButton } from '../../parts/button.tsx';
import { presentation } from '../../parts/labels.ts';
import { ProblemNote } from '../../parts/problem.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAction } from '../../state/action.ts';
import { type App, useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';

const columns = ['State', 'Channel', 'Recipient', 'When', 'Attempts', 'Error'];
const shownMax = 100;

/** The notifications of an incident: recipient, time, attempts and error. */
export function Deliveries({ incidentId }: { incidentId: string }) {
  const app = useApp();
  const load = useLoad(incidentId, () => read(app, incidentId), 5000);
  const list = load.value;
  if (list === null || list === 'forbidden') return null;
  return (
    <section class="card">
      <h2>Deliveries</h2>
      {list.data.length === 0 ? (
        <p class="hint">No deliveries yet.</p>
      ) : (
        <table>
          <caption class="unseen">Deliveries, newest first</caption>
          <thead>
            <tr>
              {columns.map(name => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.data.map(delivery => (
              <Row key={delivery.id} delivery={delivery} refresh={load.refresh} />
            ))}
          </tbody>
        </table>
      )}
      {list.pagination.has_more && (
        <p class="hint">Showing the newest {plural(list.data.length, 'delivery', 'deliveries')}.</p>
      )}
    </section>
  );
}

/** A token that may not read deliveries still sees the incident. */
async function read({ api }: App, incidentId: string): Promise<List<Delivery> | 'forbidden'> {
  try {
    return await api.get<List<Delivery>>(`/v0/incidents/${incidentId}/deliveries`, { limit: shownMax });
  } catch (error) {
    if (!(error instanceof ApiProblem) || ![403, 404].includes(error.status)) throw error;
    return 'forbidden';
  }
}

function Row({ delivery, refresh }: { delivery: Delivery; refresh(): Promise<void> }) {
  const app = useApp();
  const action = useAction();
  const { attempts, channel, created_at, error, recipient, sent_at, state } = delivery;
  const mayReplay = (state === 'failed' || state === 'held') && app.can('incidents:write');
  const replay = async (): Promise<void> => {
    await app.api.send('POST', `/v0/deliveries/${delivery.id}/replay`);
    await refresh();
  };
  return (
    <tr>
      <td data-label="State">
        <Badge state={presentation('deliveries', state)} />
      </td>
      <td data-label="Channel">{channel}</td>
      <td data-label="Recipient">{recipient ?? 'deleted'}</td>
      <td data-label="When">
        <Ago at={sent_at ?? created_at} />
      </td>
      <td data-label="Attempts">{attempts}</td>
      <td data-label="Error">
        {error ?? ''}
        {mayReplay && (
          <ActionButton action={action} work={replay} class="quiet">
            Send again
          </ActionButton>
        )}
        <ProblemNote problem={action.problem} />
      </td>
    </tr>
  );
}
