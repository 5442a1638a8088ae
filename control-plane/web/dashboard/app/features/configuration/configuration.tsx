import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { saveAs } from '../../kit/save-as.ts';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { ConfigManager } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { SettingSections } from '../settings/sections.tsx';
import { exportedTypes, nounOf, writeScopeOf } from './types.ts';

/** Whose documents describe what is here, and how to begin. */
export function Configuration() {
  const app = useApp();
  const [released, setReleased] = useState<ConfigManager | null>(null);
  const exporting = useAction();
  const load = useLoad('', async () => (await read(app.api.client.GET('/v0/config/managers'))).data, 30_000);
  const managers = load.value ?? [];
  const types = exportedTypes(app.can);
  const download = async (): Promise<void> => {
    saveAs(await app.api.download(`/v0/config/export?types=${types.join()}`, 'application/yaml'), 'upquorum.yaml');
  };
  return (
    <Page
      title="Configuration"
      crumbs={[{ label: 'Settings', address: '#/settings' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        <ActionButton action={exporting} work={download}>
          Export
        </ActionButton>
      }
    >
      <SettingSections />
      <ProblemNote problem={exporting.problem} />
      <p class="hint about">
        Documents in a repository can describe monitors, channels, routes, status pages and more. An apply makes the
        project as they say. An export has all that is here, without any secret.
      </p>
      {load.value !== undefined && managers.length === 0 && (
        <div class="card empty">
          <h2>Nothing is managed by documents yet</h2>
          <p>Export what is here, put it into a repository, and apply it from there.</p>
        </div>
      )}
      <ul class="cards">
        {managers.map(manager => (
          <Row key={manager.manager} manager={manager} release={() => setReleased(manager)} />
        ))}
      </ul>
      <section class="card">
        <CopyCode
          label="On your machine, or in your CI"
          code={[
            `npm install --global ${location.origin}/cli/upquorum.tgz`,
            `upquorum login ${location.origin}`,
            'upquorum plan upquorum.yaml --adopt',
            'upquorum apply upquorum.yaml --adopt',
          ].join('\n')}
        />
      </section>
      {released !== null && (
        <Release manager={released.manager} close={() => setReleased(null)} refresh={load.refresh} />
      )}
    </Page>
  );
}

function Row({ manager: { manager, resources, last_apply }, release }: { manager: ConfigManager; release(): void }) {
  const { can } = useApp();
  const mayRelease = resources.every(({ type }) => can(writeScopeOf(type)));
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{manager}</strong>
        <span class="hint">{resources.map(({ type, count }) => plural(count, nounOf(type))).join(', ')}</span>
      </div>
      <span class="hint">
        {last_apply !== null && (
          <>
            applied <Ago at={last_apply.at} /> by {last_apply.actor.name ?? last_apply.actor.id}
          </>
        )}
      </span>
      <div class="do">
        {mayRelease && (
          <button type="button" class="quiet" aria-label={`Release ${manager}`} onClick={release}>
            Release…
          </button>
        )}
      </div>
    </li>
  );
}

function Release({ manager, close, refresh }: { manager: string; close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.POST('/v0/config/release', { body: { manager } });
    app.announce(`${manager}: released`);
    await refresh();
    close();
  };
  return (
    <ConfirmDialog title={`Release ${manager}?`} button="Release" close={close} work={work}>
      <p>Its resources stay as they are, and nobody manages them any more. Its next apply needs to adopt them.</p>
    </ConfirmDialog>
  );
}
