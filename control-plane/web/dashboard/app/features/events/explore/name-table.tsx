import { Ago } from '../../../kit/time.tsx';
import type { EventName } from '../../../session/api-types.ts';

type NameTableProps = { names: readonly EventName[]; chosen: readonly string[]; toggle(name: string): void };

/** The names of events, the most frequent first. Each is a switch for its line. */
export function NameTable({ names, chosen, toggle }: NameTableProps) {
  return (
    <table class="event-names">
      <caption class="unseen">Events of the last 7 days, the most frequent first</caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col" class="number">
            Events
          </th>
          <th scope="col" class="number">
            Users
          </th>
          <th scope="col">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {names.map(({ name, count, users, users_estimated, last_seen_at }) => (
          <tr key={name} data-row>
            <th scope="row">
              <button type="button" class="link" aria-pressed={chosen.includes(name)} onClick={() => toggle(name)}>
                {name}
              </button>
            </th>
            <td class="number" data-label="Events">
              {count.toLocaleString('en')}
            </td>
            <td class="number" data-label="Users">
              {users_estimated && '≈ '}
              {users.toLocaleString('en')}
            </td>
            <td data-label="Last seen">{last_seen_at !== null && <Ago at={last_seen_at} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
