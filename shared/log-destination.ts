import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { errorCode } from './error-code.ts';

const busyTriesMax = 50;
const busyMs = 20;

/**
 * Writes lines to a file descriptor at once. A full disk or a closed pipe never ends the program: lines that cannot be
 * written are dropped, and the next line that can be written comes after one with their number.
 */
export function steadyDestination(fd: number, write: typeof writeSync = writeSync): DestinationStream {
  let lost = 0;
  let isTorn = false;
  const writeAll = (line: string) => {
    const bytes = Buffer.from(isTorn ? `\n${line}` : line);
    let written = 0;
    try {
      for (let busy = 0; written < bytes.length; )
        try {
          written += write(fd, bytes, written);
        } catch (error) {
          // The reader of a pipe may be slow, for a second.
          if (errorCode(error) !== 'EAGAIN' || ++busy > busyTriesMax) throw error;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
        }
      isTorn = false;
    } catch (error) {
      isTorn ||= written > 0;
      throw error;
    }
  };
  return {
    write(line) {
      try {
        if (lost > 0) writeAll(lossLine(lost));
        lost = 0;
        writeAll(line);
      } catch {
        lost += 1;
      }
    },
  };
}

function lossLine(lines: number): string {
  const warnLevel = 40;
  return `${JSON.stringify({ level: warnLevel, time: new Date().toISOString(), lines, msg: 'log lines were lost' })}\n`;
}
