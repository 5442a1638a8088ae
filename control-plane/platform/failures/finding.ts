/** What was found about one part of the installation; `advice` says what to do unless it is ok. */
export type Finding = { name: string; status: 'ok' | 'warn' | 'fail'; detail: string; advice: string | null };

export function ok(name: string, detail: string): Finding {
  return { name, status: 'ok', detail, advice: null };
}

export function warn(name: string, detail: string, advice: string): Finding {
  return { name, status: 'warn', detail, advice };
}

export function fail(name: string, detail: string, advice: string): Finding {
  return { name, status: 'fail', detail, advice };
}
