import { Badge } from '../../kit/badge.tsx';
import { alertPresentation } from '../../kit/labels.ts';
import { Lasted } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Alert } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { Deliveries } from '../channels/deliveries.tsx';
import { describeCause } from './causes.ts';

const shownMax = 50;

/** What failed together with an alert, by its group. */
export function Together({ alert }: { alert: Alert }) {
  const { client } = useApp().api;
  const { id, group_id } = alert;
  const load = useLoad(
    String(group_id),
    async () => {
      if (group_id === null) return null;
      const [group, { data }] = await Promise.all([
        read(client.GET('/v0/alert-groups/{id}', { params: { path: { id: group_id } } })),
        read(client.GET('/v0/alerts', { params: { query: { group_id, limit: shownMax } } })),
      ]);
      return { group, others: data.filter(other => other.id !== id) };
    },
    8000,
  );
  if (load.value === null || load.value.others.length === 0) return null;
  const { group, others } = load.value;
  return (
    <section class="card">
      <h2>Related failures</h2>
      <p class="hint">{describeCause(group)}.</p>
      <ul class="lines">
        {others.map(other => (
          <li key={other.id}>
            <Badge state={alertPresentation(other)} />
            <a href={`#/alerts/${other.id}`}>{other.title}</a>
            <span class="hint">
              <Lasted started_at={other.started_at} resolved_at={other.resolved_at} />
            </span>
          </li>
        ))}
      </ul>
      {group.alert_ids.length > others.length + 1 && <p class="hint">and more: {group.alert_ids.length} in all</p>}
    </section>
  );
}

/** Who was notified of an alert. */
export function Notified({ alert: { id, held } }: { alert: Alert }) {
  const { client } = useApp().api;
  return (
    <Deliveries
      id={id}
      title="Who was notified"
      list={query => read(client.GET('/v0/alerts/{id}/deliveries', { params: { path: { id }, query } }))}
      empty={
        held
          ? 'Nobody: it is held during maintenance.'
          : 'No one: no route, Slack channel or webhook matches this alert.'
      }
    />
  );
}
