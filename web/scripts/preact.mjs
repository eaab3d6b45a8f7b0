/**
 * React's names in Preact, which is a tenth of its size. Visitors' pages use it for their islands; the
 * components' tests run on both (vitest.config.ts).
 */
export const preact = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react/jsx-dev-runtime': 'preact/jsx-runtime',
  'react-dom/client': 'preact/compat/client',
  'react-dom/server': 'preact/compat/server',
  'react-dom/test-utils': 'preact/test-utils',
  'react-dom': 'preact/compat',
  react: 'preact/compat',
}
