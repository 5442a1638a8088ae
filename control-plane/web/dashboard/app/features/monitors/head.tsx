import { Badge } from '../../kit/badge.tsx';
import { monitorPresentation, presentation } from '../../kit/labels.ts';
import { Ago, At } from '../../kit/time.tsx';
import type { Monitor } from '../../session/api-types.ts';
import { VoteList } from './votes.tsx';
import { everyMinutes } from './words.ts';

/** Status, target and votes of a monitor. */
export function Head({ monitor }: { monitor: Monitor }) {
  const { interval_seconds, kind, method, quorum, regions, status_since, url, votes, maintenance } = monitor;
  const state = monitorPresentation(monitor);
  return (
    <section class={`card ${state.tone}`}>
      <div class="state">
        <Badge state={state} />
        <span>
          since <At at={status_since} />, <Ago at={status_since} />
        </span>
        {maintenance !== null && (
          <>
            <Badge state={presentation('planned', 'maintenance')} />
            <span>
              until <At at={maintenance.ends_at} />
            </span>
          </>
        )}
      </div>
      {kind === 'heartbeat' ? (
        <p class="url">No agent checks it: the job reports by itself.</p>
      ) : kind === 'domain' ? (
        <p class="url">{url} once a day: no agent checks it, its registry is asked.</p>
      ) : kind === 'events' ? (
        <p class="url">No agent checks it: stored events are counted {everyMinutes(interval_seconds)}.</p>
      ) : (
        <p class="url">
          {kind === 'http' ? `${method} ` : ''}
          {kind === 'http' ? (
            <a href={url} rel="noreferrer" target="_blank">
              {url}
            </a>
          ) : (
            url
          )}{' '}
          every {interval_seconds} s; down when {quorum} of {regions.length} regions agree
        </p>
      )}
      <VoteList votes={votes} unable={monitor.unable_regions} />
    </section>
  );
}
