export {
  type Answers,
  type ApiClient,
  type Bodies,
  createApiClient as createClient,
  type Queries,
  type Schemas,
} from '../../../control-plane/web/api-client/client.ts';
export { pages } from './pages.ts';
export { type Problem, ProblemError, problemOf } from './problem.ts';
