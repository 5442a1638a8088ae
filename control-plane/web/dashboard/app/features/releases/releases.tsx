import { ActionButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { type List, read } from '../../session/api.ts';
import type { Release, ReleaseComparison } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { EventSections, useEventsCrumb } from '../events/sections.tsx';
import { ReleaseVerdict } from './release-verdict.tsx';
import { describeComparison, describeSide } from './words.ts';

const pageLimit = 20;
const hourMs = 3_600_000;

/** What was released when, with the users and errors of the hour before and after. */
export function Releases() {
  const app = useApp();
  const events = useEventsCrumb();
  const older = useAction();
  const load = useLoad<List<Release>>('', previous => readNewest(app, previous), 15_000);
  const list = load.value;
  const loadOlder = async (): Promise<void> => {
    if (list === null) return;
    const next = await readPage(app, list.pagination.next_cursor);
    load.set({ data: [...list.data, ...next.data], pagination: next.pagination });
  };
  const releases = list?.data ?? [];
  return (
    <Page title="Releases" crumbs={[events]} freshness={load.freshness} refresh={load.refresh}>
      <EventSections />
      {releases.length === 0 && <NoReleases />}
      <ul class="cards">
        {releases.map(release => (
          <Row key={release.id} release={release} />
        ))}
      </ul>
      {list?.pagination.has_more && (
        <ActionButton action={older} work={loadOlder}>
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </Page>
  );
}

async function readNewest(app: App, previous: List<Release> | null): Promise<List<Release>> {
  const newest = await readPage(app, null);
  const ids = new Set(newest.data.map(({ id }) => id));
  const kept = previous?.data.filter(({ id }) => !ids.has(id)) ?? [];
  if (previous === null || kept.length === 0) return newest;
  return { data: [...newest.data, ...kept], pagination: previous.pagination };
}

function readPage({ api }: App, cursor: string | null): Promise<List<Release>> {
  const query = { limit: pageLimit, ...(cursor === null ? {} : { cursor }) };
  return read(api.client.GET('/v0/releases', { params: { query } }));
}

function Row({ release }: { release: Release }) {
  const { can } = useApp();
  const { version, name, environment, released_at, url, commit_sha } = release;
  return (
    <li class="card row release-row" data-row>
      <div class="what">
        <span class="release-name">
          {url === null ? <strong>{version}</strong> : <ReleaseLink url={url} version={version} />}
          {name !== null && <span>{name}</span>}
          <span class="tag">{environment}</span>
          {commit_sha !== null && <code>{commit_sha.slice(0, 10)}</code>}
        </span>
        <span class="reason">
          <Ago at={released_at} />
        </span>
      </div>
      {can('events:read') && <Comparison release={release} />}
    </li>
  );
}

function ReleaseLink({ url, version }: { url: string; version: string }) {
  return (
    <a class="name" href={url} target="_blank" rel="noreferrer">
      {version}
    </a>
  );
}

function Comparison({ release: { id, released_at } }: { release: Release }) {
  const { api } = useApp();
  // An hour after the release nothing changes any more.
  const isRunning = Date.parse(released_at) > api.nowMs() - hourMs;
  const load = useLoad<ReleaseComparison>(
    id,
    () => read(api.client.GET('/v0/releases/{id}/comparison', { params: { path: { id } } })),
    isRunning ? 30_000 : hourMs,
  );
  const found = load.value;
  if (found === null && load.freshness.error === null) return <div class="bone" />;
  if (found === null) return <span class="hint">Could not be compared.</span>;
  return (
    <div class="comparison">
      <ReleaseVerdict verdict={found.verdict} />
      <dl>
        <Side name="Hour before" side={found.before} />
        <Side name="Hour after" side={found.after} />
      </dl>
      <span class="hint">{describeComparison(found)}</span>
      {found.new_errors.length > 0 && (
        <span class="hint">
          New errors:{' '}
          {found.new_errors
            .slice(0, 3)
            .map(error => `${error.name} (${error.users})`)
            .join(', ')}
        </span>
      )}
    </div>
  );
}

function Side({ name, side }: { name: string; side: ReleaseComparison['before'] }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{side === null ? '–' : describeSide(side)}</dd>
    </>
  );
}

function NoReleases() {
  return (
    <div class="empty">
      <p>No releases yet. Let your deployment announce each one, with a token that has the scope releases:write:</p>
      <pre tabIndex={0}>
        {`curl ${location.origin}/v0/releases -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" -d '{"version": "1.2.0"}'`}
      </pre>
    </div>
  );
}
