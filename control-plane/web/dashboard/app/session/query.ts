import { useEffect, useState } from 'preact/hooks';
import { queryOf, withQuery } from './match-address.ts';

/** The query of the address, and the function that changes it without leaving the view. */
export function useQuery(): [URLSearchParams, (changes: Readonly<Record<string, string>>) => void] {
  const [address, setAddress] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setAddress(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const change = (changes: Readonly<Record<string, string>>) => {
    const next = withQuery(location.hash, changes);
    // Typing in a search field must not fill the history.
    history.replaceState(null, '', next);
    setAddress(next);
  };
  return [queryOf(address), change];
}
