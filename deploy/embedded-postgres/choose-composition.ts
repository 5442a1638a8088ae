import { type Composition, composeServer } from './compose.ts';
import { EmbeddedError } from './failure.ts';

/** Whether TimescaleDB is used if available, required, or left out. */
export type TimescaleChoice = 'auto' | 'require' | 'off';

/**
 * The server tree to run. `notice` says in one line why TimescaleDB is missing; null if it is not, or was not wanted.
 * `isMakeshift` if it could not be had this time: it is tried again while nothing is stored.
 */
export type ChosenServer = { tree: string; edition: Composition; notice: string | null; isMakeshift: boolean };

type Choice = {
  timescale: TimescaleChoice;
  recorded: Composition | null;
  composeDir: string;
  progress: (line: string) => void;
};

const remedy =
  'TimescaleDB is downloaded automatically on Debian 12 and 13 if a mirror can be reached; elsewhere set DATABASE_URL';
const plainNotice =
  'this data folder was created without TimescaleDB and keeps running without it; choose a new DATA_DIR to use it';

/**
 * Composes the server that the choice and the data folder allow: data created by one edition is never opened by the
 * other. Throws EmbeddedError if the two contradict each other, or if a required TimescaleDB is not available.
 */
export async function chooseComposition({ timescale, recorded, composeDir, progress }: Choice): Promise<ChosenServer> {
  if (recorded === 'plain' && timescale === 'require') {
    throw new EmbeddedError(
      'TimescaleDB is required, but this data folder was created without it: choose a new DATA_DIR',
    );
  }
  if (recorded === 'apache' && timescale === 'off') {
    throw new EmbeddedError(
      'this data folder was created with TimescaleDB and does not work without it: choose a new DATA_DIR',
    );
  }
  if (timescale === 'off' || recorded === 'plain') {
    const tree = await composeServer(composeDir, 'plain', progress);
    return { tree, edition: 'plain', notice: timescale === 'off' ? null : plainNotice, isMakeshift: false };
  }
  try {
    const tree = await composeServer(composeDir, 'apache', progress);
    return { tree, edition: 'apache', notice: null, isMakeshift: false };
  } catch (error) {
    const reason = error instanceof EmbeddedError ? error.message : null;
    if (reason === null || timescale === 'require' || recorded === 'apache') throw withReason(error, recorded);
    const tree = await composeServer(composeDir, 'plain', progress);
    const notice =
      `running plain PostgreSQL without TimescaleDB: ${reason}. ${remedy}. ` +
      'This data folder will stay without it; REQUIRE_TIMESCALE=1 refuses to start instead';
    return { tree, edition: 'plain', notice, isMakeshift: true };
  }
}

function withReason(error: unknown, recorded: Composition | null): unknown {
  if (!(error instanceof EmbeddedError)) return error;
  const need = recorded === 'apache' ? 'this data folder needs TimescaleDB' : 'TimescaleDB is required';
  return new EmbeddedError(`${need}, but it is not available: ${error.message}. ${remedy}`, { cause: error });
}
