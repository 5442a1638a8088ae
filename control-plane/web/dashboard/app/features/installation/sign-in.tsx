import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { ForOperators, InstallationSections } from './sections.tsx';

/** The identity provider is asked each time. */
const everyMs = 300_000;
const words = { ok: 'ok', warn: 'warn', fail: 'err' } as const;

/** What `doctor` says of how people sign in. */
export function SignInChecks() {
  return (
    <ForOperators title="Sign-in">
      <Findings />
    </ForOperators>
  );
}

function Findings() {
  const { api } = useApp();
  const load = useLoad('', () => read(api.client.GET('/v0/installation/sign-in')), everyMs);
  return (
    <Page
      title="Sign-in"
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        <button type="button" onClick={load.refresh}>
          Check again
        </button>
      }
    >
      <InstallationSections />
      <ul class="cards" aria-label="Checks">
        {load.value?.data.map(({ name, status, detail, advice }) => (
          <li key={name} class="card row wall-row" data-row>
            <div class="what">
              <strong>{name}</strong>
              <span>{detail}</span>
              {advice !== null && <span class="hint">{advice}</span>}
            </div>
            <Badge state={presentation('checks', words[status])} />
          </li>
        ))}
      </ul>
    </Page>
  );
}
