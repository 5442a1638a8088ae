import { useEffect } from 'preact/hooks';
import { sayConfirmed } from '../session/confirmed.ts';
import { Outside } from './outside.tsx';

/** Where a window comes back to from the identity provider that somebody confirmed by. It has nothing else to do. */
export function Confirmed() {
  useEffect(() => {
    sayConfirmed(null);
    // Browsers close only what a script has opened.
    close();
  }, []);
  return (
    <Outside title="Confirmed">
      <p>You may close this window: the dashboard goes on in the other one.</p>
    </Outside>
  );
}
