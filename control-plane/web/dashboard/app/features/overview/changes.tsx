import { Ago } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { addressOf, changedResources, describeAction, describeActor } from '../audit/words.ts';
import { Loading } from './loading.tsx';

const shownMax = 6;
/** What people change. Verdicts change monitors too, so those are looked up by time. */
const topics = ['project', 'incidents', 'maintenances', 'status_pages', 'channels', 'routes', 'flows'] as const;

/** Who changed what last: often the reason of what is wrong. */
export function LastChanges() {
  const { api } = useApp();
  const query = { resource: changedResources, limit: shownMax };
  const load = useLoad('', () => read(api.client.GET('/v0/audit', { params: { query } })), 30_000, topics);
  if (load.value === null) return <Loading title="Last changes" load={load} />;
  const entries = load.value.data;
  return (
    <section class="card">
      <h2>Last changes</h2>
      {entries.length === 0 && <p class="hint">None yet.</p>}
      <ul class="lines">
        {entries.map(entry => {
          const address = addressOf(entry);
          const name = entry.name ?? entry.subject;
          return (
            <li key={entry.id} data-row>
              <span>
                {describeAction(entry.action)}: {address === null ? name : <a href={address}>{name}</a>}
              </span>
              <span class="hint end">
                {describeActor(entry)}, <Ago at={entry.at} />
              </span>
            </li>
          );
        })}
      </ul>
      {entries.length > 0 && (
        <p>
          <a href="#/settings/audit">Audit log</a>
        </p>
      )}
    </section>
  );
}
