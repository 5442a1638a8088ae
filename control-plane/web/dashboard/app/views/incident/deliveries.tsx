import { read } from '../../data/server/api.ts';
import { Deliveries as Notifications } from '../../parts/deliveries.tsx';
import { useApp } from '../../state/app.ts';

/** The notifications of an incident. */
export function Deliveries({ incidentId }: { incidentId: string }) {
  const { client } = useApp().api;
  const params = { path: { id: incidentId } };
  return (
    <Notifications
      id={incidentId}
      list={query => read(client.GET('/v0/incidents/{id}/deliveries', { params: { ...params, query } }))}
    />
  );
}
