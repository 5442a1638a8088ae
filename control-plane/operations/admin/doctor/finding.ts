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

/** All findings, as JSON or as lines for people. */
export class Report {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    this.findings = findings;
  }

  get healthy(): boolean {
    return this.findings.every(({ status }) => status !== 'fail');
  }

  text(): string {
    return this.findings
      .map(({ name, status, detail, advice }) => {
        const line = `${status.padEnd(4)}  ${name}: ${detail}`;
        return advice === null ? line : `${line}\n      → ${advice}`;
      })
      .join('\n');
  }

  toJSON(): { healthy: boolean; findings: readonly Finding[] } {
    return { healthy: this.healthy, findings: this.findings };
  }
}
