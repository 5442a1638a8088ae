import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './page.tsx';

type Loaded<Props> = { View: ComponentType<Props> } | { fault: true } | null;

/**
 * A view whose code is fetched, with what comes with it, when the first of them is opened: what nobody looks at costs
 * nobody a download. `meanwhile` stands in its place until then.
 */
export function later<Views, Props extends object>(
  fetchViews: () => Promise<Views>,
  choose: (views: Views) => ComponentType<Props>,
  meanwhile: JSX.Element | null = <Skeleton />,
): (props: Props) => JSX.Element | null {
  let found: Loaded<Props> = null;
  return props => {
    const [loaded, setLoaded] = useState(found);
    useEffect(() => {
      if (loaded !== null) return;
      fetchViews().then(
        views => {
          found = { View: choose(views) };
          setLoaded(found);
        },
        () => setLoaded({ fault: true }),
      );
    }, [loaded]);
    if (loaded === null) return meanwhile;
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
