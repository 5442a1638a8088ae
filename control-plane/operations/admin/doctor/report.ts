import type { Finding } from '../../../platform/failures/finding.ts';

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
