import { Badge } from '../../kit/badge.tsx';
import { Filter } from '../../kit/form/filter.tsx';
import { type Choices, noticeKindWords, presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { SectionLinks } from '../../kit/section-links.tsx';
import { Lasted } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Notice } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { alertTabs } from './tabs.ts';

const shownMax = 100;
const kindChoices: Choices = [
  ['', 'all'],
  ...Object.entries(noticeKindWords).map(([kind, label]) => [kind, label.toLowerCase()] as const),
];
const stateChoices: Choices = [
  ['', 'all'],
  ['open', 'open'],
  ['closed', 'closed'],
];

/** What is wrong with the watching itself: regions, agents and channels. */
export function Notices() {
  const { api } = useApp();
  const [query, setQuery] = useQuery();
  const state = stateChoices.find(([each]) => each === query.get('state'))?.[0] ?? '';
  const kind = kindChoices.find(([each]) => each === query.get('kind'))?.[0] ?? '';
  const asked = {
    limit: shownMax,
    ...(state === '' ? {} : { state: [state as Notice['state']] }),
    ...(kind === '' ? {} : { kind: [kind as Notice['kind']] }),
  };
  const load = useLoad(
    `${state} ${kind}`,
    () => read(api.client.GET('/v0/notices', { params: { query: asked } })),
    8000,
    ['notices'],
  );
  const { data, pagination } = load.value ?? { data: [], pagination: null };
  return (
    <Page
      title="Notices"
      crumbs={[{ label: 'Alerts', address: '#/alerts' }]}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      <SectionLinks label="Alerts and notices" links={alertTabs} />
      <div class="filters">
        <Filter label="State" value={state} choices={stateChoices} onChange={value => setQuery({ state: value })} />
        <Filter label="Kind" value={kind} choices={kindChoices} onChange={value => setQuery({ kind: value })} />
      </div>
      {data.length === 0 && (
        <p class="empty">
          {state === '' && kind === ''
            ? 'No notices in the last 90 days. One opens when a region, an agent or a channel fails.'
            : 'No notices match.'}
        </p>
      )}
      <ul class="cards">
        {data.map(notice => (
          <NoticeRow key={notice.id} notice={notice} />
        ))}
      </ul>
      {pagination?.has_more === true && <p class="hint">Showing the newest {shownMax}.</p>}
    </Page>
  );
}

/** One notice, with a link to what it is about. */
export function NoticeRow({ notice }: { notice: Notice }) {
  const { kind, subject, title, detail, state, opened_at, closed_at, late_results } = notice;
  const look = presentation('notices', state);
  return (
    <li class={`card row ${state === 'open' ? look.tone : 'quiet'}`} data-row>
      <div class="state">
        <Badge state={look} />
        <span>{noticeKindWords[kind] ?? kind}</span>
      </div>
      <div class="what">
        {subject.type === 'channel' ? (
          <a class="name" href={`#/channels/${subject.id}`}>
            {title}
          </a>
        ) : (
          <span class="name">{title}</span>
        )}
        <span class="reason">{detail}</span>
        {late_results && <span class="reason">Checks of this time arrived later.</span>}
      </div>
      <div class="times">
        <Lasted started_at={opened_at} resolved_at={closed_at} />
      </div>
    </li>
  );
}
