import { defineConfig, devices } from '@playwright/test'

import { launchOptions } from './browser.ts'
import { answered } from './specs/collector.ts'
import { siteURL } from './specs/stack.ts'

export default defineConfig({
  testDir: './specs',
  forbidOnly: true,
  fullyParallel: false,
  workers: 1,
  // Much more than anything takes on an idle machine: these find what is wrong, not what is slow.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  // Why there are retries: deploy/test/ci/test-go.sh. A test that needed one has a defect to fix.
  retries: 2,
  reporter: [['list'], ['./retried.ts']],
  use: {
    ...devices['Desktop Chrome'],
    baseURL: siteURL,
    acceptDownloads: true,
    // No test is told of to analytics, but those that look at that.
    storageState: answered('declined'),
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions,
  },
  // `outage` needs a stack whose services are stopped, which its starter arranges.
  projects: [
    { name: 'product', testIgnore: /outage/ },
    { name: 'outage', testMatch: /outage/ },
  ],
})
