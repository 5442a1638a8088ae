import { useState } from 'preact/hooks';
import { Filter } from '../../../kit/form/filter.tsx';
import { Page } from '../../../kit/page.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { type List, read } from '../../../session/api.ts';
import type { EventName } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { useQuery } from '../../../session/query.ts';
import { zoneNameOf } from '../../../session/zoned-time.ts';
import { NoEvents } from '../no-events.tsx';
import { PinButton } from '../pins/pin.tsx';
import { pinnedRetention, pinnedTrend } from '../pins/pinned.ts';
import { EventSections } from '../sections.tsx';
import { Counting, useTrends } from './counting.tsx';
import { NameTable } from './name-table.tsx';
import { type Question, queryOfTrends, readQuestion, spans, toggleName, writeNames } from './question.ts';
import { RetentionCard, RetentionControls } from './retention.tsx';
import { readRetention } from './retention-question.ts';
import { TrendCard } from './trend-card.tsx';

const everyMs = 30_000;
const pageLimit = 100;
const spanChoices = Object.entries(spans).map(([name, { label }]) => [name, label] as const);
const typeChoices = [
  ['track', 'track'],
  ['error', 'error'],
] as const;
const showChoices = [
  ['trend', 'trend'],
  ['retention', 'retention'],
] as const;
const measureChoices = [
  ['events', 'events'],
  ['users', 'users'],
] as const;

/** Names of events, and how often they happen over time. */
export function Explore() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const question = readQuestion(query);
  const [part, setPart] = useState('');
  const search = part.trim();
  const names = useLoad<List<EventName>>(
    JSON.stringify([question.type, search]),
    () => {
      const filter = { type: question.type, limit: pageLimit, ...(search === '' ? {} : { q: search }) };
      return read(app.api.client.GET('/v0/event-names', { params: { query: filter } }));
    },
    everyMs,
  );
  const found = names.value?.data ?? [];
  // Without a choice the most frequent event is shown: a first look asks for nothing.
  const [first] = found;
  const shown = question.names.length > 0 || first === undefined ? question : { ...question, names: [first.name] };
  const choose = (name: string) =>
    setQuery({ event: writeNames(isRetention ? [name] : toggleName(shown.names, name)), by: '' });
  const isRetention = query.get('show') === 'retention' && question.type === 'track';
  const retention = readRetention(query, shown.names[0] ?? '');
  const isEmpty = names.value !== null && found.length === 0;
  return (
    <Page title="Explore events" freshness={names.freshness} refresh={names.refresh}>
      <EventSections />
      {isEmpty && search === '' && question.names.length === 0 ? (
        <NoEvents text="No events in the last 7 days." />
      ) : (
        <div class="explore">
          <section class="card">
            <div class="card-head">
              <h2>{isRetention ? 'Retention' : 'Trend'}</h2>
              {shown.names.length > 0 && (
                <PinButton
                  title={isRetention ? `Retention of ${retention.start}` : shown.names.join(', ')}
                  item={isRetention ? pinnedRetention(retention) : pinnedTrend(shown, zoneNameOf(app.zone.value))}
                />
              )}
              <div class="filters">
                <Filter
                  label="Show"
                  value={isRetention ? 'retention' : 'trend'}
                  choices={showChoices}
                  onChange={value => setQuery({ show: value === 'trend' ? '' : value })}
                />
                {isRetention ? (
                  <RetentionControls question={retention} names={found} change={setQuery} />
                ) : (
                  <Controls question={shown} change={setQuery} />
                )}
              </div>
            </div>
            {shown.names.length > 0 &&
              (isRetention ? <RetentionCard question={retention} /> : <Trend question={shown} />)}
          </section>
          <section class="card">
            <div class="card-head">
              <h2>Last 7 days</h2>
              <input
                type="search"
                data-search
                aria-label="Find an event"
                placeholder="Part of a name"
                value={part}
                onInput={event => setPart(event.currentTarget.value)}
              />
            </div>
            {isEmpty ? (
              <p class="empty">No events of the last 7 days match.</p>
            ) : (
              <NameTable names={found} chosen={isRetention ? shown.names.slice(0, 1) : shown.names} toggle={choose} />
            )}
            {names.value?.pagination.has_more === true && (
              <p class="hint">Only the most frequent {pageLimit} are listed: search for others.</p>
            )}
          </section>
        </div>
      )}
    </Page>
  );
}

type ControlsProps = { question: Question; change(changes: Readonly<Record<string, string>>): void };

function Controls({ question, change }: ControlsProps) {
  const { names, span, measure, type, breakdown } = question;
  return (
    <>
      <Filter label="Range" value={span} choices={spanChoices} onChange={value => change({ span: value })} />
      <Filter label="Count" value={measure} choices={measureChoices} onChange={value => change({ measure: value })} />
      <Filter
        label="Type"
        value={type}
        choices={typeChoices}
        onChange={value => change({ type: value, event: '', by: '' })}
      />
      {names.length === 1 && (
        <input
          type="search"
          aria-label="Break down by a property"
          placeholder="By property, such as plan"
          value={breakdown}
          onChange={event => {
            const by = event.currentTarget.value.trim();
            change({ by, event: writeNames(names) });
          }}
        />
      )}
    </>
  );
}

function Trend({ question }: { question: Question }) {
  const { api, zone } = useApp();
  const timezone = zoneNameOf(zone.value);
  const { measure, ...asked } = question;
  const ask = () => queryOfTrends(question, timezone, api.nowMs());
  const { trends, step } = useTrends(JSON.stringify([asked, timezone]), ask, everyMs);
  if (trends.value !== null) return <TrendCard trends={trends.value} measure={measure} />;
  if (trends.freshness.error !== null) return <ProblemNote problem={trends.freshness.error} retry={trends.refresh} />;
  return <Counting step={step} />;
}
