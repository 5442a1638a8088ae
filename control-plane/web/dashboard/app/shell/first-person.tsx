import { useEffect, useState } from 'preact/hooks';
import { read } from '../session/api.ts';
import { useApp } from '../session/app.ts';

const storedAs = 'upquorum no first person';
const membersAddress = '#/settings/members';

/** Whether the session is of a token that may invite the first person of a project that only tokens use. */
export function useFirstPerson(): { isOffered: boolean; decline(): void } {
  const { api, session } = useApp();
  const [isOffered, setOffered] = useState(false);
  useEffect(() => {
    const isAble = session.person === null && session.scopes.includes('*');
    if (!isAble || localStorage.getItem(storedAs) === session.project_id) return;
    void read(api.client.GET('/v0/members', { params: { query: { limit: 1 } } })).then(
      ({ data }) => setOffered(data.length === 0),
      // It is only an offer.
      () => undefined,
    );
  }, []);
  const decline = (): void => {
    localStorage.setItem(storedAs, session.project_id);
    setOffered(false);
  };
  return { isOffered, decline };
}

/** The offer, on every view but the one that leads on. */
export function FirstPerson({ place, decline }: { place: string; decline(): void }) {
  if (place === membersAddress) return null;
  return (
    <p class="note">
      You are signed in by a token. <a href={membersAddress}>Sign in as yourself</a> to become the project’s first
      admin.{' '}
      <button type="button" class="link" onClick={decline}>
        Not now
      </button>
    </p>
  );
}
