/** The version of glibc that this process runs on; null for another C library (musl, macOS). */
export function hostGlibc(): string | null {
  if (process.platform !== 'linux') return null;
  // Otherwise the report may wait for name servers.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime ?? null;
}

/** The lowest version of glibc that a Debian `Depends` field accepts; null if it names none. */
export function requiredGlibc(depends: string): string | null {
  return /\blibc6 \(>= ([\d.]+)/.exec(depends)?.[1] ?? null;
}

/** Whether version `have` is at least `need`. Both are dotted numbers. */
export function isAtLeast(have: string, need: string): boolean {
  const [left, right] = [have, need].map(version => version.split('.').map(Number));
  for (let index = 0; index < Math.max(left?.length ?? 0, right?.length ?? 0); index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
