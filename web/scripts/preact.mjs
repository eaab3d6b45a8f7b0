import path from 'node:path'
import { web } from './pages.mjs'

/**
 * React's names in Preact, which is a tenth of its size. Browsers have nothing else, and components are
 * tested on it (vitest.config.ts).
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

/** What app pages use of Next in the browser, which src/app-script/next does instead. */
export const next = Object.fromEntries(
  ['dynamic', 'link', 'navigation'].map((name) => [
    `next/${name}`,
    path.join(web, 'src/app-script/next', name),
  ]),
)
