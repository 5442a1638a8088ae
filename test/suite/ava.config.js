// The suite is run by test/run.ts only, which names this file: tests need the server it starts.
export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  // Ends the run when no test has ended for so long: a slow machine is not a hanging test.
  timeout: '180s',
};
