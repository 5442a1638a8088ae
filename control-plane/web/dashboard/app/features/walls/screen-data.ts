/** What `GET /wall/data` answers. */
export type ScreenData = {
  name: string;
  project: string;
  version: string;
  as_of: string;
  counts: Readonly<Record<string, number>>;
  monitors: readonly ScreenMonitor[];
  incidents: readonly { title: string; impact: string; started_at: string }[];
};

export type ScreenMonitor = {
  name: string;
  status: string;
  verdict: string;
  since: string;
  acknowledged: boolean;
  code: string | null;
  regions: readonly string[];
};

/** How a screen's link answered. */
export type ScreenAnswer = { type: 'data'; data: ScreenData } | { type: 'refused' } | { type: 'lost' };

const timeoutMs = 10_000;

/** Reads what a screen shows. The secret goes in a header: no address ever holds it. */
export async function readScreen(secret: string, fetch = globalThis.fetch.bind(globalThis)): Promise<ScreenAnswer> {
  try {
    const response = await fetch('/wall/data', {
      headers: { Authorization: `Bearer ${secret}` },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 401) return { type: 'refused' };
    return response.ok ? { type: 'data', data: (await response.json()) as ScreenData } : { type: 'lost' };
  } catch {
    return { type: 'lost' };
  }
}

/** The version of the page's own files, by the address of its script; null if it cannot be told. */
export function versionOfScript(address: string): string | null {
  return /\/dashboard\/assets\/([^/]+)\//.exec(address)?.[1] ?? null;
}
