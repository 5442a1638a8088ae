import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import type { Agent, RegionDetails } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { AgentTable } from './agent-table.tsx';
import { RegisterAgent } from './register-agent.tsx';
import { byTrouble, describeCapabilities, describeRegion, describeVersions } from './words.ts';

type Loaded = { regions: readonly RegionDetails[]; agents: readonly Agent[] };

/** Where checks run from, and how the agents there do. */
export function Regions() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readRegions(app), 5000);
  const [isRegistering, setRegistering] = useState(false);
  const { regions, agents } = load.value ?? { regions: [], agents: [] };
  const isOperator = app.session.scopes.includes('agents:operate');
  const open = regions.filter(region => region.private || isOperator);
  const register = app.can('agents:write') && open.length > 0 && (
    <button type="button" class="primary" onClick={() => setRegistering(true)}>
      Register agent
    </button>
  );
  return (
    <Page title="Regions" freshness={load.freshness} refresh={load.refresh} actions={register || undefined}>
      {regions.length === 0 && <NoRegions />}
      {regions.length > 0 && (
        <ul class="region-cards">
          {regions.toSorted(byTrouble).map(region => (
            <RegionCard
              key={region.code}
              region={region}
              agents={agents.filter(agent => agent.region === region.code)}
            />
          ))}
        </ul>
      )}
      {app.can('agents:read') && (
        <section class="card">
          <h2>Agents</h2>
          {agents.length === 0 && <p class="empty">{describeNoAgents(regions, open)}</p>}
          {agents.length > 0 && <AgentTable agents={agents} refresh={load.refresh} />}
        </section>
      )}
      {regions.length > 0 && app.can('agents:write') && <PrivateRegionHint projectId={app.session.project_id} />}
      {isRegistering && <RegisterAgent regions={open} close={() => setRegistering(false)} refresh={load.refresh} />}
    </Page>
  );
}

async function readRegions({ api, can }: App): Promise<Loaded> {
  const [regions, agents] = await Promise.all([
    readAll(query => api.client.GET('/v0/regions', { params: { query } })),
    can('agents:read') ? readAll(query => api.client.GET('/v0/agents', { params: { query } })) : [],
  ]);
  return { regions, agents };
}

function describeNoAgents(regions: readonly RegionDetails[], open: readonly RegionDetails[]): string {
  if (open.length > 0) return 'No agents yet. Register one, and run it where the checks are to come from.';
  return regions.length === 0 ? 'No agents yet.' : 'Agents in shared regions are managed by your operator.';
}

function NoRegions() {
  return (
    <div class="card empty">
      <h2>No regions yet</h2>
      <p>A region is a place that checks run from. Create one on the control plane’s machine, then reload:</p>
      <CopyCode
        label="Create a region"
        code={'npm run admin -- region create --code eu-west --name "Western Europe"'}
      />
    </div>
  );
}

function RegionCard({ region, agents }: { region: RegionDetails; agents: readonly Agent[] }) {
  const { code, name, agents_online, agents_total, capabilities, monitors, last_result_at, quarantined_since } = region;
  const { vote, text } = describeRegion(region);
  const state = presentation('votes', vote);
  return (
    <li class={`card region-card ${state.tone === 'good' ? '' : state.tone}`} data-row>
      <div class="card-head">
        <span class="what">
          <strong>{name}</strong>
          {name !== code && <span class="hint">{code}</span>}
        </span>
        <Badge state={state} text={text} />
      </div>
      <dl>
        <dt>Agents online</dt>
        <dd>
          {agents_online} of {agents_total}
        </dd>
        <dt>Monitors</dt>
        <dd>{monitors.toLocaleString('en')}</dd>
        <dt>Last result</dt>
        <dd>{last_result_at === null ? '–' : <Ago at={last_result_at} />}</dd>
        {agents_online > 0 && (
          <>
            <dt>Can</dt>
            <dd>{describeCapabilities(capabilities)}</dd>
          </>
        )}
        {agents.length > 0 && (
          <>
            <dt>Version</dt>
            <dd>{describeVersions(agents)}</dd>
          </>
        )}
        {quarantined_since !== null && (
          <>
            <dt>Quarantined</dt>
            <dd>
              <Ago at={quarantined_since} />: it failed alone, and its votes do not count
            </dd>
          </>
        )}
      </dl>
      {region.private && <span class="tag">private</span>}
    </li>
  );
}

function PrivateRegionHint({ projectId }: { projectId: string }) {
  return (
    <details class="card">
      <summary>
        <h2>A private region in your own network</h2>
      </summary>
      <p class="hint">
        Only this project sees it, and its agents see only this project’s monitors. The operator creates it on the
        control plane’s machine; then register its agents here.
      </p>
      <CopyCode
        label="Create a private region"
        code={`npm run admin -- region create --code office --name "Office" --project ${projectId}`}
      />
    </details>
  );
}
