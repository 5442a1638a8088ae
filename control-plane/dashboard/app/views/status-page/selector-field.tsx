import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, read } from '../../data/api.ts';
import { describeError } from '../../data/describe-error.ts';
import { plural } from '../../data/plural.ts';
import { ValueField } from '../../parts/value-field.tsx';
import type { Action } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

type SelectorProps = {
  id: string;
  label: string;
  name: string;
  value: string;
  change(value: string): void;
  action: Action;
};

const typingMs = 400;
const limit = 200;
const namedMax = 3;

/** A selector of monitors that says, while it is typed, which ones match. */
export function SelectorField(props: SelectorProps) {
  const { api, can } = useApp();
  const [found, setFound] = useState('');
  const selector = props.value.trim();
  useEffect(() => {
    if (selector === '' || !can('monitors:read')) return setFound('');
    let isCurrent = true;
    const timer = setTimeout(() => {
      read(api.client.GET('/v0/monitors', { params: { query: { selector, limit } } })).then(
        ({ data, pagination }) => isCurrent && setFound(describe(data, pagination.has_more)),
        error => isCurrent && setFound(error instanceof ApiProblem ? describeError(error) : ''),
      );
    }, typingMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [selector]);
  return (
    <>
      <ValueField
        {...props}
        hint="Labels, such as env=prod, team in (web, api), !legacy. Empty: none."
        input={{ placeholder: 'env=prod', autocapitalize: 'none', maxLength: 1000 }}
      />
      {found !== '' && (
        <p class="hint" role="status">
          {found}
        </p>
      )}
    </>
  );
}

function describe(monitors: readonly { name: string }[], hasMore: boolean): string {
  if (monitors.length === 0) return 'No monitors match.';
  const names = monitors.slice(0, namedMax).map(({ name }) => name);
  const more = monitors.length > namedMax ? ', …' : '';
  return `Matches ${hasMore ? 'more than ' : ''}${plural(monitors.length, 'monitor')}: ${names.join(', ')}${more}`;
}
