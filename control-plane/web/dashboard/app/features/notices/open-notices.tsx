import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { NoticeRow } from './notices.tsx';

const shownMax = 3;

/** The open notices, where the overview says what is wrong; nothing if there is none. */
export function OpenNotices() {
  const { api, can } = useApp();
  const load = useLoad(
    '',
    async () => {
      if (!can('alerts:read')) return [];
      const query = { state: ['open' as const], limit: shownMax + 1 };
      return (await read(api.client.GET('/v0/notices', { params: { query } }))).data;
    },
    8000,
    ['notices'],
  );
  const notices = load.value ?? [];
  if (notices.length === 0) return null;
  return (
    <section aria-label="Open notices">
      <ul class="cards">
        {notices.slice(0, shownMax).map(notice => (
          <NoticeRow key={notice.id} notice={notice} />
        ))}
      </ul>
      {notices.length > shownMax && (
        <p>
          <a href="#/alerts/notices?state=open">All open notices</a>
        </p>
      )}
    </section>
  );
}
