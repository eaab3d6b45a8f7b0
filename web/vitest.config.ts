import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { preact } from './scripts/preact.mjs'

/** What visitors' pages bring to life with Preact; its tests run on React and on Preact. */
const islands = [
  'src/components/waitlist-form/*.test.tsx',
  'src/features/blog/article-list.test.tsx',
  'src/features/landing/header.test.tsx',
  'src/features/landing/triptych/play-when-seen.test.tsx',
]

/** What nothing but Preact runs. */
const onlyPreact = ['src/page-script/islands.test.ts', 'src/app-script/*.test.tsx']

const testingLibrary = '@testing-library/react/dist/@testing-library/react.esm.js'

export default defineConfig({
  // posthog-js names sources in its map that it does not ship; Vite warns of each.
  logLevel: 'error',
  plugins: [react()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      // The marker package throws outside a React server bundle; tests run the same code in Node.
      'server-only': fileURLToPath(new URL('./src/testing/server-only.ts', import.meta.url)),
    },
  },
  test: {
    environment: 'jsdom',
    projects: [
      {
        extends: true,
        test: {
          name: 'react',
          include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
          exclude: onlyPreact,
        },
      },
      {
        extends: true,
        // The ES modules of the testing library: an alias does not reach into what is required.
        resolve: { alias: { ...preact, '@testing-library/react': testingLibrary } },
        test: {
          name: 'preact',
          include: [...islands, ...onlyPreact],
          server: { deps: { inline: [/@testing-library/] } },
        },
      },
    ],
    setupFiles: ['./src/testing/setup.ts'],
    // Rendering a whole page with axe takes seconds on a machine that is busy with other suites.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Why there are retries: deploy/local/ci/test-go.sh. One that was needed is to be mended.
    retry: 2,
    reporters: ['default', './scripts/retried.mjs'],
    restoreMocks: true,
    unstubGlobals: true,
    css: { modules: { classNameStrategy: 'non-scoped' } },
  },
})
