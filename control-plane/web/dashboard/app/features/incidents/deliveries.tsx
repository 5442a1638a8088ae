import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { Deliveries as Notifications } from '../channels/deliveries.tsx';

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
