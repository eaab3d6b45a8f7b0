import { defineConfig, devices } from '@playwright/test'

import { launchOptions } from './browser.ts'

/** What is looked at rather than tested (`make visual`): pictures of pages and states, and long lists by the clock. */
export default defineConfig({
  testDir: './visual',
  forbidOnly: true,
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  reporter: [['list']],
  snapshotPathTemplate: '{testDir}/baselines/{arg}-{projectName}{ext}',
  expect: {
    timeout: 20_000,
    // Fonts are smoothed a little differently from one machine to the next.
    toHaveScreenshot: { maxDiffPixelRatio: 0.01, threshold: 0.2, scale: 'device' },
  },
  use: {
    ...devices['Desktop Chrome'],
    baseURL: process.env.FLEDGE_SITE_URL,
    launchOptions,
    locale: 'en-US',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    { name: 'states', testMatch: 'states.spec.ts' },
    { name: 'lists', testMatch: 'lists.spec.ts' },
    ...(['light', 'dark'] as const).flatMap((colorScheme) => [
      {
        name: `360-${colorScheme}`,
        testMatch: 'visual.spec.ts',
        use: { colorScheme, viewport: { width: 360, height: 780 } },
      },
      // Three fifths of the size: a picture that shows the layout and stays small.
      {
        name: `1440-${colorScheme}`,
        testMatch: 'visual.spec.ts',
        use: { colorScheme, viewport: { width: 1440, height: 900 }, deviceScaleFactor: 0.6 },
      },
      ...[360, 768].map((width) => ({
        name: `${width}-${colorScheme}-mails`,
        testMatch: 'mails.spec.ts',
        use: { colorScheme, viewport: { width, height: 600 }, deviceScaleFactor: 0.6 },
      })),
    ]),
  ],
})
