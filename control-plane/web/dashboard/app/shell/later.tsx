import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from '../kit/page.tsx';

type Loaded<Props> = { View: ComponentType<Props> } | { fault: true } | null;

/** A view whose code is fetched when it is first opened: what nobody looks at costs nobody a download. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element {
  let found: Loaded<Props> = null;
  return props => {
    const [loaded, setLoaded] = useState(found);
    useEffect(() => {
      if (loaded !== null) return;
      load().then(
        View => {
          found = { View };
          setLoaded(found);
        },
        () => setLoaded({ fault: true }),
      );
    }, [loaded]);
    if (loaded === null) return <Skeleton />;
    if ('fault' in loaded)
      return (
        <div class="problem" role="alert">
          <p>This view could not be loaded. The server may be down or was just upgraded.</p>
          <button type="button" onClick={() => location.reload()}>
            Reload the page
          </button>
        </div>
      );
    return <loaded.View {...props} />;
  };
}
