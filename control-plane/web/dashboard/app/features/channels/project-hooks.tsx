import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { ActionButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { presentation } from '../../kit/labels.ts';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Webhook } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

type Loaded = { slack: { connected: boolean; connected_at: string | null }; webhooks: readonly Webhook[] };

/** The Slack connection and the webhooks of the project, which hear of every alert beside the routes. */
export function ProjectHooks() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readLoaded(app), 15_000);
  if (load.value === null) return null;
  const { slack, webhooks } = load.value;
  const canWrite = app.can('project:write');
  return (
    <>
      <Slack slack={slack} canWrite={canWrite} refresh={load.refresh} />
      <Webhooks webhooks={webhooks} canWrite={canWrite} refresh={load.refresh} />
    </>
  );
}

async function readLoaded({ api }: App): Promise<Loaded> {
  const [slack, webhooks] = await Promise.all([
    read(api.client.GET('/v0/slack')),
    readAll(query => api.client.GET('/v0/webhooks', { params: { query } })),
  ]);
  return { slack, webhooks };
}

type SlackProps = { slack: Loaded['slack']; canWrite: boolean; refresh(): Promise<void> };

function Slack({ slack: { connected, connected_at }, canWrite, refresh }: SlackProps) {
  const { api } = useApp();
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const disconnect = async (): Promise<void> => {
    await api.client.DELETE('/v0/slack');
    await refresh();
  };
  return (
    <section class="card">
      <h2>Slack</h2>
      <p class="state">
        <Badge
          state={{
            ...presentation('channels', connected ? 'ok' : 'disabled'),
            label: connected ? 'Connected' : 'Not connected',
          }}
        />
        {connected_at !== null && (
          <span>
            since <Ago at={connected_at} />
          </span>
        )}
      </p>
      <p class="hint">The project’s bot posts to the Slack channels of monitors, and to channels of type Slack.</p>
      {canWrite && (
        <div class="buttons">
          <button type="button" onClick={() => setOpen(true)}>
            {connected ? 'Replace…' : 'Connect…'}
          </button>
          {connected && (
            <ActionButton action={action} work={disconnect} class="danger">
              Disconnect
            </ActionButton>
          )}
        </div>
      )}
      <ProblemNote problem={action.problem} />
      {isOpen && <ConnectSlack close={() => setOpen(false)} refresh={refresh} />}
    </section>
  );
}

function ConnectSlack({ close, refresh }: { close(): void; refresh(): Promise<void> }) {
  const { api } = useApp();
  const form = useForm(null, { bot_token: '', signing_secret: '' }, async draft => {
    const body = { bot_token: draft.bot_token.trim(), signing_secret: draft.signing_secret.trim() || null };
    await read(api.client.PUT('/v0/slack', { body }));
    close();
    await refresh();
  });
  const input = { autocomplete: 'off', spellcheck: false };
  return (
    <Dialog title="Connect Slack" close={close}>
      <form.Form>
        <form.Line name="bot_token" label="Bot token" input={{ ...input, placeholder: 'xoxb-…' }} />
        <form.Line
          name="signing_secret"
          label="Signing secret (optional)"
          hint="With it, buttons in messages acknowledge alerts."
          input={input}
        />
        <form.Footer submit="Connect" cancel={close} />
      </form.Form>
    </Dialog>
  );
}

type WebhooksProps = { webhooks: readonly Webhook[]; canWrite: boolean; refresh(): Promise<void> };

function Webhooks({ webhooks, canWrite, refresh }: WebhooksProps) {
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null);
  return (
    <section class="card">
      <h2>Webhooks of the project</h2>
      {webhooks.length === 0 && <p class="hint">None. A webhook receives each event of the kinds it subscribes to.</p>}
      <ul class="lines">
        {webhooks.map(webhook => {
          const { id, url, enabled, failures, kinds } = webhook;
          const state = !enabled ? 'disabled' : failures > 0 ? 'failing' : 'ok';
          return (
            <li key={id}>
              <Badge state={presentation('channels', state)} />
              <span class="what">
                {canWrite ? (
                  <button type="button" class="link name" onClick={() => setEdited(webhook)}>
                    {url}
                  </button>
                ) : (
                  <span class="name">{url}</span>
                )}
                <span class="reason">
                  {plural(kinds.length, 'kind of event', 'kinds of events')}
                  {failures > 0 && ` · ${plural(failures, 'delivery', 'deliveries')} in a row failed`}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
      {canWrite && (
        <div class="buttons">
          <button type="button" onClick={() => setEdited('new')}>
            New webhook…
          </button>
        </div>
      )}
      {edited !== null && (
        <WebhookDialog webhook={edited === 'new' ? null : edited} close={() => setEdited(null)} refresh={refresh} />
      )}
    </section>
  );
}
