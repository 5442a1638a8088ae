import { Badge } from '../../kit/badge.tsx';
import { ActionButton } from '../../kit/button.tsx';
import { presentation } from '../../kit/labels.ts';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { ApiProblem, type List } from '../../session/api.ts';
import type { Delivery } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { channelTypes } from './channel-fields.ts';

const columns = ['State', 'Channel', 'Recipient', 'When', 'Attempts', 'Error'];
const shownMax = 100;
const channelLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(channelTypes).map(([type, { label }]) => [type, label]),
);

type Page = { limit: number };
type DeliveriesProps = {
  id: string;
  /** Reads the newest deliveries of what has the id. */
  list(query: Page): Promise<List<Delivery>>;
  title?: string;
  empty?: string;
};

/** Notifications of one thing: recipient, time, attempts and error. */
export function Deliveries({
  id,
  list: readList,
  title = 'Deliveries',
  empty = 'No deliveries yet.',
}: DeliveriesProps) {
  const load = useLoad(id, () => readAllowed(readList), 5000);
  const list = load.value;
  if (list === null || list === 'forbidden') return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      {list.data.length === 0 ? (
        <p class="hint">{empty}</p>
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

/** A token that may not read deliveries still sees what they are about. */
async function readAllowed(list: DeliveriesProps['list']): Promise<List<Delivery> | 'forbidden'> {
  try {
    return await list({ limit: shownMax });
  } catch (error) {
    if (!(error instanceof ApiProblem) || ![403, 404].includes(error.status)) throw error;
    return 'forbidden';
  }
}

function Row({ delivery, refresh }: { delivery: Delivery; refresh(): Promise<void> }) {
  const app = useApp();
  const action = useAction();
  const { attempts, channel, created_at, error, recipient, sent_at, state, step } = delivery;
  const mayReplay = (state === 'failed' || state === 'held') && app.can('incidents:write');
  const replay = async (): Promise<void> => {
    await app.api.client.POST('/v0/deliveries/{id}/replay', { params: { path: { id: delivery.id } } });
    await refresh();
  };
  return (
    <tr>
      <td data-label="State">
        <Badge state={presentation('deliveries', state)} />
      </td>
      <td data-label="Channel">
        {channelLabels[channel] ?? channel}
        {step !== null && <small class="hint"> · {step.replaceAll('_', ' ')}</small>}
      </td>
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
