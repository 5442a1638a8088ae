import { Ago } from '../../kit/time.tsx';
import type { StoredEvent } from '../../session/api-types.ts';
import { formatDuration } from '../../session/time.ts';
import { EventType } from './event-type.tsx';
import { userAddress } from './sections.tsx';
import type { Tail } from './tail.ts';

/** Events that arrive later than this after they happened are marked. */
const lateMinMs = 60_000;
const columns = ['Arrived', 'Type', 'Name', 'User', 'Properties'];

/** The latest events, the last to arrive first. */
export function TailTable({ tail: { events, hasGap } }: { tail: Tail }) {
  return (
    <>
      {hasGap && <p class="note">Events are arriving too fast to show all of them.</p>}
      <table class="tail">
        <caption class="unseen">Events, the last to arrive first</caption>
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
          {events.map(event => (
            <Row key={event.id} event={event} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({ event }: { event: StoredEvent }) {
  const { external_user_id: user, ingested_at, name, props, session_id, timestamp, type } = event;
  const lateMs = Date.parse(ingested_at) - Date.parse(timestamp);
  return (
    <tr data-row>
      <td data-label="When">
        <Ago at={ingested_at} />
      </td>
      <td data-label="Type">
        <EventType type={type} />
      </td>
      <td data-label="Name">
        <strong>{name}</strong>
        {lateMs > lateMinMs && (
          <small class="hint" title={`happened ${timestamp}`}>
            {' '}
            {formatDuration(lateMs)} late
          </small>
        )}
      </td>
      <td data-label="User">
        {user === null ? (
          <span class="hint">{session_id === undefined ? 'nobody' : `session ${session_id}`}</span>
        ) : (
          <a href={userAddress(user)}>{user}</a>
        )}
      </td>
      <td data-label="Properties">{props !== undefined && <code class="props">{JSON.stringify(props)}</code>}</td>
    </tr>
  );
}
