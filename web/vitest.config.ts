import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { next, preact } from './scripts/preact.mjs'

/** What React renders when the site is built: islands, which Preact takes over, and what stays as it is. */
const rendered = [
  'src/components/waitlist-form/*.test.tsx',
  'src/features/blog/article-list.test.tsx',
  'src/features/landing/**/*.test.tsx',
]

/** What no browser runs. */
const onlyRendered = ['src/features/landing/triptych/scenes.test.tsx']

/** Compiled once, with Preact for React; otherwise each test file would do so, module by module. */
const compiled = [
  'preact',
  'preact/compat',
  'preact/compat/client',
  'preact/compat/server',
  'preact/test-utils',
  '@chakra-ui/react',
  '@emotion/cache',
  '@emotion/react',
  '@reduxjs/toolkit',
  '@reduxjs/toolkit/query/react',
  'react-redux',
]

/** The compiler does not ask for aliases of `react` itself. */
const preactInCompiled = {
  name: 'preact-in-compiled',
  resolveId: {
    order: 'pre' as const,
    handler: (id: string) =>
      Object.hasOwn(preact, id)
        ? fileURLToPath(import.meta.resolve(preact[id as keyof typeof preact]))
        : null,
  },
}

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
          include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs', ...rendered],
          exclude: ['src/page-script/islands.test.ts'],
        },
      },
      {
        extends: true,
        resolve: {
          // Modules, which aliases reach into, of packages that have them beside what is required.
          conditions: ['module'],
          alias: { ...preact, ...next, '@testing-library/react': testingLibrary },
        },
        test: {
          name: 'preact',
          include: ['src/**/*.test.tsx', 'src/page-script/islands.test.ts'],
          exclude: onlyRendered,
          server: { deps: { inline: [/@testing-library/, /preact.jsx-runtime/] } },
          deps: {
            optimizer: {
              client: {
                enabled: true,
                include: compiled,
                rolldownOptions: { plugins: [preactInCompiled] },
              },
            },
          },
        },
      },
    ],
    setupFiles: ['./src/testing/setup.ts'],
    // Rendering a whole page with axe takes seconds on a machine that is busy with other suites.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Why there are retries: deploy/local/ci/test-go.sh. One that was needed is a defect to fix.
    retry: 2,
    reporters: ['default', './scripts/retried.mjs'],
    restoreMocks: true,
    unstubGlobals: true,
    css: { modules: { classNameStrategy: 'non-scoped' } },
  },
})
