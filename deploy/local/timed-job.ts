import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import got, { type Got } from 'got';
import { minuteMs } from '#shared/duration.ts';
import { type Credentials, type LocalAddresses, localApi } from './setup.ts';
import { writeState } from './state-file.ts';

/**
 * Creates a heartbeat in the sample project, once: deleted, it is not created again. Sends its signal each minute until
 * the signal is aborted; a failed one is left to the next minute.
 */
export async function startSampleHeartbeat(
  dataDir: string,
  { baseUrl }: Pick<LocalAddresses, 'baseUrl'>,
  credentials: Credentials,
  { signal, everyMs = minuteMs }: { signal: AbortSignal; everyMs?: number },
): Promise<void> {
  const api = localApi(baseUrl, (credentials.sample ?? credentials).token);
  const id = credentials.sample_heartbeat ?? (await createHeartbeat(api));
  if (credentials.sample_heartbeat === undefined) {
    credentials.sample_heartbeat = id;
    await writeState(join(dataDir, 'credentials.json'), credentials);
  }
  await sendSignal(api, baseUrl, id);
  void repeat(() => sendSignal(api, baseUrl, id), everyMs, signal);
}

async function createHeartbeat(api: Got): Promise<string> {
  const monitor = { kind: 'heartbeat', name: 'Job of each minute', interval_seconds: 60 };
  return (await api.post('v0/monitors', { json: monitor }).json<{ id: string }>()).id;
}

/** Asks for its address each time, which may have been rotated; this machine takes it, whatever the public URL. */
async function sendSignal(api: Got, baseUrl: string, id: string): Promise<void> {
  try {
    const { url } = await api.get(`v0/monitors/${id}`).json<{ url: string }>();
    await got.post(baseUrl + url.slice(url.lastIndexOf('/hb/')), { timeout: { request: 10_000 } });
  } catch {
    // Deleted, or the control plane is starting again.
  }
}

async function repeat(send: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await wait(everyMs, undefined, { signal, ref: false });
      await send();
    }
  } catch {
    // Aborted: `npm start` stops.
  }
}
