import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { wait } from '#shared/wait.ts';
import { startProgram } from '../../bench/program.ts';
import { type Row, type RowRun, round } from '../../bench/row.ts';
import { openSite, type Site } from '../../bench/site.ts';
import { apiOf, createTenant, until, withSql } from '../../support/control-plane.ts';
import { startMailbox } from '../../support/mailbox.ts';
import { startSlack } from '../harness/slack.ts';
import type { AttackerCommand, AttackerReport, Grounds } from './attack.ts';
import { bound, type Experience, openBystander } from './bystander.ts';

const attackMs = { small: 5000, full: 60_000 };
const outageWithinMs = 60_000;
/** An attack whose preparations are refused or slow runs all the same. */
const beginWithinMs = 30_000;
const agents = 6;
/** What a process may keep after an attack: pooled connections, caches, and memory that is given back late. */
const keptBound = { descriptorsKept: 40, memoryKeptMb: 200 };
/** Threads end when they have had nothing to do for a while, and what they took goes with them. */
const returnWithinMs = 60_000;

/** Runs one attack beside a bystander, whose outage falls into it, and judges by what the bystander saw. */
export function measureHostile(name: string): (run: RowRun) => Promise<Row> {
  return async run => {
    const slack = run.opened.use(await startSlack());
    const mailbox = run.opened.use(await startMailbox());
    // The limits of an installation as it comes, unlike in the other rows.
    const site = await openSite(run, {
      SLACK_API_URL: slack.apiUrl,
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'status@upquorum.example',
      OUTBOUND_ADDRESS_POLICY: 'loopback',
      RATE_LIMIT_PER_MINUTE: '600',
      RATE_LIMIT_BURST: '100',
    });
    const bystander = await openBystander(run, site, slack);
    const attacker = run.opened.use(
      startProgram('test/chaos/hostile/attacker.ts', { logFile: join(site.folder, 'attacker.log') }),
    );
    const ready = attacker.message<Extract<AttackerReport, { type: 'ready' }>>('ready');
    const send = (command: AttackerCommand) => void attacker.process.send(command);
    const grounds = await openGrounds(site);
    await ready;
    await bystander.begin();
    await wait(2000);
    const quiet = await bystander.experience();
    const before = usageOf(site.controlPlane().pid);

    const begun = attacker.message<Extract<AttackerReport, { type: 'begun' }>>('begun');
    send({ type: 'start', name, grounds });
    await Promise.race([begun, wait(beginWithinMs, { ref: false })]);
    await bystander.begin();
    run.progress('the attack runs');
    await wait(run.full ? attackMs.full : attackMs.small);
    await bystander.outage(outageWithinMs);
    const experience = await bystander.experience();
    const during = usageOf(site.controlPlane().pid);
    const stopped = attacker.message<Extract<AttackerReport, { type: 'stopped' }>>('stopped');
    send({ type: 'stop' });
    const { counts, errors } = await stopped;
    await attacker.end('SIGKILL');
    const kept = await waitForReturn(site, before);

    const figure = { ...experience, ...kept };
    const alive = site.controlPlane().process.exitCode === null;
    return {
      name,
      figure,
      target: { ...bound, ...keptBound },
      pass: alive && Object.keys(counts).length > 0 && holds(experience) && isReturned(kept),
      versions: await site.versions(),
      samples: { quiet, before, during, attack: counts, errors },
    };
  };
}

function holds({ acknowledgedMs, alertSeconds, slackSeconds, healthzP99Ms, ...rest }: Experience): boolean {
  if (alertSeconds === null || slackSeconds === null) return false;
  const onTime = alertSeconds <= bound.alertSeconds && slackSeconds <= bound.slackSeconds;
  const answered = rest.serverErrors === 0 && rest.apiUnanswered === 0 && rest.healthzUnanswered === 0;
  return onTime && answered && acknowledgedMs <= bound.acknowledgedMs && healthzP99Ms < bound.healthzP99Ms;
}

/** The attacker's own project, page and private region. */
async function openGrounds(site: Site): Promise<Grounds> {
  const { token, projectId } = await createTenant(site.databaseUrl, ['*'], 'team');
  const agentSecrets = await withSql(site.databaseUrl, async sql => {
    await insertRegion(sql, { code: 'hostile-own', name: 'own', projectId }, Date.now());
    const secrets: string[] = [];
    for (let index = 0; index < agents; index++)
      secrets.push((await enrollAgent(sql, 'hostile-own', `own-${index}`, Date.now()))?.secret ?? '');
    return secrets;
  });
  const slug = 'hostile';
  const made = await apiOf(site.url, token)('POST', '/v0/status-pages', { name: 'Hostile', slug, history_days: 365 });
  const port = Number(new URL(site.url).port);
  const pageId = String(made.body.id);
  return { url: site.url, port, token, projectId, agentSecrets, pageId, slug, databaseUrl: site.databaseUrl };
}

type Usage = { descriptors: number; memoryMb: number };
type Kept = { descriptorsKept: number; memoryKeptMb: number; keptForSeconds: number };

function usageOf(pid: number): Usage {
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, memoryMb: round(kilobytes / 1024, 0) };
}

async function waitForReturn(site: Site, before: Usage): Promise<Kept> {
  const startMs = performance.now();
  const read = () => {
    const now = usageOf(site.controlPlane().pid);
    return {
      descriptorsKept: now.descriptors - before.descriptors,
      memoryKeptMb: now.memoryMb - before.memoryMb,
      keptForSeconds: round((performance.now() - startMs) / 1000, 0),
    };
  };
  return until(read, isReturned, returnWithinMs).catch(read);
}

function isReturned({ descriptorsKept, memoryKeptMb }: Kept): boolean {
  return descriptorsKept <= keptBound.descriptorsKept && memoryKeptMb <= keptBound.memoryKeptMb;
}
