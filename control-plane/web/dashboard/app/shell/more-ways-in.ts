// Ways in other than by a token, and pages on these ways, which are fetched together.

export { ConfirmPerson } from './confirm-person.tsx';
export { Confirmed } from './confirmed.tsx';
export { Join } from './join.tsx';
export { Placeless } from './placeless.tsx';
export { SignInFailed } from './sign-in-failed.tsx';
export { SignInWays } from './ways-in.tsx';
