import { describeCause } from '../../data/alert-causes.ts';
import { read } from '../../data/server/api.ts';
import type { Alert } from '../../data/server/api-types.ts';
import { Badge } from '../../parts/badge.tsx';
import { Deliveries } from '../../parts/deliveries.tsx';
import { alertPresentation } from '../../parts/labels.ts';
import { Lasted } from '../../parts/time.tsx';
import { useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';

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
