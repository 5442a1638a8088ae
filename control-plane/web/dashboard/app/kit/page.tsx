import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ApiProblem } from '../session/api.ts';
import { useApp } from '../session/app.ts';
import { describeError } from '../session/error.ts';
import type { Freshness } from '../session/poll.ts';
import { formatTime } from '../session/time.ts';
import { ProblemNote } from './problem.tsx';

export type Crumb = { label: string; address: string };

type PageProps = {
  title: string;
  crumbs?: readonly Crumb[];
  freshness: Freshness;
  /** Beside the heading. */
  actions?: ComponentChildren;
  refresh?: () => void;
  /** Whose documents describe what the view shows. */
  managedBy?: string | null | undefined;
  children: ComponentChildren;
};

/** A view: its heading, and its content once it has loaded. Old data is never shown as if it were current. */
export function Page({ title, crumbs = [], freshness, actions, refresh, managedBy = null, children }: PageProps) {
  const isLoaded = freshness.asOf !== null;
  return (
    <>
      <div class="stale-place" role="status">
        <StaleBanner freshness={freshness} />
      </div>
      <div class="page-head">
        <Crumbs crumbs={crumbs} />
        <Heading title={title} />
        {isLoaded && actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      {managedBy != null && <p class="hint">Managed by {managedBy}: its next apply takes back what is changed here.</p>}
      {isLoaded ? <div class="view">{children}</div> : <NotLoaded freshness={freshness} refresh={refresh} />}
    </>
  );
}

function Heading({ title }: { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const app = useApp();
  useEffect(() => {
    app.title.value = title;
  }, [title]);
  useLayoutEffect(() => {
    if (app.takesFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  if (crumbs.length === 0) return null;
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      {crumbs.map(({ label, address }) => (
        <span key={address}>
          <a href={address}>{label}</a>
          <span aria-hidden="true"> › </span>
        </span>
      ))}
    </nav>
  );
}

function StaleBanner({ freshness: { asOf, error } }: { freshness: Freshness }) {
  const { zone } = useApp();
  if (error === null || asOf === null) return null;
  const clock = formatTime(new Date(asOf).toISOString(), zone.value).slice(11);
  return (
    <p class="stale">
      {describeLoss(error)} Showing data as of {clock}.
    </p>
  );
}

function describeLoss(error: Error): string {
  if (!(error instanceof ApiProblem)) return 'Connection lost.';
  return error.status === 404 ? 'This no longer exists.' : describeError(error);
}

/** The outline of a page until its data is there, or why it is not. */
function NotLoaded({ freshness: { error }, refresh }: { freshness: Freshness; refresh: (() => void) | undefined }) {
  if (error === null) return <Skeleton />;
  if (!(error instanceof ApiProblem)) return <ProblemNote problem={error} retry={refresh} />;
  if (error.status === 404) return <p class="empty">This does not exist or was deleted.</p>;
  if (error.status === 403)
    return (
      <div class="problem" role="alert">
        <p>You do not have access. {describeError(error)}</p>
      </div>
    );
  return <ProblemNote problem={error} retry={refresh} />;
}

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <p class="unseen" role="status">
        Loading…
      </p>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="bone" />
      ))}
    </div>
  );
}
