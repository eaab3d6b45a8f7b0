import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

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
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    setupFiles: ['./src/testing/setup.ts'],
    // The default is one processor fewer, which is one of two.
    maxWorkers: '100%',
    // Rendering a whole page with axe takes seconds on a machine that is busy with other suites.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    unstubGlobals: true,
    css: { modules: { classNameStrategy: 'non-scoped' } },
    // A part that fails on purpose, while React shares a busy processor, is drawn again at once; React reports that
    // it has recovered, and the tests see what is on the page.
    onUnhandledError: (error) =>
      !error.message.startsWith(
        'There was an error during concurrent rendering but React was able to recover',
      ),
  },
})
