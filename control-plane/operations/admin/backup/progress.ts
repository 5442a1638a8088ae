import { secondMs } from '#shared/duration.ts';

/** Passes a line on at most once a second. */
export function everySecond(progress: (line: string) => void): (line: string) => void {
  let saidAt = performance.now();
  return line => {
    if (performance.now() - saidAt < secondMs) return;
    saidAt = performance.now();
    progress(line);
  };
}

/** Bytes for people. */
export function sizeOf(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
