import { collect } from './declared.ts';

// Imported once for each file of a group, which stands in the query: group.ts puts it in AVA's place.
export default collect(new URL(import.meta.url).searchParams.get('file') ?? '');
