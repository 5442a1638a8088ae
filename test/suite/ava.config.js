// The suite is run by test/run.ts only, which names this file: tests need the server it starts.
export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  timeout: '60s',
};
