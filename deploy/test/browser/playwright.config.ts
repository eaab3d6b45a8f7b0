import { defineConfig, devices } from '@playwright/test'

import { lightLaunchOptions } from './browser.ts'
import { answered } from './specs/collector.ts'
import { siteURL } from './specs/stack.ts'

export default defineConfig({
  testDir: './specs',
  forbidOnly: true,
  fullyParallel: false,
  workers: 1,
  // Timeouts far above what an idle machine needs: they find hangs, not slowness.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  // Why there are retries: deploy/test/ci/test-go.sh. A test that needed one is flaky and has to be fixed.
  retries: 2,
  reporter: [['list'], ['./retried.ts']],
  use: {
    ...devices['Desktop Chrome'],
    baseURL: siteURL,
    acceptDownloads: true,
    // No test is told of to analytics, but those that look at that.
    storageState: answered('declined'),
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: lightLaunchOptions,
  },
  // `outage` needs a stack whose services are stopped, which its starter arranges.
  projects: [
    { name: 'product', testIgnore: /outage/ },
    { name: 'outage', testMatch: /outage/ },
  ],
})
